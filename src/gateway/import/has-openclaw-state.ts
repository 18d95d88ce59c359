// Whether a home holds conversations, jobs or keys of OpenClaw that could be brought along, and whether a folder is such a home at
// all. A few look-ups and nothing else, since it is asked when a gateway starts for the first time.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasFilesOfOpenClaw } from '../../config/written-by-openclaw.ts';
import { readStorePaths, type StorePathsQuery } from './store-paths.ts';

export async function hasOpenClawState(query: StorePathsQuery): Promise<boolean> {
  const { dir } = query;
  const { jobs, sessions, agentIds } = await readStorePaths(query);
  const agents = await readdir(join(dir, 'agents')).catch(() => []);
  return hasFilesOfOpenClaw(dir, [
    ...(jobs === undefined ? [] : [jobs]),
    ...(sessions === undefined ? [] : [...agents, ...agentIds].map(sessions)),
  ]);
}

/** A home that was never talked in has a configuration or the folders for it. */
export async function isOpenClawHome(query: StorePathsQuery): Promise<boolean> {
  const { dir } = query;
  const names = ['openclaw.json', 'openclaw.yaml', 'openclaw.yml'].map((name) => join(dir, name));
  const folders = ['agents', 'credentials'].map((name) => join(dir, name));
  return (
    (await someAre(names, (facts) => facts.isFile())) ||
    (await someAre(folders, (facts) => facts.isDirectory())) ||
    (await hasOpenClawState(query))
  );
}

async function someAre(places: readonly string[], test: (facts: Awaited<ReturnType<typeof stat>>) => boolean) {
  const found = await Promise.all(places.map((place) => stat(place).then(test, () => false)));
  return found.includes(true);
}
