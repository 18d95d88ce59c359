// Reads a file of plain letters, one byte each, through a small buffer that stays. Read at once, a file of a megabyte passes through two
// large pieces of the C library's memory, and freeing such pieces has a lasting effect: from then on, the library gives nothing
// back to the system that is smaller than twice the largest of them, in any thread. In small pieces it is also read faster.

import { closeSync, openSync, readSync } from 'node:fs';

/** Below the size from which the C library asks the system for a piece of its own. */
const PIECE_BYTES = 64 * 1024;
const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);

export function readPlainText(file: string): string {
  const handle = openSync(file, 'r');
  try {
    let text = '';
    for (;;) {
      const length = readSync(handle, piece, 0, PIECE_BYTES, null);
      if (length === 0) return text;
      text += piece.toString('latin1', 0, length);
    }
  } finally {
    closeSync(handle);
  }
}
