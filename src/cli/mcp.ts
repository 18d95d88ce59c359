// `atrium mcp`: the servers of tools that the configuration names, and their state. `list` starts nothing: a running
// gateway is asked, and without one the store has what they offered last. `test` starts one server, also beside a
// running gateway, and stores nothing.

import { loadConfig } from '../config/load-config.ts';
import { findMcpServer } from '../config/mcp-servers.ts';
import type { Services } from '../gateway/services/services.ts';
import { countOf } from '../protocol/count-of.ts';
import { isAtriumError, McpStartError } from '../protocol/errors.ts';
import { nearMatch } from '../protocol/near-match.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command } from './command.ts';
import { UnknownMcpServerError } from './errors.ts';
import { askRunning } from './gateway/gateway-client.ts';
import { formatTable, listText } from './output/format-table.ts';
import { line, oneLine } from './output/text.ts';
import { formatConfigWarning } from './output/warnings.ts';

type McpServers = Awaited<ReturnType<Services['tools']['mcpServers']>>;

export const MCP_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'mcp list',
    summary: 'list the MCP servers with their state and what went wrong last',
    examples: ['mcp list', "mcp list --json | jq '.servers[] | select(.error)'"],
    notes: 'A server that is stopped is started when one of its tools is needed.',
    async run(_, { io }) {
      const told = await askRunning(io, (client) => client.get<{ servers: McpServers }>('/api/mcp'));
      const servers = told?.servers ?? (await look(io));
      const text = listText(
        servers,
        {
          server: (server) => server.name,
          speaks: (server) => server.transport,
          state: (server) => server.state,
          tools: (server) => (server.tools === null ? 'not asked yet' : String(server.tools)),
          what: (server) => server.target,
          'last error': (server) => server.error ?? '',
        },
        told ? NONE_IN_GATEWAY : NONE,
      );
      return { json: { servers }, text };
    },
  }),
  command({
    path: 'mcp test',
    summary: 'start an MCP server once, list its tools and stop it',
    args: { '<name>': 'a server of mcp.servers, even one that is off' },
    examples: ['mcp test files', "mcp test files --json | jq -r '.tools[].name'"],
    notes: 'What the server says goes to standard error. Exit code: 0 when it works, 1 when it does not.',
    async run({ name }, { io }) {
      const { environment } = io;
      const { config } = await loadConfig({ environment });
      const settings = findMcpServer(config, name, environment.home);
      if (!settings) {
        const meant = nearMatch(name, Object.keys(config.mcp?.servers ?? {}));
        throw new UnknownMcpServerError({ server: name, meant });
      }
      const { tryMcpServer } = await import('../gateway/doctor/try-mcp-server.ts');
      try {
        const { tools, remarks } = await tryMcpServer(settings, {
          variables: environment.variables,
          told: (text) => io.err(`${oneLine(name)}: ${line(text)}`),
        });
        for (const remark of remarks) io.err(line(`warning: ${remark}`));
        const columns = {
          tool: (tool: (typeof tools)[number]) => tool.offeredAs,
          'what it says of itself': (tool: (typeof tools)[number]) => tool.description.split('\n')[0] ?? '',
        };
        return {
          json: { name, tools },
          text: (width) =>
            line(`${name} works and offers ${countOf(tools.length, 'tool')}.`) +
            (tools.length === 0 ? '' : formatTable(tools, columns, width)),
        };
      } catch (error) {
        if (!isAtriumError(error)) throw error;
        const { code, message } = error;
        const text = line(error instanceof McpStartError ? `${name} does not work: ${error.reason}.` : message);
        return { json: { name, error: { code, message } }, text, ok: false };
      }
    },
  }),
];

const NONE = 'There are no MCP servers. Name one in the configuration, under mcp.servers.';
/** The gateway has read its configuration when it was started. */
const NONE_IN_GATEWAY =
  'The running gateway has no MCP servers. Name one in the configuration, under mcp.servers, and start it again.';

async function look(io: CliIo): Promise<McpServers> {
  const { environment } = io;
  const loaded = await loadConfig({ environment });
  for (const warning of loaded.warnings) {
    if (warning.path.startsWith('mcp')) io.err(`${formatConfigWarning(warning)}\n`);
  }
  const { openPreview } = await import('../gateway/composer/open-preview.ts');
  const opened = await openPreview({ environment, loaded, now: () => io.now().getTime() });
  try {
    return await opened.mcpServers();
  } finally {
    await opened.close();
  }
}
