// Text of somebody else inside a text of the product's own. What is quoted can never look like the end of the quote, like
// an instruction, like an approval or like an event, because every line of it begins with a bar and its angle brackets are
// written as entities.

/** Every character that any reader takes for the end of a line ends one here. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

const BAR = '| ';

export function quotedText(text: string): string {
  return inertText(text)
    .split(LINE_ENDS)
    .map((line) => BAR + line)
    .join('\n');
}

/** The words inside of a quote, for people; a text without a quote as it is. */
export function unquotedText(text: string): string {
  const quoted = text.split('\n').filter((line) => line.startsWith(BAR));
  if (quoted.length === 0) return text;
  const words = quoted.map((line) => line.slice(BAR.length)).join('\n');
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}

/** Makes a text of one line harmless: it cannot open or close a mark. */
export function inertText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Writes a few facts about people, such as their names, as one line of JSON without brackets of any kind inside of its texts,
 * and without characters that end a line or cannot be seen.
 */
export function quotedData(facts: Readonly<Record<string, string | number | boolean>>): string {
  return JSON.stringify(facts).replace(/[<>[\]\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
