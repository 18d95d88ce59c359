// Markdown of a model as lines for a terminal. The text is untrusted: control characters are taken out before anything
// else, and a link always shows where it leads. Nothing that was written is left out: what has no form here is shown as
// it was typed. Without colours, emphasis and headings keep their marks.
// It knows no terminal: the width, the style and the lexer are handed in.

import type { MarkedToken, Token, Tokens } from 'marked';
import { paintText, plainPiece, type StyledPiece, type StyledText, styledWidth, wrapStyled } from './styled-text.ts';
import type { Look, TerminalStyle } from './terminal-style.ts';
import { terminalText } from './text.ts';

export type MarkdownLexer = (text: string) => readonly Token[];

export interface MarkdownFrame {
  readonly lexer: MarkdownLexer;
  readonly width: number;
  readonly style: TerminalStyle;
}

/** Lines that each end with a line break, without a blank line at the end. */
export function renderMarkdown(text: string, frame: MarkdownFrame): string {
  const tokens = frame.lexer(terminalText(text).replaceAll('\t', '    '));
  return renderBlocks(tokens, { ...frame, width: Math.max(LEAST_WIDTH, frame.width) })
    .map((line) => `${line}\n`)
    .join('');
}

const LEAST_WIDTH = 10;

function renderBlocks(tokens: readonly Token[], frame: MarkdownFrame, isTight = false): string[] {
  const blocks = (tokens as readonly MarkedToken[])
    .filter(({ type }) => type !== 'space' && type !== 'checkbox')
    .map((token) => renderBlock(token, frame));
  return blocks.flatMap((lines, index) => (index === 0 || isTight ? lines : ['', ...lines]));
}

function renderBlock(token: MarkedToken, frame: MarkdownFrame): string[] {
  const { style, width } = frame;
  switch (token.type) {
    case 'heading': {
      const mark = style.isColoured ? [] : plainPiece(`${'#'.repeat(token.depth)} `);
      const looks: readonly Look[] = token.depth === 1 ? ['bold', 'underline'] : ['bold'];
      return wrapped([...mark, ...inline(token.tokens, frame, [...looks, 'cyan'])], frame);
    }
    case 'paragraph':
      return wrapped(inline(token.tokens, frame), frame);
    case 'text':
      return wrapped(token.tokens ? inline(token.tokens, frame) : plainPiece(shown(token.text)), frame);
    case 'code':
      return renderCode(token, frame);
    case 'list':
      return renderList(token, frame);
    case 'blockquote': {
      const bar = style.paint('│ ', 'dim');
      return renderBlocks(token.tokens, { ...frame, width: width - 2 }).map((line) => `${bar}${line}`);
    }
    case 'table':
      return renderTable(token, frame);
    case 'hr':
      return [style.paint('─'.repeat(Math.min(width, 40)), 'dim')];
    default:
      return wrapped(plainPiece(terminalText(token.raw).trimEnd()), frame);
  }
}

function wrapped(text: StyledText, { style, width }: MarkdownFrame): string[] {
  return wrapStyled(text, width).map((line) => paintText(line, style));
}

/** The lines of code are not broken, so that they can be copied. */
function renderCode({ lang, text }: Tokens.Code, { style }: MarkdownFrame): string[] {
  const label = terminalText(lang ?? '').split(/\s/)[0] ?? '';
  const lines = text.split('\n').map((line) => `  ${style.paint(line, 'yellow')}`);
  return [...(label === '' ? [] : [style.paint(`  ┄ ${label}`, 'dim')]), ...lines];
}

function renderList({ ordered, start, items, loose }: Tokens.List, frame: MarkdownFrame): string[] {
  const first = typeof start === 'number' ? start : 1;
  return items.flatMap((item, index) => {
    const box = item.task ? `${item.checked ? '[x]' : '[ ]'} ` : '';
    const mark = `${ordered ? `${first + index}.` : '•'} ${box}`;
    const inner = { ...frame, width: Math.max(LEAST_WIDTH, frame.width - mark.length) };
    const lines = renderBlocks(item.tokens, inner, !item.loose);
    const rows = lines.length === 0 ? [''] : lines;
    const blank = ' '.repeat(ordered ? mark.length : 2);
    const body = rows.map((line, row) => (row === 0 ? `${frame.style.paint(mark, 'cyan')}${line}` : `${blank}${line}`));
    return loose && index > 0 ? ['', ...body] : body;
  });
}

