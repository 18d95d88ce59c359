// Removes trajectories of sessions that were not used for long: those beyond the age limit, and the oldest beyond a
// number of files. Only files with the names that Atrium writes are touched, and only in the folder itself.
//
// Errors: none. A file that cannot be read or removed stays.

import { lstat, readdir, unlink } from 'node:fs/promises';
import path from 'node:path';

export interface TrajectoryLimits {
  readonly maxAgeMs: number;
  readonly maxFiles: number;
  readonly now: number;
}

/** Returns the number of files that were removed. */
export async function pruneTrajectories(dir: string, { maxAgeMs, maxFiles, now }: TrajectoryLimits): Promise<number> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => /^[A-Za-z0-9_-]{1,140}\.jsonl$/.test(name));
  const files: { readonly file: string; readonly usedAt: number }[] = [];
  for (const name of names) {
    const file = path.join(dir, name);
    const stat = await lstat(file).catch(() => undefined);
    if (stat?.isFile()) files.push({ file, usedAt: stat.mtimeMs });
  }
  files.sort((a, b) => b.usedAt - a.usedAt);
  const old = files.filter(({ usedAt }, index) => index >= maxFiles || usedAt < now - maxAgeMs);
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
