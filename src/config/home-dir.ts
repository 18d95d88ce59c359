// The home directory, on which every other default depends. A variable can move it. If one way to find it fails, the
// next one is tried, so that there is always a home, even in a container without a user.

import os from 'node:os';
import path from 'node:path';

/** The shape of `process.env`. It is passed in everywhere, so that tests and profiles can use their own. */
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

/**
 * Replaces a leading `~` that stands alone or before a separator. `~name` is the home of another user and stays as it
 * is.
 */
export function expandTilde(value: string, home: string): string;
export function expandTilde(value: string, home: string | undefined): string | undefined;
export function expandTilde(value: string, home: string | undefined): string | undefined {
  if (!/^~(?=$|[\\/])/.test(value)) return value;
  return home === undefined ? undefined : home + value.slice(1);
}

/** Shells and launchers sometimes set the words "undefined" and "null" where they meant no value. */
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
