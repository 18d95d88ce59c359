// How many columns of a terminal a text takes. Letters of East Asian scripts and most emoji take two, marks that join
// the letter before them take none.

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Variation selectors are among the marks. */
const JOINED = /\p{Mn}|\p{Me}|\p{Cf}/u;

export function textWidth(text: string): number {
  // Most text is plain, and it is measured often.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width;
}

/** The longest beginning that fits, and the rest. At least one letter is taken. */
export function splitAtWidth(text: string, width: number): readonly [string, string] {
  let taken = 0;
  let end = 0;
  for (const letter of text) {
    taken += letterWidth(letter);
    if (taken > width && end > 0) break;
    end += letter.length;
  }
  return [text.slice(0, end), text.slice(end)];
}

function letterWidth(letter: string): number {
  if (JOINED.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}
