// Runs a program for a plugin and waits for it, never longer than it was given. Output is bounded; a program that
// overruns is killed. The program inherits the environment that the plugin itself runs in.

import { spawn } from 'node:child_process';
import { env as inherited } from 'node:process';
import type { Readable } from 'node:stream';

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly cwd?: string | undefined;
  readonly input?: string | Uint8Array | undefined;
  /** Added to what is inherited. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly noOutputTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandResult {
  readonly pid?: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly killed: boolean;
  readonly termination: 'exit' | 'timeout' | 'no-output-timeout' | 'signal';
  readonly noOutputTimedOut?: boolean | undefined;
}

/** Rejects when there is no such program. */
export function runCommandWithTimeout(
  argv: readonly string[],
  optionsOrTimeout: number | CommandOptions,
): Promise<CommandResult> {
  const options = typeof optionsOrTimeout === 'number' ? { timeoutMs: optionsOrTimeout } : optionsOrTimeout;
  const [command = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const { cwd, env, input, noOutputTimeoutMs, signal } = options as CommandOptions;
    const child = spawn(command, args, { cwd, env: { ...inherited, ...env }, stdio: 'pipe', shell: false });
    let termination: CommandResult['termination'] | undefined;
    const end = (why: CommandResult['termination']) => {
      termination ??= why;
      child.kill('SIGKILL');
    };
    const overall = setTimeout(() => end('timeout'), options.timeoutMs);
    let silence: NodeJS.Timeout | undefined;
    const heard = () => {
      clearTimeout(silence);
      if (noOutputTimeoutMs) silence = setTimeout(() => end('no-output-timeout'), noOutputTimeoutMs);
    };
    const stopped = () => end('signal');
    signal?.addEventListener('abort', stopped);
    if (signal?.aborted) stopped();
    const stdout = bounded(child.stdout, heard);
    const stderr = bounded(child.stderr, heard);
    heard();
    const settle = () => {
      clearTimeout(overall);
      clearTimeout(silence);
      signal?.removeEventListener('abort', stopped);
    };
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    child.on('close', (code, killedBy) => {
      settle();
      resolve({
        pid: child.pid,
        stdout: stdout(),
        stderr: stderr(),
        code,
        signal: killedBy,
        killed: child.killed,
        termination: termination ?? (killedBy ? 'signal' : 'exit'),
        noOutputTimedOut: termination === 'no-output-timeout' ? true : undefined,
      });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** The same, for plugins that want a number whatever happens. */
export async function runPluginCommandWithTimeout({
  argv,
  ...options
}: CommandOptions & { readonly argv: readonly string[] }): Promise<{ code: number; stdout: string; stderr: string }> {
  if (!argv[0]) return { code: 1, stdout: '', stderr: 'No command was given.' };
  try {
    const { code, stdout, stderr, termination } = await runCommandWithTimeout(argv, options);
    const why = termination === 'timeout' ? `The command did not end within ${options.timeoutMs} ms.` : '';
    return { code: code ?? 1, stdout, stderr: stderr || why };
  } catch (error) {
    return { code: 1, stdout: '', stderr: (error as Error).message };
  }
}

/** Rejects unless the program ended with 0. */
export async function runExec(
  command: string,
  args: readonly string[],
  options: number | { readonly timeoutMs?: number; readonly cwd?: string } = {},
): Promise<{ stdout: string; stderr: string }> {
  const { timeoutMs = 10_000, cwd } = typeof options === 'number' ? { timeoutMs: options } : options;
  const { code, stdout, stderr } = await runCommandWithTimeout([command, ...args], { timeoutMs, cwd });
  if (code === 0) return { stdout, stderr };
  throw Object.assign(new Error(`${command} ended with ${code ?? 'a signal'}: ${stderr.slice(0, 500)}`), {
    code,
    stdout,
    stderr,
  });
}

interface MediaOptions {
  readonly timeoutMs?: number;
  readonly input?: string | Uint8Array;
}

/** What ffprobe says; rejects where it is not installed. */
export function runFfprobe(args: readonly string[], { timeoutMs = 10_000, input }: MediaOptions = {}): Promise<string> {
  return runMediaProgram('ffprobe', args, { timeoutMs, input });
}

export function runFfmpeg(args: readonly string[], { timeoutMs = 45_000, input }: MediaOptions = {}): Promise<string> {
  return runMediaProgram('ffmpeg', args, { timeoutMs, input });
}

async function runMediaProgram(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr, termination } = await runCommandWithTimeout([program, ...args], options);
  if (code === 0) return stdout;
  const why = termination === 'timeout' ? `did not end within ${options.timeoutMs} ms` : `ended with ${code}`;
  throw new Error(`${program} ${why}: ${stderr.trim().slice(-500)}`);
}

const MAX_OUTPUT = 4 * 1024 * 1024;

/** Keeps the last part of what a stream gives, and tells of every piece. */
function bounded(stream: Readable, heard: () => void): () => string {
  let chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    heard();
    chunks.push(chunk);
    size += chunk.length;
    if (size <= 2 * MAX_OUTPUT) return;
    chunks = [Buffer.concat(chunks).subarray(-MAX_OUTPUT)];
    size = MAX_OUTPUT;
  });
  return () => Buffer.concat(chunks).subarray(-MAX_OUTPUT).toString('utf8');
}
