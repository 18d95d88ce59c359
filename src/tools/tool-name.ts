// One spelling per tool: models and older configurations write names in several ways.

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['bash', 'exec'],
  ['apply-patch', 'apply_patch'],
]);

/** Trimmed, in lower case, aliases replaced; a name of nothing is `tool`. */
export function normalizeToolName(name: string): string {
  const plain = name.trim().toLowerCase();
  return plain === '' ? 'tool' : (ALIASES.get(plain) ?? plain);
}
