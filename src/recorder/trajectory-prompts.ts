// A trajectory has each long system prompt once, and names it by its hash from then on, because nearly every run of a
// session has the same one. Here a record is taken apart before it is written, and put together again for a reader.

import { hash as hashOnce } from 'node:crypto';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';

/** A prompt, ready to be written. */
export interface WrittenPrompt {
  readonly hash: string;
  /** The field that names it. */
  readonly hashField: string;
  /** The prompt as JSON text. */
  readonly json: string;
  /** What it adds to a line. */
  readonly bytes: number;
}

type Values = Readonly<Record<string, unknown>>;

/** Shorter prompts stay in the record. */
const LONG_PROMPT = 1_024;

/** The data without its system prompt, and that prompt; the data as it is when it has none that is long. `shown` makes of a text what may be written. */
export function takePrompt(
  data: Values,
  shown: (text: string) => string,
): { readonly data: Values; readonly prompt?: WrittenPrompt } {
  if (typeof data.systemPrompt !== 'string' || data.systemPrompt.length < LONG_PROMPT) return { data };
  const { systemPrompt, ...rest } = data;
  return { data: rest, prompt: writtenPrompt(shown(systemPrompt)) };
}

/** Adds the text of the data with the hash of the prompt, and with the prompt itself if it is to be written. */
export function addPrompt(texts: string[], data: string, { hashField, json }: WrittenPrompt, isWritten: boolean): void {
  if (data === '{}') texts.push('{');
  else texts.push(data.slice(0, -1), ',');
  texts.push(hashField);
  if (isWritten) texts.push(PROMPT_FIELD, json);
  texts.push('}');
}

/** What the hash of the prompt adds to a line with this data. */
export function hashBytes(data: string, { hashField }: WrittenPrompt): number {
  return hashField.length + (data === '{}' ? 0 : ','.length);
}

/** The lines of a trajectory with the prompt in every record that names one. A prompt that is in no line stays a hash. */
export function expandPrompts(text: string): string {
  if (!text.includes(HASH_FIELD)) return text;
  const known = new Map<string, string>();
  return text
    .split('\n')
    .map((line) => (line.includes(HASH_FIELD) ? expandLine(line, known) : line))
    .join('\n');
}

function expandLine(line: string, known: Map<string, string>): string {
  try {
    const record = JSON.parse(line) as { readonly data?: JsonValue };
    const { data } = record;
    if (data === undefined || !isJsonObject(data)) return line;
    const { [HASH_FIELD]: hash, ...rest } = data;
    if (typeof hash !== 'string') return line;
    if (typeof rest.systemPrompt === 'string') known.set(hash, rest.systemPrompt);
    const systemPrompt = known.get(hash);
    return systemPrompt === undefined ? line : JSON.stringify({ ...record, data: { ...rest, systemPrompt } });
  } catch {
    // A line that was cut short by a crash stays as it is.
    return line;
  }
}

const HASH_FIELD = 'systemPromptHash';
const PROMPT_FIELD = ',"systemPrompt":';

/** The same few prompts are written by all sessions of an agent. */
function writtenPrompt(text: string): WrittenPrompt {
  const known = PROMPTS.get(text);
  if (known) return known;
  const json = JSON.stringify(text);
  const hash = `sha256:${hashOnce('sha256', text, 'hex')}`;
  const bytes = Buffer.byteLength(json) + PROMPT_FIELD.length;
  const prompt = { hash, hashField: `"${HASH_FIELD}":"${hash}"`, json, bytes };
  PROMPTS.set(text, prompt);
  const [oldest] = PROMPTS.keys();
  if (PROMPTS.size > MOST_PROMPTS && oldest !== undefined) PROMPTS.delete(oldest);
  return prompt;
}

const MOST_PROMPTS = 16;
const PROMPTS = new Map<string, WrittenPrompt>();
