// Where a home of OpenClaw keeps its lists of sessions and jobs when its configuration names other files than the usual ones
// (`session.store`, `cron.store`). The operator's own home may name any path; a home that was brought from elsewhere names
// paths of another machine, so those count only inside of it. Never throws: what is not followed is a note.

import { join, resolve, sep } from 'node:path';
import { listAgentConfigs } from '../../config/agents.ts';
import { loadConfigFiles } from '../../config/config-files.ts';
import type { Environment } from '../../config/environment.ts';
import { expandIncludes } from '../../config/include.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';
import { substituteVariables } from '../../config/substitute-variables.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { errorText } from '../../protocol/one-line.ts';
import type { ImportNote } from './source-session.ts';

export interface StorePaths {
  /** The file of the jobs; undefined for the usual one. */
  readonly jobs: string | undefined;
  /** The list of the sessions of an agent; undefined for the usual one. Agents may share a file. */
  readonly sessions: ((agentId: string) => string) | undefined;
  /** Agents that may have a list of sessions without a folder in this home. */
  readonly agentIds: readonly string[];
  readonly notes: readonly ImportNote[];
}

export interface StorePathsQuery {
  /** The home of OpenClaw. */
  readonly dir: string;
  readonly environment: Environment;
  /** The configuration of the state directory, which counts when that is the home. */
  readonly config: object;
}

export async function readStorePaths(query: StorePathsQuery): Promise<StorePaths> {
  const notes: ImportNote[] = [];
  const { environment, dir } = query;
  const isOwn = resolve(dir) === resolve(environment.stateDir);
  const file = isOwn ? environment.configPath : join(dir, 'openclaw.json');
  const settings = isOwn ? [query.config] : await readSettings(query, file, notes);
  const pathAt = (section: string): string | undefined => {
    const written = settings.map((each) => textAt(each, section, 'store')).findLast((each) => each !== undefined);
    if (written === undefined) return undefined;
    const place = placeOf(written, query, isOwn);
    if (place === undefined) {
      const sentence = `${section}.store names ${JSON.stringify(written)}, which is outside of this home and was not read. The usual place was.`;
      notes.push({ place: file, sentence });
    }
    return place;
  };
  const sessions = pathAt('session');
  return {
    jobs: pathAt('cron'),
    sessions: sessions === undefined ? undefined : (agentId) => sessions.replaceAll('{agentId}', agentId),
    agentIds: sessions === undefined ? [] : ['main', ...settings.flatMap(agentIdsOf)],
    notes,
  };
}

async function readSettings(
  { dir, environment }: StorePathsQuery,
  configPath: string,
  notes: ImportNote[],
): Promise<readonly unknown[]> {
  try {
    const there = { ...environment, stateDir: dir, configPath, configPathGiven: false };
    const { sources } = await loadConfigFiles({ environment: there });
    const expanded = await Promise.all(sources.map(expandIncludes));
    return expanded.map(({ value }) => substituteVariables(value, environment.variables).value);
  } catch (error) {
    const sentence = `It cannot be read, so only the usual places of sessions and jobs were looked at: ${errorText(error)}`;
    notes.push({ place: configPath, sentence });
    return [];
  }
}

/** In a home from elsewhere, the part behind the folder of OpenClaw is looked for in this home. */
function placeOf(written: string, { dir, environment }: StorePathsQuery, isOwn: boolean): string | undefined {
  const place = resolveUserPath(written, environment.home, isOwn ? environment.cwd : dir);
  if (isOwn || place.startsWith(`${resolve(dir)}${sep}`)) return place;
  const [, rest] = /^.*[\\/]\.openclaw[^\\/]*[\\/](.+)$/.exec(place) ?? [];
  return rest === undefined ? undefined : join(dir, rest);
}

function textAt(value: unknown, section: string, key: string): string | undefined {
  const part = isPlainObject(value) ? value[section] : undefined;
  const text = isPlainObject(part) ? part[key] : undefined;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

function agentIdsOf(value: unknown): readonly string[] {
  if (!isPlainObject(value)) return [];
  return listAgentConfigs(value as Config).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
}
