// Runs one command to its end in a process group of its own, with nothing to read. When its time is over, or no caller wants
// it any longer, the whole group is asked to end and then made to; whatever it leaves behind in its group ends with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { within } from '../../protocol/time-limit.ts';
import type { CommandOutput } from './command-output.ts';
import { endGroup, signalGroup } from './signal-group.ts';

export interface SpawnedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** How the program is told its own name. */
  readonly argv0: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface RunLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Between asking to end and making it end. */
  readonly graceMs?: number | undefined;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended; undefined when it ended by itself. */
  readonly endedFor: 'time' | 'stop' | 'output' | undefined;
  /** True when something that it had started went on without it and was ended too. */
  readonly leftSomething: boolean;
}

const GRACE_MS = 2_000;
/** Output that is under way when a command ends has so long to arrive. */
const LAST_OUTPUT_MS = 250;
/** What a command leaves behind has so long to end by itself. */
const LEFT_BEHIND_MS = 500;
/** Far more than a model reads, and reading on would keep the gateway from its work. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Rejects when the program cannot be started at all. */
export async function runCommand(
  { file, args, argv0, cwd, env }: SpawnedCommand,
  output: CommandOutput,
  { timeoutMs, signal, graceMs = GRACE_MS }: RunLimits,
): Promise<CommandEnd> {
  signal.throwIfAborted();
  const child = spawn(file, args, { argv0, cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let endedFor: CommandEnd['endedFor'];
  let forced: NodeJS.Timeout | undefined;
  const end = (why: CommandEnd['endedFor']) => {
    if (endedFor !== undefined) return;
    endedFor = why;
    signalGroup(child.pid, 'SIGTERM');
    forced = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
  };
  const stop = () => end('stop');
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end('time'), timeoutMs);
  const collect = (chunk: Buffer) => {
    output.add(chunk);
    if (output.bytes > MOST_OUTPUT_BYTES) end('output');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    const exit = await exitOf(child);
    clearTimeout(timer);
    await within(LAST_OUTPUT_MS, closed);
    const leftSomething = await endGroup(child.pid, LEFT_BEHIND_MS);
    // What has left the group as well is out of reach; its output is not waited for.
    if (!(await within(LAST_OUTPUT_MS, closed))) {
      child.stdout.destroy();
      child.stderr.destroy();
    }
    return { ...exit, endedFor, leftSomething };
  } finally {
    clearTimeout(timer);
    clearTimeout(forced);
    signal.removeEventListener('abort', stop);
  }
}

function exitOf(child: ChildProcess): Promise<Pick<CommandEnd, 'exitCode' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
