// A server of tools that speaks the Model Context Protocol, as the configuration names it: the folder that reads
// settings and the one that starts servers share this and nothing else.

export interface McpServerSettings {
  readonly name: string;
  readonly transport: McpTransport;
  /** From the start to its list of tools. */
  readonly startMs: number;
  /** For one call. */
  readonly timeoutMs: number;
}

export type McpTransport = StdioMcpTransport | HttpMcpTransport;

/** A program that speaks over its standard streams. */
export interface StdioMcpTransport {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Besides the harmless variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** A server elsewhere that speaks streamable HTTP. */
export interface HttpMcpTransport {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
