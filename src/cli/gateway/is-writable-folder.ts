// Whether files can be made in a folder.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/** A folder that is not there yet can be made when its nearest parent can be written. */
export async function isWritableFolder(dir: string): Promise<boolean> {
  const found = await stat(dir).catch((error: NodeJS.ErrnoException) => error);
  if (!(found instanceof Error)) {
    const isAllowed = await access(dir, constants.W_OK).then(
      () => true,
      () => false,
    );
    return found.isDirectory() && isAllowed;
  }
  const parent = path.dirname(dir);
  return found.code === 'ENOENT' && parent !== dir && isWritableFolder(parent);
}
