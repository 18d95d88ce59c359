// A server as a process of our own, with one JSON message a line on its standard streams. It leads a process group, so
// that ending it ends whatever it started. Its output is not trusted: lines are bounded, and a server that
// writes too many lines that are not messages is ended.
//
// Knows no protocol: messages go in and out as they are.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject } from '../../protocol/json.ts';
import type { StdioMcpTransport } from '../../protocol/mcp-server.ts';
import { within } from '../../protocol/time-limit.ts';
import { execEnvironment } from '../exec/exec-environment.ts';
import { signalGroup } from '../exec/signal-group.ts';

export interface StdioTransportOptions {
  readonly settings: StdioMcpTransport;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** A line that the server wrote for people. */
  readonly told: (line: string) => void;
}

export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_TOLD_BYTES = 2_000;
/** The most unread bytes, for a server that sends requests and does not read the answers. */
const MAX_UNREAD_BYTES = MAX_MESSAGE_BYTES;
/** Some servers print a greeting on the wrong stream, which is accepted. */
const MAX_STRAY_LINES = 1_000;
const TERM_MS = 2_000;
const KILL_MS = 1_000;
/** For output that is still on its way when the process has gone. */
const FLUSH_MS = 500;

type ServerProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #options: StdioTransportOptions;
  #child: ServerProcess | undefined;
  #gone: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #strayLines = 0;
  #ending = '';
  #isClosed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  /** Why it is gone, as far as that is known: `it ended with code 1`. */
  get ending(): string {
    return this.#ending;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options.settings;
    // Without this check, the error would say that the program is missing.
    if (!(await isFolder(cwd))) throw new Error(`there is no folder ${cwd}`);
    if (this.#isClosed) throw new Error('it was stopped before it began');
    const child = spawn(command, [...args], {
      cwd,
      env: { ...execEnvironment(this.#options.variables, []).variables, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    const output = new BoundedLines(MAX_MESSAGE_BYTES, (line, isCut) => this.#read(line, isCut));
    const told = new BoundedLines(MAX_TOLD_BYTES, (line) => this.#options.told(line));
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => told.push(chunk));
    // When a server is gone, its exit shows it; an error of its streams adds nothing.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    this.#gone = ended(child, (code, signal) => {
      this.#ending ||= signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
      // Processes that it started end with it.
      signalGroup(child.pid, 'SIGKILL');
    }).then(() => {
      told.end();
      living.delete(child);
      this.onclose?.();
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error: NodeJS.ErrnoException) => reject(describeSpawnError(error, command)));
    });
    endWithProcess(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('The server does not listen any more.');
    if (stdin.writableLength > MAX_UNREAD_BYTES) {
      this.#giveUp('it does not read what it is told');
      throw new Error('The server does not listen any more.');
    }
    if (stdin.write(`${JSON.stringify(message)}\n`)) return;
    await Promise.race([this.#untilRead(stdin), this.#gone]);
  }

  /** All senders wait for the same moment, so that many of them hang one listener at the stream. */
  #untilRead(stdin: Writable): Promise<void> {
    this.#reading ??= new Promise((resolve) => {
      stdin.once('drain', () => {
        this.#reading = undefined;
        resolve();
      });
    });
    return this.#reading;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (!child) return;
    child.stdin.end();
    await this.#end(child);
  }

  async #end(child: ServerProcess): Promise<void> {
    signalGroup(child.pid, 'SIGTERM');
    await within(TERM_MS, this.#gone);
    if (!hasEnded(child)) signalGroup(child.pid, 'SIGKILL');
    await within(KILL_MS, this.#gone);
  }

  #read(line: string, isCut: boolean): void {
    const message = isCut ? undefined : parseMessage(line);
    if (message) this.#handOn(message);
    else if (isCut) this.#giveUp(`it wrote a line of more than ${MAX_MESSAGE_BYTES} bytes`);
    else if (line.trim() !== '') this.#stray(line);
  }

  /** An error in the reader of a message ends the server and not the gateway. */
  #handOn(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch {
      this.#giveUp('it sent a message that cannot be read');
    }
  }

  #stray(line: string): void {
    this.#strayLines += 1;
    if (this.#strayLines === 1) this.#options.told(`[not a message] ${line.slice(0, 200)}`);
    if (this.#strayLines > MAX_STRAY_LINES) this.#giveUp('it floods its output with what are no messages');
  }

  #giveUp(why: string): void {
    const child = this.#child;
    if (this.#ending !== '' || !child) return;
    this.#ending = why;
    child.stdout.destroy();
    this.onerror?.(new Error(why));
    void this.#end(child);
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && value.jsonrpc === '2.0' ? (value as unknown as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves when the process is gone and its output is read. Another process may hold the output open, so the wait is limited. */
async function ended(
  child: ServerProcess,
  onExit: (code: number | null, signal: NodeJS.Signals | null) => void,
): Promise<void> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<boolean>((resolve) => {
    child.once('exit', (code, signal) => {
      onExit(code, signal);
      resolve(true);
    });
    // It never began, so that there is neither an exit nor anything to read.
    child.once('error', () => resolve(child.pid !== undefined));
  });
  if (await exited) await within(FLUSH_MS, closed);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

function describeSpawnError(error: NodeJS.ErrnoException, command: string): Error {
  if (error.code === 'ENOENT') return new Error(`there is no program ${command} (ENOENT)`);
  if (error.code === 'EACCES') return new Error(`the program ${command} may not be run (EACCES)`);
  return error;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

function hasEnded({ exitCode, signalCode }: ServerProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** When this process ends without closing anything, its servers are ended too. */
const living = new Set<ServerProcess>();

function endWithProcess(child: ServerProcess): void {
  if (hasEnded(child)) return;
  living.add(child);
  if (process.listeners('exit').includes(endLiving)) return;
  process.on('exit', endLiving);
}

function endLiving(): void {
  for (const child of living) signalGroup(child.pid, 'SIGKILL');
}

const NEWLINE = 10;

export class BoundedLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string, isCut: boolean) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  #isSkipping = false;

  constructor(maxBytes: number, onLine: (line: string, isCut: boolean) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    for (let start = 0; start <= chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, start);
      this.#add(chunk.subarray(start, newline === -1 ? chunk.length : newline));
      if (newline === -1) return;
      if (!this.#isSkipping) this.#emit(false);
      this.#isSkipping = false;
      start = newline + 1;
    }
  }

  /** What stands behind the last line break. */
  end(): void {
    if (this.#size > 0) this.#emit(false);
  }

  #add(piece: Buffer): void {
    if (this.#isSkipping || piece.length === 0) return;
    const room = this.#maxBytes - this.#size;
    this.#pieces.push(piece.subarray(0, room));
    this.#size += Math.min(piece.length, room);
    if (piece.length <= room) return;
    // The line is reported now, because its end may never come.
    this.#isSkipping = true;
    this.#emit(true);
  }

  #emit(isCut: boolean): void {
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line, isCut);
  }
}
