// Reads a file that a person names with `--file`, to send it or to see how it would be sent. What is no regular file, is
// empty or is too large is refused with a sentence.

import { basename } from 'node:path';
import { BadFlagError } from '../gateway/errors.ts';
import { readRegularFile } from './read-regular-file.ts';

export interface GivenFile {
  readonly name: string;
  /** The bytes in base64. */
  readonly data: string;
}

/** The most bytes that a file may have. The gateway takes no larger body, and has its own limit below that. */
const LARGEST_FILE = 35 * 1_048_576;

export async function readGivenFile(given: string): Promise<GivenFile> {
  const refuse = (why: string) =>
    new BadFlagError({ flag: '--file', value: given, expected: `a file to send: ${why}` });
  const bytes = await readRegularFile(given, { largest: LARGEST_FILE, refuse });
  if (bytes.length === 0) throw refuse('it is empty');
  return { name: basename(given), data: bytes.toString('base64') };
}
