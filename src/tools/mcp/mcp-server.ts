// One server: started when it is needed, stopped when it is not, and left alone for a while when it fails. It promises
// that at most one process or connection is there at a time, that none is there after `close`, and that a call which
// may have reached a server is never made twice.
//
// A server that died is started again by the next call that needs it, when its pause is over. Its tools are known from the
// last listing, so that they can be offered while it does not run.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../protocol/json.ts';
import type { McpServerSettings, McpTransport } from '../../protocol/mcp-server.ts';
import { errorText, oneLine } from '../../protocol/one-line.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import type { Store } from '../../store/store.ts';
import { McpServerDownError, McpStartTimeoutError } from '../errors.ts';
import type { ToolOutput } from '../tool.ts';
import type { McpConnection } from './connect-mcp.ts';
import { type ListedTool, type Listing, readStoredTools } from './listed-tool.ts';
import { readCallResult } from './read-call-result.ts';

export interface McpServerParts {
  readonly store: Store;
  /** The variables from which the environment of programs is made. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** One line for the operator. */
  readonly warn: (sentence: string) => void;
  /** How long a server that is not used keeps running. */
  readonly idleMs: number;
  /** False for a preview: then only the stored tools are used. */
  readonly mayStart: boolean;
}

export interface McpServerStatus {
  readonly name: string;
  readonly transport: McpTransport['kind'];
  /** The program, or the address without what may be secret in it. */
  readonly target: string;
  readonly state: 'stopped' | 'starting' | 'running' | 'failed';
  /** Null while it has never been asked. */
  readonly tools: number | null;
  readonly listedAt: number | null;
  /** What went wrong last; null once it works again. */
  readonly error: string | null;
}

interface KnownListing {
  readonly tools: readonly ListedTool[];
  readonly listedAt: number;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Between two looks at the tools of a server that keeps announcing new ones. */
const RELIST_PAUSE_MS = 1_000;
/** Part of every fingerprint: another way to read listings makes old ones void. */
const LISTING_FORM = 1;

export class McpServer {
  readonly settings: McpServerSettings;
  readonly #parts: McpServerParts;
  readonly #fingerprint: string;
  readonly #log: ServerLog;
  readonly #stop = new AbortController();
  #connection: McpConnection | undefined;
  #starting: Promise<McpConnection> | undefined;
  readonly #ending = new Set<Promise<void>>();
  #listing: KnownListing | undefined;
  #reading: Promise<void> | undefined;
  #relisting: 'no' | 'now' | 'again' = 'no';
  #failures = 0;
  #notBefore = 0;
  #error: string | undefined;
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(settings: McpServerSettings, parts: McpServerParts) {
    this.settings = settings;
    this.#parts = parts;
    this.#fingerprint = fingerprintOf(settings.transport);
    this.#log = new ServerLog(settings.name, parts);
  }

  /** What it offers; undefined when that is not known and cannot be found out now. Never rejects. */
  async tools(): Promise<readonly ListedTool[] | undefined> {
    this.#reading ??= this.#readKept();
    await this.#reading;
    const known = this.#listing?.tools;
    if (known || !this.#parts.mayStart) return known;
    const isFirstTry = this.#failures === 0;
    const opened = this.#open().then(
      () => this.#listing?.tools,
      () => undefined,
    );
    // Only the first run waits for a server. A server that failed is tried again while runs go on without it.
    return isFirstTry ? opened : undefined;
  }

  /** Rejects as `connect-mcp.ts` says, and with McpServerDownError while the server is left alone. */
  async call(tool: string, params: JsonObject, signal: AbortSignal): Promise<ToolOutput> {
    this.#calls += 1;
    try {
      const connection = await this.#open();
      signal.throwIfAborted();
      const result = await connection.call(tool, params, signal);
      this.#failures = 0;
      return readCallResult(result);
    } finally {
      this.#calls -= 1;
      this.#restLater();
    }
  }

  async status(): Promise<McpServerStatus> {
    this.#reading ??= this.#readKept();
    await this.#reading;
    const { name, transport } = this.settings;
    return {
      name,
      transport: transport.kind,
      target: targetOf(transport),
      state: this.#state(),
      tools: this.#listing?.tools.length ?? null,
      listedAt: this.#listing?.listedAt ?? null,
      error: this.#error ?? null,
    };
  }

