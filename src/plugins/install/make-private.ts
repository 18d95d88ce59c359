// Gives a freshly written tree to this user alone, and proves on the way that it is made of plain files and folders.
// Programs stay programs; bits that would change whose program it is do not stay.

import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderRefusedError } from '../errors.ts';

export async function makePrivate(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const entry = await lstat(path);
    if (entry.isDirectory()) await makePrivate(path);
    else if (entry.isFile()) await chmod(path, entry.mode & 0o100 ? 0o700 : 0o600);
    else
      throw new FolderRefusedError({ folder: dir, problem: `${JSON.stringify(name)} is neither a file nor a folder` });
  }
}
