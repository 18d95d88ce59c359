// What a person would read of an HTML page: its title, headings, paragraphs, lists, tables, preformatted text and where
// its links lead. What the elements themselves hide is left out, because a page can hide words for a model there;
// style sheets are not read.
// It reads in pieces and stops as soon as there is enough, so that a large page does not block the process.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { words } from '../../protocol/words.ts';
import { MAX_URL_CHARS } from './check-url.ts';

export interface HtmlTextOptions {
  /** Where relative links start from. */
  readonly url: URL;
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

export interface HtmlText {
  readonly text: string;
  /** True when the page went on. */
  readonly isCut: boolean;
}

const PIECE_CHARS = 64 * 1024;

export async function htmlText(html: string, { url, maxChars, signal }: HtmlTextOptions): Promise<HtmlText> {
  const { Parser } = await import('htmlparser2');
  const page = new PageWriter(url, maxChars);
  const parser = new Parser({
    onopentag: (name, attributes) => {
      page.open(name, attributes);
      if (page.isFull) parser.pause();
    },
    ontext: (text) => page.write(text),
    onclosetag: (name) => page.close(name),
  });
  for (let start = 0; start < html.length && !page.isFull; start += PIECE_CHARS) {
    signal.throwIfAborted();
    parser.write(html.slice(start, start + PIECE_CHARS));
    await nextTurn();
  }
  if (!page.isFull) parser.end();
  return { text: page.text(), isCut: page.isFull };
}

type Attributes = Readonly<Record<string, string>>;

/** Never shown, or no text. */
const DROPPED: ReadonlySet<string> = new Set(
  'script style noscript template svg math iframe object embed canvas audio video map datalist dialog'.split(' '),
);
const BLOCKS: ReadonlySet<string> = new Set(
  words(`
    address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html
    legend main nav ol p pre section summary table tbody tfoot thead caption ul li tr
  `),
);
/** Blocks with an empty line around them. */
const PARAGRAPHS: ReadonlySet<string> = new Set(
  'p blockquote pre table ul ol dl hr figure h1 h2 h3 h4 h5 h6'.split(' '),
);
const MAX_DEPTH = 500;
const MAX_LINK_CHARS = 500;
const MAX_TITLE_CHARS = 300;

class PageWriter {
  #base: URL;
  #hasOwnBase = false;
  readonly #maxChars: number;
  #depth = 0;
  /** How many of the open elements stand in one that is not shown; that one included. */
  #hiddenDepth = 0;
  #preDepth = 0;
  #isTitle = false;
  #title = '';
  readonly #out: string[] = [];
  #chars = 0;
  /** Line ends that are written before the next word; none are written at the end. */
  #owedLines = 0;
  #owesBlank = false;
  /** Marks of the line that begins, such as a bullet. */
  #lineStart = '';
  readonly #lists: { count: number; readonly isOrdered: boolean }[] = [];
  /** Where the text of each open link begins, and where it leads. */
  readonly #links: { readonly href: string | undefined; readonly from: number }[] = [];
  #cells = 0;
  /** True between the beginning of a table's cell and its first word. */
  #isCellStart = false;
  #isTooDeep = false;

  constructor(base: URL, maxChars: number) {
    this.#base = base;
    this.#maxChars = maxChars;
  }

  get isFull(): boolean {
    return this.#isTooDeep || this.#chars > this.#maxChars;
  }

  text(): string {
    const title = this.#title.replace(/\s+/g, ' ').trim();
    return [title === '' ? '' : `Title: ${title}`, this.#out.join('')].filter((part) => part !== '').join('\n\n');
  }

  open(name: string, attributes: Attributes): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) this.#isTooDeep = true;
    // The one thing in a head that people see, and the one that changes what links mean.
    if (name === 'title' && this.#title === '' && this.#hiddenDepth === 0) this.#isTitle = true;
    if (name === 'base' && attributes.href !== undefined) this.#heedBase(attributes.href);
    if (this.#hiddenDepth > 0 || DROPPED.has(name) || isHidden(name, attributes)) {
      this.#hiddenDepth++;
      return;
    }
    this.#oweLines(this.#linesAround(name));
    switch (name) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6':
        this.#lineStart += `${'#'.repeat(Number(name[1]))} `;
        break;
      case 'br':
        this.#oweLine();
        break;
      case 'hr':
        this.#put('---');
        this.#oweLines(2);
        break;
      case 'pre':
        this.#preDepth++;
        break;
      case 'ul':
      case 'ol':
        this.#lists.push({ count: 0, isOrdered: name === 'ol' });
        break;
      case 'li':
        this.#beginItem();
        break;
      case 'tr':
        this.#cells = 0;
        break;
      case 'td':
      case 'th':
        this.#beginCell();
        break;
      case 'a':
        this.#links.push({ href: this.#linkTarget(attributes.href), from: this.#out.length });
        break;
      case 'img':
        if (attributes.alt?.trim()) this.write(`[image: ${attributes.alt.trim()}]`);
        break;
    }
  }

