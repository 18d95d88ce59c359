// Starts one server of tools for a moment, to see whether it works and what it offers. Nothing is stored, and the
// server has ended when this returns.
// Errors: rejects as `connect-mcp.ts` says, and with McpStartTimeoutError when the server is not ready in time.

import type { McpServerSettings } from '../../protocol/mcp-server.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { McpStartTimeoutError } from '../../tools/errors.ts';
import { connectMcp } from '../../tools/mcp/connect-mcp.ts';
import type { ListedTool } from '../../tools/mcp/listed-tool.ts';
import { mcpToolNames } from '../../tools/mcp/mcp-tool-names.ts';

export interface TriedMcpServer {
  readonly tools: readonly (ListedTool & { readonly offeredAs: string })[];
  /** One sentence for each reason why some tools are left out. */
  readonly remarks: readonly string[];
}

export interface TryMcpOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Called with each line that the server wrote for people. */
  readonly told: (line: string) => void;
}

export async function tryMcpServer(settings: McpServerSettings, options: TryMcpOptions): Promise<TriedMcpServer> {
  const { name, startMs } = settings;
  const limit = timeLimit(startMs, () => new McpStartTimeoutError({ server: name, seconds: startMs / 1_000 }));
  try {
    const connection = await connectMcp(settings, { ...options, onToolsChanged: () => {}, signal: limit.signal });
    const { tools, remarks } = await connection.list(limit.signal).finally(connection.close);
    // The names that a gateway uses when no other server has tools of the same names.
    const names = mcpToolNames(tools.map((tool) => ({ server: name, tool: tool.name })));
    return { tools: tools.map((tool, index) => ({ ...tool, offeredAs: names[index] ?? tool.name })), remarks };
  } finally {
    limit.clear();
  }
}
