// The variables that the login shell of the operator sets, for those who keep keys in their profile and start the
// gateway from elsewhere. The shell is run once, without a terminal, and is ended when it takes too long. Only variables
// that were asked for are taken. Never throws.

import { execFile } from 'node:child_process';
import type { AddedVariable } from './env-files.ts';

export interface LoginShell {
  readonly shell: string;
  readonly timeoutMs: number;
  readonly home: string;
  /** The names that are wanted; the shell is not run for none. */
  readonly names: readonly string[];
}

export interface LoginShellAnswer {
  readonly added: readonly AddedVariable[];
  readonly problem?: string | undefined;
}

export const DEFAULT_SHELL_TIMEOUT_MS = 15_000;

export async function readLoginShell({ shell, timeoutMs, home, names }: LoginShell): Promise<LoginShellAnswer> {
  if (names.length === 0) return { added: [] };
  const wanted = new Set(names);
  const { output, problem } = await printVariables(shell, timeoutMs, home);
  if (output === undefined) return { added: [], problem: `The login shell ${shell} was not read: ${problem}.` };
  const added = output.split('\0').flatMap((line) => {
    // What a profile prints stands before the first variable, and ends where a line begins with a name.
    const match = /(?:^|\n)([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(line);
    const [, name = '', value = ''] = match ?? [];
    return wanted.has(name) && value.trim() !== '' ? [{ name, value, from: `the login shell ${shell}` }] : [];
  });
  return { added };
}

function printVariables(
  shell: string,
  timeoutMs: number,
  home: string,
): Promise<{ readonly output?: string; readonly problem?: string }> {
  return new Promise((resolve) => {
    const env = { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', TERM: 'dumb' };
    const options = { env, timeout: timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: 2 * 1024 * 1024 };
    const child = execFile(shell, ['-l', '-c', 'env -0'], options, (error, stdout) => {
      if (!error) resolve({ output: stdout });
      else resolve({ problem: error.killed ? `it took more than ${timeoutMs} ms` : `it ended with ${error.code}` });
    });
    child.stdin?.end();
  });
}
