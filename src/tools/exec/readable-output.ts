// What a command printed, as text that a model can read: bytes that are no UTF-8 become U+FFFD, and what was meant for a
// terminal is taken out.

export function readableOutput(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes)
    .replace(ESCAPES, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

/** Colours and cursor movements, titles and links, and the short forms. Each has a bound, so none can take long. */
const ESCAPES = /\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\x1b[ -/]{0,8}[0-~]/g;

/** Counted from the end: a pattern would try every stretch of empty lines, wherever it stands. */
export function withoutLastLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

/** So many of the bytes are whole characters; the rest is the beginning of one that is not there yet. */
export function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
