// Reads a file that a person names. What is no regular file, such as a device or a pipe, and what is too large is refused
// with the caller's own words, so that no command reads for ever.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { formatBytes } from '../protocol/attachment.ts';
import { oneLine } from './output/text.ts';

export interface RegularFileRules {
  readonly largest: number;
  /** Makes the error that is thrown; it is given the reason. */
  readonly refuse: (why: string) => Error;
}

export async function readRegularFile(path: string, { largest, refuse }: RegularFileRules): Promise<Buffer> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer that may never come.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(code === 'ENOENT' ? 'there is none' : oneLine((error as Error).message));
  }
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) throw refuse('this is a folder');
    if (!facts.isFile()) throw refuse('this is not a regular file');
    if (facts.size > largest) throw refuse(`it is larger than ${formatBytes(largest)}`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
