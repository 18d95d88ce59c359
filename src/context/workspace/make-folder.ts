// Makes a folder and those above it that are missing. Node's own recursive `mkdir` never returns where an existing folder
// says that it is not there, as every folder below /proc does. Here such an answer is final after the second time.

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Rejects with the error of the file system. A folder that exists is left as it is. */
export async function makeFolder(dir: string, mode?: number): Promise<void> {
  try {
    await makeOne(dir, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(dir) === dir) throw error;
    await makeFolder(dirname(dir), mode);
    await makeOne(dir, mode);
  }
}

async function makeOne(dir: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(dir, { mode });
  } catch (error) {
    const isFolder = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(dir)).isDirectory();
    if (!isFolder) throw error;
  }
}
