// A server of tools that speaks the Model Context Protocol, as the configuration describes it. The folder that reads
// settings and the folder that starts servers share only this type.

export interface McpServerSettings {
  readonly name: string;
  readonly transport: McpTransport;
  /** The time limit from the start of the server to its list of tools. */
  readonly startMs: number;
  /** The time limit for one call. */
  readonly timeoutMs: number;
  /** The only tools that are offered, as names or globs with `*`. Without it, all of them are. */
  readonly include?: readonly string[] | undefined;
  /** The tools that are never offered. */
  readonly exclude?: readonly string[] | undefined;
}

export type McpTransport = StdioMcpTransport | HttpMcpTransport;

/** A program that speaks over its standard streams. */
export interface StdioMcpTransport {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the program gets besides the harmless ones. */
  readonly env: Readonly<Record<string, string>>;
  /** An absolute path. */
  readonly cwd: string;
}

/** A remote server that speaks streamable HTTP. */
export interface HttpMcpTransport {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
