// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.

// Where a store is to be moved, as a person names it, and what has to be set for it. An address may name variables as the
// configuration does, so that a password need not be on the command line.

import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { substituteVariables } from '../../config/substitute-variables.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { BadFlagError } from '../../gateway/errors.ts';
import type { StorePlace } from '../../protocol/store-place.ts';
import { DEFAULT_SCHEMA } from '../../store/postgres/describe-place.ts';
import { FlagCombinationError } from '../errors.ts';

export interface TargetPlace {
  readonly place: StorePlace;
  readonly setting: SettingForPlace;
}

/** What the configuration has to say for a gateway to use the place. */
export type SettingForPlace =
  | { readonly set: 'store.url' | 'store'; readonly value: unknown }
  | { readonly unset: 'store.url' }
  /** No setting names a file at another place. */
  | { readonly stateDirFile: string };

export function targetPlaceOf(
  given: { readonly to: string; readonly schema?: string | undefined },
  environment: Environment,
  config: Config,
): TargetPlace {
  const { to, schema } = given;
  if (/^postgres(?:ql)?:\/\//.test(to)) return databaseOf(to, schema, environment, config);
  if (schema !== undefined)
    throw new FlagCombinationError({ problem: '--schema goes with an address of Postgres. Leave it out.' });
  const own = join(environment.stateDir, 'atrium', 'atrium.db');
  const file = to === 'sqlite' ? own : resolveUserPath(to, environment.home, environment.cwd);
  if (to.includes('://') || file === '')
    throw new BadFlagError({ flag: '--to', value: to, expected: 'postgres://…, sqlite, or the path of a file' });
  return { place: { kind: 'sqlite', file }, setting: file === own ? { unset: 'store.url' } : { stateDirFile: own } };
}

function databaseOf(to: string, schema: string | undefined, environment: Environment, config: Config): TargetPlace {
  const { value, missing } = substituteVariables(to, environment.variables);
  const [unknown] = missing;
  if (unknown)
    throw new BadFlagError({ flag: '--to', value: to, expected: `usable: the variable ${unknown.name} is not set` });
  const place: StorePlace = { kind: 'postgres', url: String(value), schema };
  const isUsual = (schema ?? DEFAULT_SCHEMA) === DEFAULT_SCHEMA && config.store?.schema === undefined;
  return {
    place,
    setting: isUsual
      ? { set: 'store.url', value: to }
      : { set: 'store', value: { url: to, schema: schema ?? DEFAULT_SCHEMA } },
  };
}

/** The one line that makes a gateway use the place; a password is replaced by the name of a variable. */
export function commandFor(setting: SettingForPlace): { readonly line?: string; readonly note?: string } {
  if ('stateDirFile' in setting)
    return { note: `A gateway uses the file when it is at ${setting.stateDirFile}, and store.url is not set.` };
  if ('unset' in setting) return { line: `atrium config unset ${setting.unset}` };
  const text = typeof setting.value === 'string' ? setting.value : JSON.stringify(setting.value);
  const shown = text.replace(PASSWORD, (all, user: string, password: string) =>
    password.startsWith('${') ? all : `//${user}:\${ATRIUM_DB_PASSWORD}@`,
  );
  const line = `atrium config set ${setting.set} ${quoted(shown)}`;
  return shown === text
    ? { line }
    : {
        line,
        note: 'The password is not shown: put it into the variable ATRIUM_DB_PASSWORD, or write it in that place.',
      };
}

const PASSWORD = /\/\/([^:@/]+):([^@]*)@/;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
