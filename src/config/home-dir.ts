// The home directory that every other default hangs from. It can be moved by a variable, and falls back step by step
// so that there always is one, even in a container without a user.

import os from 'node:os';
import path from 'node:path';

/** The shape of `process.env`; handed in everywhere so that tests and profiles can bring their own. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export function resolveHomeDir(
  env: EnvironmentVariables = process.env,
  homedir: () => string = os.homedir,
  cwd: string = process.cwd(),
): string {
  const own = given(env.HOME) ?? given(env.USERPROFILE) ?? given(orUndefined(homedir));
  const moved = given(env.OPENCLAW_HOME);
  const home = moved === undefined ? own : expandTilde(moved, own);
  return path.resolve(cwd, home ?? cwd);
}

/** Replaces a leading `~`, alone or before a separator. `~name` is somebody else's home and is left as it stands. */
export function expandTilde(value: string, home: string): string;
export function expandTilde(value: string, home: string | undefined): string | undefined;
export function expandTilde(value: string, home: string | undefined): string | undefined {
  if (!/^~(?=$|[\\/])/.test(value)) return value;
  return home === undefined ? undefined : home + value.slice(1);
}

/** Shells and launchers leave the words "undefined" and "null" behind where they meant nothing. */
function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === undefined || trimmed === '' || trimmed === 'undefined' || trimmed === 'null' ? undefined : trimmed;
}

/** `os.homedir` throws where the user has no entry in the password file. */
function orUndefined(homedir: () => string): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
