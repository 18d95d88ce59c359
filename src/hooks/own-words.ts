// Says whether the error text of a handler repeats what somebody said. Such a text may be neither logged nor stored before
// a gate has passed the message; any other text is the handler's own, and an operator needs it at once.

/** A shorter repetition may be chance. */
const SHORTEST_QUOTE = 12;
/** The fields in which an event carries the message that a gate may still block. */
const SAID_FIELDS = ['content', 'body', 'bodyForAgent', 'prompt', 'cleanedBody', 'text', 'message'] as const;

export function isOwnWords(error: string, event: Readonly<Record<string, unknown>>): boolean {
  return !SAID_FIELDS.some((field) => textsOf(event[field]).some((said) => isQuoted(said, error)));
}

export function isQuoted(said: string, error: string): boolean {
  const length = Math.min(SHORTEST_QUOTE, said.length);
  if (length < 4) return false;
  for (let start = 0; start + length <= error.length; start++) {
    if (said.includes(error.slice(start, start + length))) return true;
  }
  return false;
}

/** The text of a field, or the texts of a message's blocks. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  const { content } = (typeof value === 'object' && value !== null ? value : {}) as { readonly content?: unknown };
  if (!Array.isArray(content)) return [];
  return content.flatMap(({ text }: { readonly text?: unknown }) => (typeof text === 'string' ? [text] : []));
}
