// Shows a stranger's text to a model so that it cannot be taken for anything else. Every line of the text begins with a
// mark, and no other line does: a page may imitate the frame, an approval or a system message, and its lines still begin
// with the mark. A secret word around the text would not mark each line, would be lost where the text is cut, and would
// give the same page a different result each time.

export interface QuotedPage {
  readonly quoted: string;
  /** Characters of the text itself that are shown. */
  readonly chars: number;
  /** True when the text went on. */
  readonly isCut: boolean;
}

export interface QuoteLimits {
  readonly maxChars: number;
  /** The most characters of the text with its marks. */
  readonly maxQuotedChars: number;
}

export const QUOTE_MARK = '> ';

export function quotePage(text: string, { maxChars, maxQuotedChars }: QuoteLimits): QuotedPage {
  const lines: string[] = [];
  let chars = 0;
  let room = maxQuotedChars;
  // Enough for what is shown, even where most of it is invisible, and bounded for whatever is sent.
  const looked = text.slice(0, 4 * maxChars + LOOKED_AT_LEAST);
  const visible = visibleText(looked);
  for (let start = 0; start < visible.length; ) {
    const newline = visible.indexOf('\n', start);
    const end = newline === -1 ? visible.length : newline;
    const left = Math.min(maxChars - chars, room - QUOTE_MARK.length - 1);
    if (left <= 0) return { quoted: lines.join('\n'), chars, isCut: true };
    const line = visible.slice(start, Math.min(end, start + left)).replace(/[\ud800-\udbff]$/, '');
    lines.push(`${QUOTE_MARK}${line}`.trimEnd());
    if (start + left < end) return { quoted: lines.join('\n'), chars: chars + line.length, isCut: true };
    chars = Math.min(maxChars, chars + line.length + (newline === -1 ? 0 : 1));
    room -= line.length + QUOTE_MARK.length + 1;
    start = end + 1;
  }
  return { quoted: lines.join('\n'), chars, isCut: looked.length < text.length };
}

const LOOKED_AT_LEAST = 64 * 1024;

/**
 * What a person would see. Every kind of line end is one line end, or a line could begin without its mark; and letters
 * that show nothing, turn the reading direction or steer a terminal can only hide something from a person who looks on.
 */
function visibleText(text: string): string {
  // All invisible characters, except those that join letters and emoji.
  const invisible =
    /(?!\t|\n|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb]/gu;
  return text
    .replace(/\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]/g, '\n')
    .replace(invisible, '')
    .replace(/^\n+/, '')
    .trimEnd();
}
