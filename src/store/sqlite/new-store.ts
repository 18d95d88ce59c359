// Tells a store that is being made from one whose contents are gone. Only a missing file is a new store. While one is
// made, a mark stands beside it, so that the next process may finish what a killed one has begun. An empty file without
// the mark had something in it once: treating it as new would hide the loss.

import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreFailedError } from '../errors.ts';

/** Returns true when this file is or becomes a new store. Rejects with StoreFailedError when its contents are gone. */
export async function beginIfNew(file: string): Promise<boolean> {
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
