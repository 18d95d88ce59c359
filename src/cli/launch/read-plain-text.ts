// Reads a file of plain letters, one byte each, as one text with something before and behind it.
//
// Large pieces of the C library's memory must not be freed, because that has a lasting effect: from then on the library gives
// nothing back to the system that is smaller than twice the largest of them, in any thread. (A text of more than a megabyte is such a
// piece, but the text of a program is never freed.) Small pieces that are put together
// are avoided too: they fill the memory for young objects, and the garbage collector copies them several times before the text is
// whole. So a file is read into the system's own memory, and its text is made of that at once.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { systemMemory } from './system-memory.ts';

/** Throws when the file cannot be read. */
export function readPlainText(file: string, { before = '', behind = '' } = {}): string {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const end = before.length + size;
    const bytes = systemMemory(end + behind.length);
    bytes.write(before, 0, 'latin1');
    readInto(handle, bytes.subarray(before.length, end));
    bytes.write(behind, end, 'latin1');
    return bytes.toString('latin1');
  } finally {
    closeSync(handle);
  }
}

/** Fills the bytes from the beginning of the file. Throws when the file has fewer. */
export function readInto(handle: number, bytes: Buffer): void {
  let read = 0;
  while (read < bytes.length) {
    const length = readSync(handle, bytes, read, bytes.length - read, read);
    if (length === 0) throw new Error('it is shorter than it was');
    read += length;
  }
}
