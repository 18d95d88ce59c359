// Removes trajectories of sessions that were not used for long: those beyond the age limit, and the oldest beyond a
// number of files or bytes. Only files with the names that Atrium writes are touched, and only in the folder itself.
//
// Errors: none. A file that cannot be read or removed stays.

import { lstat, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface TrajectoryLimits {
  readonly maxAgeMs?: number | undefined;
  readonly maxFiles: number;
  /** The most of all files together. */
  readonly maxBytes?: number | undefined;
  /** Files that stay whatever the limits say. They count for the size. */
  readonly keep?: ReadonlySet<string> | undefined;
  readonly now: number;
  /** Counts, and removes nothing. */
  readonly isDryRun?: boolean | undefined;
}

/** Returns the number of files that were removed. */
export async function pruneTrajectories(dir: string, limits: TrajectoryLimits): Promise<number> {
  const { maxAgeMs = Number.POSITIVE_INFINITY, maxFiles, maxBytes = Number.POSITIVE_INFINITY } = limits;
  const { keep, now, isDryRun = false } = limits;
  const files = [...(await listTrajectories(dir))].sort((a, b) => b.usedAt - a.usedAt);
  let bytes = 0;
  const old = files.filter(({ file, usedAt, size }, index) => {
    bytes += size;
    if (keep?.has(file)) return false;
    return index >= maxFiles || bytes > maxBytes || usedAt < now - maxAgeMs;
  });
  if (isDryRun) return old.length;
  let removed = 0;
  for (const { file } of old) {
    const gone = await unlink(file).then(
      () => true,
      () => false,
    );
    if (gone) removed++;
  }
  return removed;
}

export async function listTrajectories(
  dir: string,
): Promise<readonly { readonly file: string; readonly usedAt: number; readonly size: number }[]> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => /^[A-Za-z0-9_-]{1,140}\.jsonl$/.test(name));
  const files: { readonly file: string; readonly usedAt: number; readonly size: number }[] = [];
  for (const name of names) {
    const file = path.join(dir, name);
    const stat = await lstat(file).catch(() => undefined);
    if (stat?.isFile()) files.push({ file, usedAt: stat.mtimeMs, size: stat.size });
  }
  return files;
}
