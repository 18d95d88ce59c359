// Agent ids and account ids: short lower-case words that are safe in paths and in session keys. Any text that a person
// wrote becomes such a word, and the same text always becomes the same word. This file does not know which agents
// exist.

export const DEFAULT_AGENT_ID = 'main';
export const DEFAULT_ACCOUNT_ID = 'default';

const MAX_ID_LENGTH = 64;
const VALID_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** Every plain object already has properties with these names; an account with such a name could reach a prototype. */
const REFUSED_ACCOUNT_IDS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the id that `value` stands for, or `main` when nothing usable is left of it. */
export function normalizeAgentId(value: string | undefined | null): string {
  return toId(value) || DEFAULT_AGENT_ID;
}

/** True when `value` is already an id, apart from surrounding space and upper case. */
export function isValidAgentId(value: string | undefined | null): boolean {
  return VALID_ID.test((value ?? '').trim());
}

/** Works like `normalizeAgentId`, but falls back to `default`. */
export function normalizeAccountId(value: string | undefined | null): string {
  const id = toId(value);
  return id === '' || REFUSED_ACCOUNT_IDS.has(id) ? DEFAULT_ACCOUNT_ID : id;
}

function toId(value: string | undefined | null): string {
  const trimmed = (value ?? '').trim();
  const lowered = trimmed.toLowerCase();
  if (VALID_ID.test(trimmed)) return lowered;
  // The text is cut last, so an id that was cut may end in a dash. Existing homes have folders with such names.
  return trimDashes(lowered.replace(/[^a-z0-9_-]+/g, '-')).slice(0, MAX_ID_LENGTH);
}

/** Compares by index, because a pattern for dashes at the end would start again at every dash of a hostile id. */
function trimDashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '-') start++;
  while (end > start && text[end - 1] === '-') end--;
  return text.slice(start, end);
}
