// What counts as text to the file tools: UTF-8 without NUL characters. Anything else is refused, because a model would
// read noise and an edit would destroy it.

import type { ContainedFile } from './contained-path.ts';
import { ToolFileUnusableError } from './errors.ts';

/** The most that `write` and `edit` put into one file. */
export const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** `isWhole` is false for bytes that may end inside a character; such an end is left out. */
export function decodeText(path: string, bytes: Uint8Array, isWhole: boolean): string {
  refuseBinary(path, bytes);
  try {
    // A byte order mark at the beginning is kept.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  } catch (error) {
    throw new ToolFileUnusableError({ path, problem: 'it is not UTF-8 text' }, { cause: error });
  }
}

export function refuseBinary(path: string, bytes: Uint8Array): void {
  if (bytes.includes(0)) throw new ToolFileUnusableError({ path, problem: 'it is a binary file, not text' });
}

export async function readWholeText(path: string, { handle, stats }: ContainedFile): Promise<string> {
  if (stats.size > MAX_TEXT_BYTES) {
    throw new ToolFileUnusableError({
      path,
      problem: `it has ${stats.size} bytes, and at most ${MAX_TEXT_BYTES} can be edited`,
    });
  }
  // A file may grow while it is read; one byte more than the bound shows it.
  const bytes = Buffer.allocUnsafe(Number(stats.size) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === bytes.length) break;
  }
  if (length > stats.size) throw new ToolFileUnusableError({ path, problem: 'it grows while it is being read' });
  return decodeText(path, bytes.subarray(0, length), true);
}
