// Opens small runtime files that another program may have changed. Only a regular file under exactly this name is
// opened: no link is followed, and a pipe or a device cannot make a run wait.

import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

/** The caller closes the handle. `undefined` when there is no such file; other failures are the file system's errors. */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const entry = await lstat(path).catch(ignoreAbsence);
  if (!entry?.isFile()) return undefined;
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  // Another file may have got this name since the check.
  const opened = await handle.stat();
  if (opened.isFile()) return handle;
  await handle.close();
  return undefined;
}

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