/** Columns side by side where each gets enough room, else a line for each cell with the name of its column. */
function renderTable({ header, rows, align }: Tokens.Table, frame: MarkdownFrame): string[] {
  const { style, width } = frame;
  const titles = header.map(({ tokens }) => inline(tokens, frame, ['bold']));
  const cells = rows.map((row) => row.map(({ tokens }) => inline(tokens, frame)));
  const wanted = titles.map((title, column) =>
    Math.max(1, ...[title, ...cells.map((row) => row[column] ?? [])].map((cell) => styledWidth(cell))),
  );
  const widths = shareWidth(wanted, width - GAP.length * (wanted.length - 1));
  if (!widths) return renderRecords(titles, cells, frame);
  const line = (row: readonly StyledText[]): string[] => {
    const parts = widths.map((room, column) => wrapStyled(row[column] ?? [], room));
    const height = Math.max(...parts.map((part) => part.length));
    return Array.from({ length: height }, (_, index) =>
      parts
        .map((part, column) => aligned(part[index] ?? [], widths[column] ?? 0, align[column] ?? null, style))
        .join(style.paint(GAP, 'dim'))
        .trimEnd(),
    );
  };
  const rule = style.paint(widths.map((room) => '─'.repeat(room)).join('─┼─'), 'dim');
  return [...line(titles), rule, ...cells.flatMap(line)];
}

const GAP = ' │ ';
const LEAST_COLUMN = 6;

/** Wide columns give room to the others. Undefined when there is too little for all of them. */
function shareWidth(wanted: readonly number[], room: number): readonly number[] | undefined {
  const widths = [...wanted];
  for (let over = sum(widths) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= LEAST_COLUMN) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function renderRecords(titles: readonly StyledText[], rows: readonly StyledText[][], frame: MarkdownFrame): string[] {
  return rows.flatMap((row, index) => {
    const lines = row.flatMap((cell, column) =>
      wrapped([...(titles[column] ?? []), ...plainPiece(': '), ...cell], frame),
    );
    return index === 0 ? lines : ['', ...lines];
  });
}

function aligned(text: StyledText, width: number, align: string | null, style: TerminalStyle): string {
  const room = Math.max(0, width - styledWidth(text));
  const left = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return `${' '.repeat(left)}${paintText(text, style)}${' '.repeat(room - left)}`;
}

function inline(tokens: readonly Token[], frame: MarkdownFrame, looks: readonly Look[] = []): StyledPiece[] {
  const { isColoured } = frame.style;
  const around = (mark: string, inner: readonly Token[], look: Look): StyledPiece[] => {
    const text = inline(inner, frame, [...looks, look]);
    return isColoured ? text : [{ text: mark, looks: [] }, ...text, { text: mark, looks: [] }];
  };
  return (tokens as readonly MarkedToken[]).flatMap((token): StyledPiece[] => {
    switch (token.type) {
      case 'strong':
        return around('**', token.tokens, 'bold');
      case 'em':
        return around('*', token.tokens, 'italic');
      case 'del':
        return around('~~', token.tokens, 'struck');
      case 'codespan': {
        const text = isColoured ? token.text : token.raw;
        return [{ text, looks: [...looks, 'yellow'] }];
      }
      case 'br':
        return [{ text: '\n', looks }];
      case 'link':
        return linked(inline(token.tokens, frame, [...looks, 'underline']), token.href, looks);
      case 'image':
        return linked([{ text: `[image: ${shown(token.text)}]`, looks }], token.href, looks);
      case 'text':
        return token.tokens ? inline(token.tokens, frame, looks) : [{ text: shown(token.text), looks }];
      case 'escape':
        return [{ text: shown(token.text), looks }];
      default:
        return [{ text: terminalText(token.raw), looks }];
    }
  });
}

/** The address stands behind the text, because a text may look like another address. */
function linked(text: StyledPiece[], href: string, looks: readonly Look[]): StyledPiece[] {
  const address = terminalText(href).replace(/\s/g, '');
  const said = text.map((piece) => piece.text).join('');
  if (said === address || address === `mailto:${said}`) return text;
  return [...text, { text: ` (${address})`, looks: [...looks, 'dim'] }];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

function shown(text: string): string {
  return terminalText(text).replace(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}
