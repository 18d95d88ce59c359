// Takes Markdown of strangers apart, in bounded time. A text that grows is read again from its last blocks on. What would
// hold up the page or overflow its stack is given back as plain text: nothing is lost, it only has no form.

import { Lexer, type Token } from 'marked';

export interface LexedMarkdown {
  readonly text: string;
  readonly blocks: readonly Token[];
  /** Addresses that the text names once for several links. */
  readonly links: Lexer['tokens']['links'];
}

/** `before` is how a beginning of the same text was taken apart, if it was. */
export function lexMarkdown(given: string, before?: LexedMarkdown): LexedMarkdown {
  const text = given.replace(/\r\n?/g, '\n');
  if (text.length > LONGEST_TEXT || DEEP_LINE.test(text)) return plain(text);
  try {
    const kept = before && text.startsWith(before.text) ? settledBlocks(before.blocks) : [];
    const told = kept.map(({ raw }) => raw).join('');
    // The raw texts of the blocks are the text, unless the parser has changed something, such as a tab.
    return told !== '' && text.startsWith(told)
      ? lex(text, kept, told.length, before?.links)
      : lex(text, [], 0, undefined);
  } catch {
    return plain(text);
  }
}

function lex(
  text: string,
  kept: readonly Token[],
  from: number,
  links: LexedMarkdown['links'] | undefined,
): LexedMarkdown {
  const lexer = new Lexer({ gfm: true, breaks: true });
  Object.assign(lexer.tokens.links, links);
  lexer.blockTokens(text.slice(from), lexer.tokens);
  // The parser adds to this list while it is read.
  for (const { src, tokens } of lexer.inlineQueue) {
    if (countMarks(src) > MOST_MARKS) tokens.push({ type: 'text', raw: src, text: src, escaped: false });
    else lexer.inlineTokens(src, tokens);
  }
  return { text, blocks: [...kept, ...lexer.tokens], links: lexer.tokens.links };
}

/** The blocks that more text does not change: all but the last two that are not empty. */
function settledBlocks(blocks: readonly Token[]): readonly Token[] {
  const full = blocks.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  return blocks.slice(0, full.at(-2) ?? 0);
}

function countMarks(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(/[*_`~[\]<!|\\]/g)) count++;
  return count;
}

function plain(text: string): LexedMarkdown {
  return { text, blocks: [{ type: 'text', raw: text, text, escaped: false }], links: {} };
}

const LONGEST_TEXT = 500_000;
/** More marks in one paragraph take the parser a time that grows with their square. */
const MOST_MARKS = 1_000;
/** A line that opens so many quotes and lists is no writing. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])(?=[ \t>]|$)){30}/m;
