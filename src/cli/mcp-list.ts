// `atrium mcp list`: the servers of tools and how they do. A running gateway is asked; without one, the store says what
// they offered last. Nothing is started.

import { loadConfig } from '../config/load-config.ts';
import type { Services } from '../gateway/services/services.ts';
import type { CliIo } from './cli-io.ts';
import type { AddCommand } from './commands.ts';
import { GatewayDownError } from './errors.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { mcpGroup } from './mcp-group.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { formatConfigWarning } from './output/warnings.ts';

type McpServers = Awaited<ReturnType<Services['tools']['mcpServers']>>;

export const addMcpList: AddCommand = (program, io) => {
  mcpGroup(program)
    .command('list')
    .description('list the MCP servers with their state and what went wrong last')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium mcp list
  $ atrium mcp list --json | jq '.servers[] | select(.error)'

A server that is stopped is started when one of its tools is needed.`,
    )
    .action(async (flags: { readonly json?: boolean }) => {
      const told = await askGateway(io);
      const servers = told ?? (await look(io));
      if (flags.json) {
        io.out(`${JSON.stringify({ servers }, null, 2)}\n`);
        return;
      }
      if (servers.length === 0) {
        io.out(told ? NONE_IN_GATEWAY : NONE);
        return;
      }
      io.out(
        formatTable(
          servers,
          [
            { title: 'server', cell: (server) => server.name },
            { title: 'speaks', cell: (server) => server.transport },
            { title: 'state', cell: (server) => server.state },
            { title: 'tools', cell: (server) => (server.tools === null ? 'not asked yet' : String(server.tools)) },
            { title: 'what', cell: (server) => server.target },
            { title: 'last error', cell: (server) => server.error ?? '' },
          ],
          outputWidth(io),
        ),
      );
    });
};

const NONE = 'There are no MCP servers. Name one in the configuration, under mcp.servers.\n';
/** It has read its configuration when it was started. */
const NONE_IN_GATEWAY =
  'The running gateway has no MCP servers. Name one in the configuration, under mcp.servers, and start it again.\n';

/** Undefined when no gateway is running. */
async function askGateway(io: CliIo): Promise<McpServers | undefined> {
  try {
    const client = await openGatewayClient(io);
    return (await client.get<{ servers: McpServers }>('/api/mcp')).servers;
  } catch (error) {
    if (error instanceof GatewayDownError) return undefined;
    throw error;
  }
}

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
