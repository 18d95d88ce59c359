// Tells a store that is being made from one whose contents are gone. Only a missing file is a new store. While one is
// made, a mark stands beside it, so that the next process may finish what a killed one has begun. An empty file without
// the mark had something in it once: treating it as new would hide the loss.

import { lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreFailedError } from '../errors.ts';

/** Returns true when this file is or becomes a new store. Rejects with StoreFailedError when its contents are gone. */
export async function beginIfNew(file: string): Promise<boolean> {
  await refuseOtherThanFile(file);
  const size = await sizeOf(file);
  if (size !== undefined && size > 0) return (await sizeOf(markOf(file))) !== undefined;
  const isBegun = (await sizeOf(markOf(file))) !== undefined;
  if (size === 0 && !isBegun) throw contentsGone(file, 'the file is empty');
  if (size === undefined && ((await sizeOf(`${file}-wal`)) ?? 0) > 0)
    throw contentsGone(file, `the file is missing, but its log ${file}-wal is there`);
  if (!isBegun) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(markOf(file), '', { mode: 0o600 });
  }
  return true;
}

/** Before anything is written: a mark that is left beside such a thing would let an empty file pass for a new store. */
async function refuseOtherThanFile(file: string): Promise<void> {
  const [entry, target] = await Promise.all([lstat, stat].map((look) => look(file).catch(() => undefined)));
  if (target && !target.isFile()) {
    const remedy = 'Move it away, or use another state directory.';
    throw new StoreFailedError({ store: file, detail: 'it is no regular file', remedy });
  }
  if (entry?.isSymbolicLink() && !target) {
    const remedy =
      'Bring back what it leads to, for example mount its disk, or remove the link to begin with an empty store.';
    throw new StoreFailedError({ store: file, detail: 'it is a link that leads nowhere', remedy });
  }
}

/** The tables are made. */
export async function endNew(file: string): Promise<void> {
  await rm(markOf(file), { force: true });
}

export function contentsGone(file: string, detail: string): StoreFailedError {
  const remedy = `Bring back a copy, or move ${file} and the files that begin with its name away to begin with an empty store.`;
  return new StoreFailedError({ store: file, detail, remedy });
}

function markOf(file: string): string {
  return `${file}-new`;
}

/** Undefined when there is no such file. Another problem is told when the file is opened. */
async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    (entry) => entry.size,
    () => undefined,
  );
}
