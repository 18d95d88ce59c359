// The text of a file that may become part of a prompt: UTF-8, or UTF-16 that says so by its byte-order mark. Anything
// else is a problem with a name, because a model would be given replacement characters instead of instructions.

import { isUtf8 } from 'node:buffer';

export type DecodedText = { readonly text: string } | { readonly problem: string };

export function decodeText(bytes: Buffer): DecodedText {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeUtf16(bytes);
  if (first === 0xfe && second === 0xff) return decodeUtf16(bytes, 'big');
  if (bytes.includes(0))
    return { problem: 'it has NUL characters, as UTF-16 without a byte-order mark has; save it as UTF-8' };
  if (isUtf8(bytes)) return { text: bytes.toString('utf8') };
  return { problem: `it is not UTF-8 text, see line ${firstBadLine(bytes)}; save it as UTF-8` };
}

function decodeUtf16(bytes: Buffer, order: 'little' | 'big' = 'little'): DecodedText {
  try {
    const little = order === 'little' ? bytes : Buffer.from(bytes).swap16();
    return { text: new TextDecoder('utf-16le', { fatal: true }).decode(little) };
  } catch {
    return { problem: 'it begins as UTF-16 and has characters that are not; save it as UTF-8' };
  }
}

const LINE_FEED = 10;

/** The byte of a line feed is never part of another character, so lines can be judged one by one. */
function firstBadLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return line;
}
