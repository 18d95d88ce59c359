// Prints a Markdown answer block by block: a paragraph, a list, a table or a piece of code is rendered when it is
// complete, and shown as it was typed until then.

import type { Token } from 'marked';
import { type MarkdownFrame, renderMarkdown } from '../output/render-markdown.ts';
import { plainPiece, wrapStyled } from '../output/styled-text.ts';
import type { DraftPrinter } from './chat-draft.ts';

export interface BlockDraftSettings {
  /** Asked each time, because the window may have another width now. */
  readonly frame: () => MarkdownFrame;
  readonly write: (text: string) => void;
  /** Shows the lines of the unfinished block. */
  readonly preview: (lines: readonly string[]) => void;
  /** The most lines that `preview` can show. */
  readonly height: () => number;
}

/** These cannot go on behind a blank line. */
const CLOSED = ['paragraph', 'heading', 'table', 'hr'];

export class BlockDraft implements DraftPrinter {
  readonly #settings: BlockDraftSettings;
  /** The length of the text when its blocks were looked for. */
  #looked = 0;
  #hasPrinted = false;

  constructor(settings: BlockDraftSettings) {
    this.#settings = settings;
  }

  finished(text: string): number {
    // A block ends with a line. In a very long one it is not worth to look at every line.
    const fresh = text.length < this.#looked ? text : text.slice(this.#looked);
    if (!fresh.includes('\n') || fresh.length < text.length / 200) return 0;
    this.#looked = text.length;
    const tokens = this.#settings.frame().lexer(text);
    const end = endOfClosed(tokens);
    const length = tokens.slice(0, end).reduce((sum, { raw }) => sum + raw.length, 0);
    if (length > 0) this.#looked = 0;
    return length;
  }

  print(text: string, isFirst: boolean): void {
    this.#looked = 0;
    const rendered = renderMarkdown(text, this.#settings.frame());
    if (rendered === '') return;
    this.#hasPrinted = true;
    this.#settings.write(isFirst ? rendered : `\n${rendered}`);
  }

  preview(text: string): void {
    const { width } = this.#settings.frame();
    const height = this.#settings.height();
    // What cannot be on the screen is not measured.
    const last = text.slice(-height * width).trimEnd();
    const lines = last.trim() === '' ? [] : last.split('\n').flatMap((line) => wrapPlain(line, width));
    // The same distance as the finished block will have.
    const spaced = this.#hasPrinted && lines.length > 0 ? ['', ...lines] : lines;
    this.#settings.preview(spaced.slice(-height));
  }

  endLine(): void {
    this.#hasPrinted = false;
  }
}

function wrapPlain(line: string, width: number): string[] {
  const text = line.replaceAll('\t', '    ');
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines = wrapStyled(plainPiece(text.trimStart()), Math.max(1, width - indent.length));
  return lines.map((pieces) => indent + pieces.map((piece) => piece.text).join(''));
}

/** How many of the tokens will not change any more. The last one may, unless a blank line is behind it. */
function endOfClosed(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== 'space');
  const isClosed = last < tokens.length - 1 && CLOSED.includes(tokens[last]?.type ?? '');
  return isClosed ? tokens.length : Math.max(0, last);
}
