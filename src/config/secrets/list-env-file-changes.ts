// What the `.env` files say differently since the environment was read, name by name. A running gateway keeps the variables
// that it was started with, so this is what waits for its next start. No value leaves this file.

import type { Environment } from '../environment.ts';
import { readEnvFiles } from './env-files.ts';

export interface EnvFileChange {
  readonly name: string;
  /** Where it stands now, or where it stood when it is gone. */
  readonly file: string;
  readonly was: 'added' | 'removed' | 'changed';
}

type ReadEnvironment = Pick<Environment, 'cwd' | 'stateDir' | 'variables' | 'origins'>;

/** `environment` is the one of the process, before a configuration has added variables. */
export function listEnvFileChanges({ cwd, stateDir, variables, origins }: ReadEnvironment): readonly EnvFileChange[] {
  const ofProcess = Object.fromEntries(Object.entries(variables).filter(([name]) => !origins.has(name)));
  const now = new Map(readEnvFiles(ofProcess, { cwd, stateDir }).added.map((each) => [each.name, each]));
  const found = [...now.values()].flatMap(({ name, value, from }): EnvFileChange[] => {
    if (!origins.has(name)) return [{ name, file: from, was: 'added' }];
    return variables[name] === value ? [] : [{ name, file: from, was: 'changed' }];
  });
  const gone = [...origins].filter(([name]) => !now.has(name));
  return [...found, ...gone.map(([name, file]): EnvFileChange => ({ name, file, was: 'removed' }))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}
