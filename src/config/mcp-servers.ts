// The tool servers that `mcp.servers` names. A server whose entry cannot be understood is not used, and the
// configuration warns about it; it never prevents the start of a gateway.

import type { McpServerSettings, McpTransport } from '../protocol/mcp-server.ts';
import type { ConfigPath } from './config-path.ts';
import { expandTilde } from './home-dir.ts';
import type { Config } from './schema.ts';
import { resolveUserPath } from './user-path.ts';

type WrittenServer = NonNullable<NonNullable<Config['mcp']>['servers']>[string];

const START_SECONDS = 20;
const TIMEOUT_SECONDS = 60;

/** Returns the servers that are on, by name. Their programs run in `home` unless the entry names another folder. */
export function mcpServersOf(config: Config, home: string): readonly McpServerSettings[] {
  return written(config)
    .filter(([, server]) => server.enabled !== false)
    .flatMap(([name, server]) => settingsOf(name, server, home) ?? []);
}

/** Returns one server, even when it is off, or undefined when no usable server has this name. */
export function findMcpServer(config: Config, name: string, home: string): McpServerSettings | undefined {
  const [, server] = written(config).find(([each]) => each === name) ?? [];
  return server && settingsOf(name, server, home);
}

/** Says what is wrong with servers that are on and cannot be used. */
export function listMcpOddities(config: Config): readonly { readonly at: ConfigPath; readonly message: string }[] {
  return written(config).flatMap(([name, server]) => {
    const problem = server.enabled === false ? undefined : problemOf(server);
    if (problem === undefined) return [];
    return { at: ['mcp', 'servers', name], message: `The MCP server ${JSON.stringify(name)} is not used: ${problem}` };
  });
}

/**
 * Sorted by name, so that the same servers give the same tools in the same order, independent of the order in the file.
 */
function written({ mcp }: Config): readonly (readonly [string, WrittenServer])[] {
  return Object.entries(mcp?.servers ?? {}).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function settingsOf(name: string, server: WrittenServer, home: string): McpServerSettings | undefined {
  if (problemOf(server) !== undefined) return undefined;
  return {
    name,
    transport: transportOf(server, home),
    startMs: millisecondsOf(server.startSeconds) ?? server.connectionTimeoutMs ?? START_SECONDS * 1_000,
    timeoutMs: millisecondsOf(server.timeoutSeconds) ?? server.requestTimeoutMs ?? TIMEOUT_SECONDS * 1_000,
    ...(server.toolFilter?.include && { include: server.toolFilter.include }),
    ...(server.toolFilter?.exclude && { exclude: server.toolFilter.exclude }),
  };
}

function millisecondsOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

function transportOf({ command, args, env, cwd, url, headers }: WrittenServer, home: string): McpTransport {
  if (url !== undefined) return { kind: 'http', url: url.trim(), headers: headers ?? {} };
  return {
    kind: 'stdio',
    command: expandTilde(command ?? '', home),
    args: args ?? [],
    env: env ?? {},
    cwd: cwd === undefined || cwd.trim() === '' ? home : resolveUserPath(cwd, home, home),
  };
}

function problemOf({ command, url }: WrittenServer): string | undefined {
  if (command === undefined && url === undefined) return 'it has neither a command nor a url. Write one of them.';
  if (command !== undefined && url !== undefined) return 'it has both a command and a url. Remove one of them.';
  return url === undefined ? undefined : problemOfUrl(url.trim());
}

function problemOfUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return 'its url is no address of the form http://… or https://….';
  if (url.username === '' && url.password === '') return undefined;
  return 'its url has a name or a password in it, which cannot be sent. Write them into headers, as authorization.';
}
