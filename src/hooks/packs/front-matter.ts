// Reads the front matter of a HOOK.md as flat text values. Hook authors write YAML, almost-YAML and JSON in YAML, so
// two readings are made: YAML, and plain `key: value` lines. Every text gives an answer; no function here throws.

/** A longer block is refused, because the parser's work grows faster than the text and an attacker could use that. */
const LONGEST_BLOCK = 16 * 1024;

export type FrontMatter = Readonly<Record<string, string>>;

export async function parseFrontMatter(text: string): Promise<FrontMatter> {
  const block = findBlock(text);
  if (block === undefined || block.length > LONGEST_BLOCK) return {};
  const lines = readLines(block);
  const yaml = await readYaml(block);
  const merged = new Map<string, string>();
  for (const [key, value] of yaml) {
    const line = lines.get(key);
    // In `description: use when: asked` and `metadata: { "a": 'b', }` a colon made YAML see a structure. The author
    // wrote one line of text, so here the line wins over the structure.
    const wins = value.isStructure && line?.isInline && line.text.includes(':');
    merged.set(key, wins ? line.text : value.text);
  }
  for (const [key, line] of lines) {
    if (!merged.has(key)) merged.set(key, line.text);
  }
  merged.delete('__proto__');
  return Object.fromEntries(merged);
}

/** The text between an opening `---` at the very first character and the first line that begins with `---`. */
function findBlock(text: string): string | undefined {
  const normalized = text.replace(/\r\n?/g, '\n');
  if (!normalized.startsWith('---')) return undefined;
  const end = normalized.indexOf('\n---', 3);
  return end === -1 ? undefined : normalized.slice(4, end);
}

interface YamlValue {
  readonly text: string;
  readonly isStructure: boolean;
}

async function readYaml(block: string): Promise<Map<string, YamlValue>> {
  const values = new Map<string, YamlValue>();
  const { parse } = await import('yaml');
  let root: unknown;
  try {
    // The log level keeps the parser from printing warnings about a file that is not ours.
    root = parse(block, { schema: 'core', logLevel: 'error', maxAliasCount: 20 });
  } catch {
    return values;
  }
  if (typeof root !== 'object' || root === null || Array.isArray(root)) return values;
  for (const [rawKey, value] of Object.entries(root)) {
    const key = rawKey.trim();
    const text = toText(value);
    if (key !== '' && text !== undefined) values.set(key, { text, isStructure: typeof value === 'object' });
  }
  return values;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    // The anchor contains itself.
    return undefined;
  }
}

interface LineValue {
  readonly text: string;
  readonly isInline: boolean;
}

/**
 * A key at the start of a line; its value stands behind the colon or in the indented lines below. The last one wins.
 */
function readLines(block: string): Map<string, LineValue> {
  const values = new Map<string, LineValue>();
  const lines = block.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const [, key, rest] = /^([\w-]+):(.*)$/.exec(lines[index] ?? '') ?? [];
    if (key === undefined || rest === undefined) continue;
    const inline = rest.trim();
    if (inline === '' && isIndented(lines[index + 1])) {
      const first = index + 1;
      while (lines[index + 1] === '' || isIndented(lines[index + 1])) index++;
      const text = lines
        .slice(first, index + 1)
        .join('\n')
        .trim();
      if (text !== '') values.set(key, { text, isInline: false });
      continue;
    }
    const text = stripQuotes(inline);
    if (text !== '') values.set(key, { text, isInline: true });
  }
  return values;
}

function isIndented(line: string | undefined): boolean {
  return line !== undefined && /^[ \t]/.test(line);
}

function stripQuotes(text: string): string {
  const quote = text.at(0);
  return (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1) : text;
}
