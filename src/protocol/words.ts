// A list of plain words, written as one text. Long lists of names are easier to read this way.

export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
