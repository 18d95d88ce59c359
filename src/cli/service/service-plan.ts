// What a service of this machine would run: which program, for which state directory, with which variables. No key is among
// them: a gateway reads `<state>/.env` by itself, and a file of a service can be read by others.

import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { ServiceProgramMissingError } from '../errors.ts';
import { productFolder } from '../product-folder.ts';

export interface ServicePlan {
  /** `atrium`, or `atrium-work` for the profile `work`. */
  readonly name: string;
  /** The words of the command line. */
  readonly program: readonly string[];
  /** Variables that say where things are. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stateDir: string;
  /** A file with further variables, which the service manager reads at each start. */
  readonly envFile: string | undefined;
  /** How long a stop may take before the process is killed. */
  readonly stopSeconds: number;
}

/** The first line of every file that we write; a file without it is somebody else's. */
export const MARK = 'Written by "atrium service install". A new install replaces it, uninstall removes it.';

/** Variables that change where a gateway looks, as far as they are set here. */
const PLACES = [
  ...['OPENCLAW_HOME', 'OPENCLAW_STATE_DIR', 'OPENCLAW_CONFIG_PATH', 'OPENCLAW_PROFILE', 'OPENCLAW_WORKSPACE_DIR'],
  ...['OPENCLAW_NIX_MODE', 'TZ'],
] as const;

/** Time to close files and connections after running work has got its time. */
const CLOSING_SECONDS = 25;

export function planService(
  environment: Environment,
  given: { readonly envFile?: string | undefined; readonly drainSeconds: number },
): ServicePlan {
  const { profile, variables, origins, stateDir } = environment;
  const main = join(productFolder(), 'dist', 'cli', 'main.js');
  if (!existsSync(main)) throw new ServiceProgramMissingError({ file: main });
  // What a `.env` file says is read again at each start.
  const own = PLACES.filter((name) => variables[name] && !origins.has(name));
  const path = pathFor(variables.PATH);
  return {
    name: profile === undefined ? 'atrium' : `atrium-${profile}`,
    program: [process.execPath, main, 'start'],
    variables: {
      ...Object.fromEntries(own.map((name) => [name, variables[name] ?? ''])),
      ...(path !== '' && { PATH: path }),
    },
    stateDir,
    envFile: given.envFile,
    stopSeconds: given.drainSeconds + CLOSING_SECONDS,
  };
}

/** Tools and plugins find the programs that they find now. What npx adds for one command is left out. */
function pathFor(path: string | undefined): string {
  const folders = (path ?? '').split(delimiter).filter((each) => isAbsolute(each) && !each.includes('node_modules'));
  return [...new Set(folders)].join(delimiter);
}
