// `atrium mcp test NAME`: starts one server, lists what it offers and stops it again, beside a gateway that may run. It
// writes nothing down.

import { loadConfig } from '../config/load-config.ts';
import { findMcpServer } from '../config/mcp-servers.ts';
import type { TriedMcpServer } from '../gateway/doctor/try-mcp-server.ts';
import { countOf } from '../protocol/count-of.ts';
import { isAtriumError, McpStartError } from '../protocol/errors.ts';
import { nearMatch } from '../protocol/near-match.ts';
import type { AddCommand } from './commands.ts';
import { UnknownMcpServerError } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { mcpGroup } from './mcp-group.ts';
import { formatTable, oneLine, outputWidth } from './output/format-table.ts';

export const addMcpTest: AddCommand = (program, io, exit) => {
  mcpGroup(program)
    .command('test')
    .argument('<name>', 'a server of mcp.servers, even one that is off')
    .description('start an MCP server once, list its tools and stop it')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium mcp test files
  $ atrium mcp test files --json | jq -r '.tools[].name'

What the server says goes to standard error. Exit code: 0 when it works, 1 when it does not.`,
    )
    .action(async (name: string, flags: { readonly json?: boolean }) => {
      const { environment } = io;
      const { config } = await loadConfig({ environment });
      const settings = findMcpServer(config, name, environment.home);
      if (!settings)
        throw new UnknownMcpServerError({
          server: name,
          meant: nearMatch(name, Object.keys(config.mcp?.servers ?? {})),
        });
      const { tryMcpServer } = await import('../gateway/doctor/try-mcp-server.ts');
      let tried: TriedMcpServer;
      try {
        tried = await tryMcpServer(settings, {
          variables: environment.variables,
          told: (line) => io.err(`${oneLine(name)}: ${oneLine(line)}\n`),
        });
      } catch (error) {
        if (!isAtriumError(error)) throw error;
        const { code, message } = error;
        if (flags.json) io.out(`${JSON.stringify({ name, error: { code, message } }, null, 2)}\n`);
        else if (error instanceof McpStartError) io.out(`${oneLine(`${name} does not work: ${error.reason}.`)}\n`);
        else io.out(`${oneLine(message)}\n`);
        exit(EXIT.finding);
        return;
      }
      const { tools, remarks } = tried;
      for (const remark of remarks) io.err(`warning: ${oneLine(remark)}\n`);
      if (flags.json) {
        io.out(`${JSON.stringify({ name, tools }, null, 2)}\n`);
        return;
      }
      io.out(`${oneLine(name)} works and offers ${countOf(tools.length, 'tool')}.\n`);
      if (tools.length === 0) return;
      io.out(
        formatTable(
          tools,
          [
            { title: 'tool', cell: (tool) => tool.offeredAs },
            { title: 'what it says of itself', cell: (tool) => tool.description.split('\n')[0] ?? '' },
          ],
          outputWidth(io),
        ),
      );
    });
};
