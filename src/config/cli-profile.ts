// `--profile NAME` on the command line means a second installation beside the first. It sets three variables before any
// code reads them. A variable that the person has set wins over the profile.

import os from 'node:os';
import path from 'node:path';
import { type EnvironmentVariables, resolveHomeDir } from './home-dir.ts';
import { STATE_DIRNAME } from './state-dir.ts';

const DEV_GATEWAY_PORT = '19001';

/** Returns the variables under the profile. A blank name changes nothing, and `env` itself is never changed. */
export function applyCliProfileEnv(
  profile: string,
  env: EnvironmentVariables = process.env,
  homedir: () => string = os.homedir,
): EnvironmentVariables {
  const name = profile.trim();
  if (name === '') return env;
  const stateDir = env.OPENCLAW_STATE_DIR?.trim() || path.join(resolveHomeDir(env, homedir), profileStateDirname(name));
  return {
    ...env,
    OPENCLAW_PROFILE: name,
    OPENCLAW_STATE_DIR: stateDir,
    OPENCLAW_CONFIG_PATH: env.OPENCLAW_CONFIG_PATH?.trim() || path.join(stateDir, 'openclaw.json'),
    ...(name === 'dev' && { OPENCLAW_GATEWAY_PORT: env.OPENCLAW_GATEWAY_PORT?.trim() || DEV_GATEWAY_PORT }),
  };
}

/** The profile `default`, in upper or lower case, is not a named profile. */
export function isNamedProfile(profile: string | undefined): profile is string {
  const name = profile?.trim();
  return name !== undefined && name !== '' && name.toLowerCase() !== 'default';
}

function profileStateDirname(name: string): string {
  return isNamedProfile(name) ? `${STATE_DIRNAME}-${name}` : STATE_DIRNAME;
}
