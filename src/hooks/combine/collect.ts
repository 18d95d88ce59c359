// The contributions of all handlers are kept, in calling order: texts are joined with a blank line, lists are
// concatenated.

export function collect(before: unknown, next: unknown): unknown {
  if (before === undefined || before === '') return next;
  if (next === undefined || next === '') return before;
  if (Array.isArray(before) && Array.isArray(next)) return [...before, ...next];
  return `${before}\n\n${next}`;
}
