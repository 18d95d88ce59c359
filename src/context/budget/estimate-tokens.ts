// Estimates how many tokens a model counts for a text. It is a fast estimate from classes of characters, and the same
// on every machine: about four characters of Latin prose per token, fewer with many digits, marks or other scripts, and
// about one token per CJK character. The calibration factor corrects it by real usage; nothing is remembered here.

/** `calibration` scales the guess to what a provider has been seen to count; 1 leaves it alone. */
export function estimateTokens(text: string, calibration = 1): number {
  if (text.length === 0) return 0;
  let hundredths = 0;
  let previous = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 128) hundredths += weightBeyondAscii(code);
    else hundredths += (code === previous ? REPEATED[code] : WEIGHTS[code]) ?? 0;
    previous = code;
  }
  return Math.max(1, Math.ceil((hundredths * calibration) / 100));
}

/** Hundredths of a token for each ASCII character. */
const WEIGHTS = asciiWeights({ lower: 23, upper: 28, digit: 40, space: 18, control: 40, mark: 55 });
/** Runs of blanks, dashes or dots merge into few tokens; runs of letters and digits do not. */
const REPEATED = asciiWeights({ lower: 23, upper: 28, digit: 40, space: 6, control: 12, mark: 12 });

interface AsciiClasses {
  readonly lower: number;
  readonly upper: number;
  readonly digit: number;
  readonly space: number;
  readonly control: number;
  readonly mark: number;
}

function asciiWeights(weights: AsciiClasses): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const character = String.fromCharCode(code);
    if (/[a-z]/.test(character)) return weights.lower;
    if (/[A-Z]/.test(character)) return weights.upper;
    if (/[0-9]/.test(character)) return weights.digit;
    if (character === ' ') return weights.space;
    return code < 32 || code === 127 ? weights.control : weights.mark;
  });
}

function weightBeyondAscii(code: number): number {
  if (code < 0x0590) return 45; // Accented Latin, Greek, Cyrillic, Armenian.
  if (code < 0x1100) return 65; // Hebrew, Arabic, Indic and South-East Asian scripts.
  if (code < 0x2000) return 80;
  if (code >= 0xd800 && code <= 0xdfff) return 75; // Half of an emoji or of a rare character.
  return 100; // Typographic marks, symbols, CJK, kana, hangul.
}
