// Cuts a Markdown text into pieces that can be found one by one: by headings first, then by paragraphs, and by lines
// only where a paragraph is too long. Every piece knows its lines. Pure.

export interface MemoryChunk {
  /** Counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** The headings above it, from the top down. */
  readonly heading: string;
  readonly text: string;
}

export const MAX_CHUNK_CHARS = 800;

export function memoryChunks(text: string): readonly MemoryChunk[] {
  const chunks: MemoryChunk[] = [];
  const headings: string[] = [];
  let open: string[] = [];
  let size = 0;
  let firstLine = 1;
  let fence = '';
  const close = (nextLine: number) => {
    const trimmed = open.join('\n').trimEnd();
    if (trimmed.trim() !== '') {
      const lastLine = firstLine + trimmed.split('\n').length - 1;
      chunks.push({ firstLine, lastLine, heading: headings.filter(Boolean).join(' > '), text: trimmed });
    }
    open = [];
    size = 0;
    firstLine = nextLine;
  };
  text.split(/\r?\n/).forEach((line, index) => {
    const number = index + 1;
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const heading = fence === '' ? /^ {0,3}(#{1,6})\s(.*)$/.exec(line) : null;
    if (heading) {
      close(number);
      const [, marks = '', title = ''] = heading;
      headings.length = Math.min(headings.length, marks.length - 1);
      while (headings.length < marks.length - 1) headings.push('');
      headings.push(title.slice(0, MAX_HEADING_CHARS).trim());
    } else if (open.length === 0 && line.trim() === '') {
      firstLine = number + 1;
      return;
    } else if (size > MAX_CHUNK_CHARS / 2 && line.trim() === '' && fence === '') {
      close(number + 1);
      return;
    } else if (size > 0 && size + line.length > MAX_CHUNK_CHARS) {
      close(number);
    }
    if (mark !== '') fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    for (const piece of piecesOf(line)) {
      if (size > 0 && size + piece.length > MAX_CHUNK_CHARS) close(number);
      open.push(piece);
      size += piece.length + 1;
    }
  });
  close(0);
  return chunks;
}

const MAX_HEADING_CHARS = 200;

/** A line that is a whole page by itself is several pieces of one line. */
function piecesOf(line: string): readonly string[] {
  if (line.length <= MAX_CHUNK_CHARS) return [line];
  const pieces: string[] = [];
  for (let start = 0; start < line.length; ) {
    const isPairCut = /[\ud800-\udbff]/.test(line[start + MAX_CHUNK_CHARS - 1] ?? '');
    const end = start + MAX_CHUNK_CHARS - (isPairCut ? 1 : 0);
    pieces.push(line.slice(start, end));
    start = end;
  }
  return pieces;
}
