// The folders with skills that plugins bring. A folder that leads out of its plugin is left out: otherwise
// agents would be shown the operator's files as skills.

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../hooks/packs/contained-file.ts';

export interface PluginSkillFolder {
  readonly pluginId: string;
  /** Has a folder for each skill; links followed. */
  readonly dir: string;
  readonly rootDir: string;
}

/** The most folders of one plugin. */
const MAX_FOLDERS = 20;

export async function listPluginSkillFolders(
  plugins: readonly { readonly id: string; readonly rootDir: string; readonly skills: readonly string[] }[],
): Promise<readonly PluginSkillFolder[]> {
  const folders = plugins.flatMap(({ id, rootDir, skills }) =>
    skills.slice(0, MAX_FOLDERS).map((folder) => ({ pluginId: id, rootDir, dir: join(rootDir, folder) })),
  );
  const found = await Promise.all(
    folders.map(async ({ pluginId, rootDir, dir }) => {
      const [realRoot, realDir] = await Promise.all([realpath(rootDir), realpath(dir)]).catch(() => []);
      const isOwn = realRoot !== undefined && realDir !== undefined && isInside(realRoot, realDir);
      return isOwn ? [{ pluginId, rootDir: realRoot, dir: realDir }] : [];
    }),
  );
  return found.flat();
}
