// A list in a chat answer: one entry a line, and no more of them than fit on a screen.

const MOST_ENTRIES = 30;

/** A heading with its entries; nothing at all when there are none. */
export function chatList(heading: string, entries: readonly string[], most: number = MOST_ENTRIES): readonly string[] {
  if (entries.length === 0) return [];
  const rest = entries.length - most;
  return [
    '',
    heading,
    ...entries.slice(0, most).map((entry) => `- ${entry}`),
    ...(rest > 0 ? [`- and ${rest.toLocaleString('en-US')} more`] : []),
  ];
}
