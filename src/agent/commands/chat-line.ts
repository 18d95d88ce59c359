// Text from elsewhere on one line of a chat answer: without control characters, which would move the cursor of whoever
// reads it in a terminal, and no longer than a reader wants.

const LONGEST = 200;

export function chatLine(text: string, longest: number = LONGEST): string {
  const line = text
    .replace(/[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ')
    // Three of these would end a block of code that the line stands in.
    .replace(/```+/g, "'''")
    .trim();
  if (line.length <= longest) return line;
  return `${line.slice(0, Math.max(1, longest - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}
