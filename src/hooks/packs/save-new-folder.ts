// Writes the files of a new folder, all or none. A folder that exists already is not changed, and a half-written one is
// removed.
// Errors: throws the errors that the caller provides, one for a folder that exists and one for a folder that cannot be
// written.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface NewFolder {
  readonly dir: string;
  /** Each file has its whole path. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface NewFolderErrors {
  exists(): Error;
  notWritable(cause: unknown): Error;
}

export async function saveNewFolder({ dir, files }: NewFolder, errors: NewFolderErrors): Promise<void> {
  try {
    await mkdir(dirname(dir), { recursive: true });
    await mkdir(dir);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? errors.exists() : errors.notWritable(error);
  }
  try {
    for (const { path, text } of files) await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw errors.notWritable(error);
  }
}
