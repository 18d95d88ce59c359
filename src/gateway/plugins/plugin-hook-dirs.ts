// The folders with hook packs that loaded plugins bring: what `hooks` of their manifest names, as far as it lies inside
// the plugin. A manifest that cannot be read brings none; the loading of plugins reports that it is wrong.

import { readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isInside } from '../../hooks/packs/contained-file.ts';
import type { HookDirectories } from '../../hooks/packs/discover-hooks.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';

const MAX_MANIFEST_BYTES = 256 * 1024;
const MAX_DIRS = 20;

export async function pluginHookDirs(
  plugins: readonly Pick<PluginStatus, 'id' | 'rootDir' | 'state'>[],
): Promise<NonNullable<HookDirectories['pluginDirs']>> {
  const loaded = plugins.filter(({ state }) => state === 'loaded');
  const found = await Promise.all(
    loaded.map(async ({ id, rootDir }) => (await dirsOf(rootDir)).map((dir) => ({ pluginId: id, dir }))),
  );
  return found.flat();
}

async function dirsOf(rootDir: string): Promise<readonly string[]> {
  try {
    const path = join(rootDir, 'openclaw.plugin.json');
    if ((await stat(path)).size > MAX_MANIFEST_BYTES) return [];
    const manifest: { hooks?: unknown } | null = JSON.parse(await readFile(path, 'utf8'));
    const named = Array.isArray(manifest?.hooks) ? manifest.hooks.slice(0, MAX_DIRS) : [];
    const root = await realpath(rootDir);
    const dirs: string[] = [];
    for (const name of named) {
      if (typeof name !== 'string' || name.trim() === '') continue;
      const dir = await realpath(resolve(root, name.trim())).catch(() => undefined);
      if (dir !== undefined && isInside(root, dir)) dirs.push(dir);
    }
    return dirs;
  } catch {
    return [];
  }
}