  close(name: string): void {
    this.#depth--;
    if (name === 'title') this.#isTitle = false;
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth--;
      return;
    }
    if (name === 'a') this.#endLink();
    if (name === 'pre') this.#preDepth--;
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    // A heading or an item without words leaves no mark for the next line.
    if (name === 'li' || /^h[1-6]$/.test(name)) this.#lineStart = '';
    if (name === 'td' || name === 'th') this.#endCell();
    else this.#oweLines(this.#linesAround(name));
  }

  write(text: string): void {
    if (this.#isTitle && this.#title.length < MAX_TITLE_CHARS) this.#title += text.slice(0, MAX_TITLE_CHARS);
    if (this.#isTitle || this.#hiddenDepth > 0) return;
    if (this.#preDepth > 0) {
      this.#put(text);
      return;
    }
    const words = text.replace(/[ \t\r\n\f]+/g, ' ');
    if (words === '') return;
    if (words.startsWith(' ')) this.#owesBlank = true;
    const trimmed = words.trim();
    if (trimmed !== '') this.#put(trimmed);
    if (words.endsWith(' ')) this.#owesBlank = true;
  }

  #put(text: string): void {
    const isFirst = this.#out.length === 0;
    const isNewLine = isFirst || this.#owedLines > 0;
    const before = isFirst ? '' : this.#owedLines > 0 ? '\n'.repeat(this.#owedLines) : this.#owesBlank ? ' ' : '';
    const piece = `${before}${isNewLine ? this.#lineStart : ''}${text}`;
    if (isNewLine) this.#lineStart = '';
    this.#owedLines = 0;
    this.#owesBlank = false;
    this.#isCellStart = false;
    this.#out.push(piece);
    this.#chars += piece.length;
  }

  #oweLines(count: number): void {
    // What a block opens at the beginning of an item or a cell stands on that line already.
    if (count === 0 || this.#lineStart !== '' || this.#isCellStart) return;
    this.#owedLines = Math.max(this.#owedLines, count);
    this.#owesBlank = false;
  }

  /** A list in a list stands close to it. */
  #linesAround(name: string): number {
    if ((name === 'ul' || name === 'ol') && this.#lists.length > 0) return 1;
    if (PARAGRAPHS.has(name)) return 2;
    return BLOCKS.has(name) ? 1 : 0;
  }

  /** Line breaks add up, unlike the ends of blocks; more than an empty line is never needed. */
  #oweLine(): void {
    this.#oweLines(Math.min(2, this.#owedLines + 1));
  }

  #beginCell(): void {
    if (this.#cells++ > 0) {
      this.#owesBlank = true;
      this.#put('|');
      this.#owesBlank = true;
    }
    this.#isCellStart = true;
  }

  /** The next cell goes on in the same line; the row's own line is owed until something was written into it. */
  #endCell(): void {
    if (!this.#isCellStart) this.#owedLines = 0;
    this.#isCellStart = false;
  }

  #beginItem(): void {
    const list = this.#lists.at(-1);
    if (list) list.count++;
    const indent = '  '.repeat(Math.min(10, Math.max(0, this.#lists.length - 1)));
    this.#lineStart = `${indent}${list?.isOrdered ? `${list.count}.` : '-'} `;
  }

  /** Only the first counts, as in browsers. All links are resolved against it, so a long one is refused. */
  #heedBase(href: string): void {
    if (this.#hasOwnBase) return;
    this.#hasOwnBase = true;
    const base = resolve(href, this.#base);
    if (base && base.href.length <= MAX_URL_CHARS) this.#base = base;
  }

  #linkTarget(href: string | undefined): string | undefined {
    if (href === undefined || href.trim().startsWith('#')) return undefined;
    const url = resolve(href, this.#base);
    const isUseful = url && ['http:', 'https:', 'mailto:'].includes(url.protocol);
    return isUseful && url.href.length <= MAX_LINK_CHARS ? url.href : undefined;
  }

  #endLink(): void {
    const link = this.#links.pop();
    if (link?.href === undefined || link.from === this.#out.length) return;
    const text = this.#out.slice(link.from).join('').trim();
    if (text === link.href) return;
    const owed = this.#owedLines;
    this.#owedLines = 0;
    this.#owesBlank = true;
    this.#put(`(${link.href})`);
    this.#owedLines = owed;
  }
}

function isHidden(name: string, attributes: Attributes): boolean {
  if ('hidden' in attributes || attributes['aria-hidden'] === 'true') return true;
  if (name === 'input' || name === 'select') return true;
  const style = attributes.style?.toLowerCase().replace(/\s+|!important/g, '') ?? '';
  return /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0*(?:\.0+)?(?:;|$)|font-size:0(?:px|em|rem|pt|%)?(?:;|$))/.test(
    style,
  );
}

function resolve(href: string, base: URL): URL | undefined {
  const text = href.trim();
  return URL.canParse(text, base.href) ? new URL(text, base) : undefined;
}
