// The state directory, which has the configuration, the sessions, the hooks and the data of each agent of one
// installation. A home from before the product was renamed keeps working where it is.

import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type EnvironmentVariables, resolveHomeDir } from './home-dir.ts';
import { resolveUserPath } from './user-path.ts';

export const STATE_DIRNAME = '.openclaw';
const LEGACY_STATE_DIRNAMES = ['.clawdbot', '.moltbot', '.moldbot'];

export function resolveStateDir(
  env: EnvironmentVariables = process.env,
  homedir: () => string = os.homedir,
  cwd: string = process.cwd(),
): string {
  const home = resolveHomeDir(env, homedir, cwd);
  const moved = env.OPENCLAW_STATE_DIR?.trim();
  if (moved) return resolveUserPath(moved, home, cwd);
  const current = path.join(home, STATE_DIRNAME);
  if (isDirectory(current)) return current;
  return LEGACY_STATE_DIRNAMES.map((name) => path.join(home, name)).find(isDirectory) ?? current;
}

/** True for a directory, or a link to one, that this process can see. */
export function isDirectory(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
