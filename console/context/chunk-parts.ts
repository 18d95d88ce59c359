// Cuts a long text with its authors into blocks that the browser lays out only when they are in sight. Promise: the texts
// of all blocks joined are the text. Lines stay whole where they are short enough. It is pure.

export interface TextPart {
  readonly text: string;
  /** The index of the piece; undefined for the form of the provider. */
  readonly piece?: number | undefined;
}

export type TextBlock = readonly TextPart[];

export function chunkParts(parts: readonly TextPart[]): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  let block: TextPart[] = [];
  let size = 0;
  const close = () => {
    if (block.length > 0) blocks.push(block);
    block = [];
    size = 0;
  };
  for (const { text, piece } of parts) {
    let at = 0;
    while (at < text.length) {
      const end = endOfBlock(text, at, size);
      block.push({ text: text.slice(at, end), piece });
      size += end - at;
      at = end;
      if (size >= MOST || (size >= ENOUGH && text[end - 1] === '\n')) close();
    }
  }
  close();
  return blocks;
}

/** A block of this size ends with its line. */
const ENOUGH = 12_288;
/** A block ends here even in the middle of a line. */
const MOST = 32_768;

function endOfBlock(text: string, from: number, size: number): number {
  const newline = text.indexOf('\n', from + Math.max(0, ENOUGH - size));
  const wanted = newline === -1 ? text.length : newline + 1;
  const end = Math.min(wanted, text.length, from + Math.max(1, MOST - size));
  // Two halves of one character stay together.
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff && end < text.length ? end + 1 : end;
}