  /** What an operator should know; undefined while all is well. */
  get warning(): string | undefined {
    return this.#state() === 'failed' ? this.#error : undefined;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('The gateway is stopping.'));
    await this.#starting?.catch(() => undefined);
    this.#rest();
    await Promise.all(this.#ending);
  }

  #state(): McpServerStatus['state'] {
    if (this.#connection) return 'running';
    if (this.#starting) return 'starting';
    return this.#error === undefined ? 'stopped' : 'failed';
  }

  async #open(): Promise<McpConnection> {
    this.#stop.signal.throwIfAborted();
    if (this.#connection) return this.#connection;
    const pauseMs = this.#starting ? 0 : this.#notBefore - this.#parts.now();
    if (pauseMs > 0)
      throw new McpServerDownError({
        server: this.settings.name,
        reason: this.#error ?? '',
        seconds: Math.ceil(pauseMs / 1_000),
      });
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<McpConnection> {
    const { name, startMs } = this.settings;
    const { variables } = this.#parts;
    const limit = timeLimit(
      startMs,
      () => new McpStartTimeoutError({ server: name, seconds: startMs / 1_000 }),
      this.#stop.signal,
    );
    this.#log.begin();
    let connection: McpConnection | undefined;
    try {
      // The connection before this one may still be closing.
      await Promise.all(this.#ending);
      const { connectMcp } = await import('./connect-mcp.ts');
      connection = await connectMcp(this.settings, {
        variables,
        signal: limit.signal,
        told: (line) => this.#log.told(line),
        onToolsChanged: () => void this.#relist(),
      });
      const listing = await connection.list(limit.signal);
      this.#stop.signal.throwIfAborted();
      this.#connection = connection;
      void connection.closed.then((why) => this.#lost(connection, why));
      this.#error = undefined;
      await this.#keep(listing);
      this.#restLater();
      return connection;
    } catch (error) {
      if (connection) await connection.close();
      this.#connection = undefined;
      const told = limit.signal.aborted ? limit.signal.reason : error;
      if (!this.#stop.signal.aborted) this.#failed(errorText(told));
      throw told;
    } finally {
      limit.clear();
    }
  }

  /** It ended by itself. */
  #lost(connection: McpConnection | undefined, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    clearTimeout(this.#idle);
    this.#failed(
      `The MCP server ${JSON.stringify(this.settings.name)} went away: ${why || 'the reason is not known'}.`,
    );
  }

  #failed(why: string): void {
    const said = this.#log.last;
    this.#error = said === '' ? why : `${why} It had said: ${said}`;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBefore = this.#parts.now() + pauseMs;
    this.#parts.warn(this.#error);
  }

  #restLater(): void {
    clearTimeout(this.#idle);
    if (!this.#connection || this.#calls > 0) return;
    this.#idle = setTimeout(() => this.#rest(), this.#parts.idleMs);
    this.#idle.unref();
  }

  /** Stops a server that is not needed, which is no failure. */
  #rest(): void {
    clearTimeout(this.#idle);
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    const ended = connection.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  async #relist(): Promise<void> {
    if (this.#relisting !== 'no') {
      this.#relisting = 'again';
      return;
    }
    const connection = this.#connection;
    try {
      do {
        this.#relisting = 'now';
        if (!connection || connection !== this.#connection) return;
        const limit = timeLimit(this.settings.startMs, () => new Error('it did not answer'), this.#stop.signal);
        await this.#keep(await connection.list(limit.signal).finally(limit.clear));
        await sleep(RELIST_PAUSE_MS, undefined, { ref: false, signal: this.#stop.signal });
      } while (this.#isAskedAgain());
    } catch {
      // The known tools stay. When the server is gone, the end of its connection shows it.
    } finally {
      this.#relisting = 'no';
    }
  }

  #isAskedAgain(): boolean {
    return this.#relisting === 'again';
  }

  async #readKept(): Promise<void> {
    const { name } = this.settings;
    try {
      const [row] = await this.#parts.store.select('toolListings', { where: { server: name }, limit: 1 });
      if (row?.fingerprint !== this.#fingerprint) return;
      this.#listing ??= { tools: readStoredTools(row.tools), listedAt: row.listedAt };
    } catch (error) {
      this.#parts.warn(`What the MCP server ${JSON.stringify(name)} offers could not be read: ${errorText(error)}`);
    }
  }

  async #keep({ tools, remarks }: Listing): Promise<void> {
    const { store, now, warn } = this.#parts;
    const { name: server } = this.settings;
    const isKnown = JSON.stringify(tools) === JSON.stringify(this.#listing?.tools);
    const listedAt = now();
    // The same list stays the same object, so that the tools are not built again.
    this.#listing = { tools: isKnown ? (this.#listing?.tools ?? tools) : tools, listedAt };
    if (isKnown) return;
    for (const remark of remarks) warn(`The MCP server ${JSON.stringify(server)}: ${remark}`);
    try {
      const row = { server, fingerprint: this.#fingerprint, tools, listedAt };
      await store.commit(
        [
          { remove: 'toolListings', where: { server } },
          { insert: 'toolListings', row },
        ],
        { site: 'tool-listing', lazy: true },
      );
    } catch (error) {
      warn(`What the MCP server ${JSON.stringify(server)} offers could not be kept: ${errorText(error)}`);
    }
  }
}

/** Another program, address, environment or account may offer something else. */
function fingerprintOf(transport: McpTransport): string {
  return createHash('sha256')
    .update(JSON.stringify([LISTING_FORM, transport]))
    .digest('hex')
    .slice(0, 32);
}

function targetOf(transport: McpTransport): string {
  if (transport.kind === 'stdio') return transport.command;
  const { origin, pathname } = new URL(transport.url);
  return `${origin}${pathname}`;
}

export interface ServerLogParts {
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

const MAX_LINE_CHARS = 500;
const MAX_LINES = 30;
const WINDOW_MS = 60_000;

class ServerLog {
  readonly #name: string;
  readonly #parts: ServerLogParts;
  #last = '';
  #windowEnd = 0;
  #lines = 0;

  constructor(name: string, parts: ServerLogParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** Since the last start; empty when it said nothing. */
  get last(): string {
    return this.#last;
  }

  begin(): void {
    this.#last = '';
  }

  told(line: string): void {
    const plain = oneLine(line, MAX_LINE_CHARS);
    if (plain === '') return;
    this.#last = plain;
    const now = this.#parts.now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + WINDOW_MS;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= MAX_LINES) this.#parts.warn(`mcp ${this.#name}: ${this.#last}`);
    else if (this.#lines === MAX_LINES + 1)
      this.#parts.warn(`mcp ${this.#name}: it says more than is worth writing down.`);
  }
}
