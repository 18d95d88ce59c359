// The tools of all servers, as tools like any other: policy, hooks and approvals do not know where they come from. The
// servers themselves start when they are needed; a server that does not leaves its tools out, and nothing else fails.

import type { McpServerSettings } from '../../protocol/mcp-server.ts';
import { matchesGlob } from '../policy/decide-tool.ts';
import type { Tool } from '../tool.ts';
import type { ListedTool } from './listed-tool.ts';
import { McpServer, type McpServerParts, type McpServerStatus } from './mcp-server.ts';
import { mcpToolNames } from './mcp-tool-names.ts';

export type McpServersParts = Omit<McpServerParts, 'idleMs'> & { readonly idleMs?: number | undefined };

const IDLE_MS = 10 * 60_000;
/** A call may have to wait for its server. The limits of the server come first, because their messages say more. */
const SPARE_MS = 5_000;

export class McpServers {
  readonly #servers: readonly McpServer[];
  #built: { readonly from: readonly Offer[]; readonly tools: readonly Tool[] } = { from: [], tools: [] };

  constructor(servers: readonly McpServerSettings[], parts: McpServersParts) {
    const { idleMs = IDLE_MS } = parts;
    this.#servers = servers.map((settings) => new McpServer(settings, { ...parts, idleMs }));
  }

  /** Returns the tools in a stable order, and the same list again as long as no server offers anything else. Never rejects. */
  async tools(): Promise<readonly Tool[]> {
    const from = await Promise.all(
      this.#servers.map(async (server): Promise<Offer> => ({ server, listed: (await server.tools()) ?? NONE })),
    );
    const isSame =
      from.length === this.#built.from.length &&
      from.every(({ listed }, index) => listed === this.#built.from[index]?.listed);
    if (!isSame) this.#built = { from, tools: buildTools(from) };
    return this.#built.tools;
  }

  statuses(): Promise<readonly McpServerStatus[]> {
    return Promise.all(this.#servers.map((server) => server.status()));
  }

  /** One sentence for each server that fails. */
  get warnings(): readonly string[] {
    return this.#servers.flatMap(({ warning }) => warning ?? []);
  }

  /** Ends every server; resolves when their processes are gone. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

interface Offer {
  readonly server: McpServer;
  readonly listed: readonly ListedTool[];
}

const NONE: readonly ListedTool[] = [];

function buildTools(offers: readonly Offer[]): readonly Tool[] {
  const all = offers.flatMap(({ server, listed }) =>
    listed.filter(({ name }) => isOffered(name, server.settings)).map((tool) => ({ server, tool })),
  );
  const names = mcpToolNames(all.map(({ server, tool }) => ({ server: server.settings.name, tool: tool.name })));
  return all.flatMap(({ server, tool }, index) => {
    const name = names[index];
    return name === undefined ? [] : toolOf(name, server, tool);
  });
}

/** What the operator's `toolFilter` leaves of the tools of a server. */
function isOffered(name: string, { include, exclude = [] }: McpServer['settings']): boolean {
  const isIn = (patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(pattern, name));
  return (include === undefined || isIn(include)) && !isIn(exclude);
}

function toolOf(name: string, server: McpServer, { name: own, description, parameters, idempotent }: ListedTool): Tool {
  const { startMs, timeoutMs } = server.settings;
  return {
    name,
    description,
    parameters,
    idempotent,
    owner: 'bundle-mcp',
    timeoutMs: startMs + timeoutMs + SPARE_MS,
    run: (params, { signal }) => server.call(own, params, signal),
  };
}
