// The built `atrium` command as a process, with pipes or with a terminal, on the test's own home. Its output is
// collected as it comes, so that a test can wait for a sentence and then type.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '../config/environment.ts';
import { within } from '../protocol/time-limit.ts';

export interface AtriumProcessSettings {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Uses a terminal of 80 columns instead of pipes, only where `hasTerminals` is true. */
  readonly isTerminal?: boolean | undefined;
  /** A command that runs the one behind it under some restriction, such as `['setpriv', '…']`. */
  readonly under?: readonly string[] | undefined;
}

const COMMAND = join(fileURLToPath(new URL('../..', import.meta.url)), 'dist', 'cli', 'main.js');
/** No successful step takes this long, not even on a busy machine. */
const PATIENCE_MS = 45_000;

/** True where a test can create a terminal. */
export const hasTerminals = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') === true;

export class AtriumProcess {
  out = '';
  err = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #watchers = new Set<() => void>();
  #isOver = false;

  constructor(argv: readonly string[], { home, env, isTerminal, under = [] }: AtriumProcessSettings) {
    const command = [...under, process.execPath, COMMAND, ...argv];
    const [program = '', ...args] = isTerminal
      ? ['script', '-qefc', `stty cols 80 rows 40; exec ${command.map(quoted).join(' ')}`, '/dev/null']
      : command;
    this.#child = spawn(program, args, {
      cwd: home,
      env: { PATH: readEnvironment().variables.PATH, HOME: home, TZ: 'UTC', TERM: 'xterm', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.out += text;
      this.#tell();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.err += text;
      this.#tell();
    });
    // A process that has ended takes no more input.
    this.#child.stdin?.on('error', () => {});
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code) => {
        this.#isOver = true;
        this.#tell();
        resolve(code);
      });
    });
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when the process has printed this, on either stream, after the first `from` characters of the output. */
  async until(said: string | RegExp, from = 0): Promise<void> {
    await this.#patiently(
      (async () => {
        for (;;) {
          const text = this.out.slice(from) + this.err;
          if (typeof said === 'string' ? text.includes(said) : said.test(text)) return;
          if (this.#isOver) throw new Error(`It ended without saying ${said}. It said:\n${this.out}${this.err}`);
          await new Promise<void>((resolve) => this.#watchers.add(resolve));
        }
      })(),
      `to say ${said}`,
    );
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#patiently(this.#ended, 'to end');
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }

  async #patiently<Value>(promise: Promise<Value>, what: string): Promise<Value> {
    if (await within(PATIENCE_MS, promise)) return promise;
    throw new Error(`atrium took too long ${what}. It said:\n${this.out}${this.err}`);
  }
}

/** Runs a command to its end. */
export async function runAtrium(
  argv: readonly string[],
  { input, ...settings }: AtriumProcessSettings & { readonly input?: string | undefined },
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const process = new AtriumProcess(argv, settings);
  if (input !== undefined) process.type(input);
  process.endInput();
  const code = await process.ended();
  return { code, out: process.out, err: process.err };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
