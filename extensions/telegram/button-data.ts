// The value of a button as Telegram's callback data, and back. The data is at most 64 bytes, so a longer value is kept in
// the memory of the account, and the data is its hash. It survives a restart in both forms.

import { createHash } from 'node:crypto';
import type { AccountMemory } from './account-memory.ts';

const MOST_BYTES = 64;
const AS_IT_IS = '=';
const BY_NAME = '#';

export function formatButtonData(value: string, memory: Pick<AccountMemory, 'noteButton'>): string {
  if (Buffer.byteLength(value) < MOST_BYTES) return `${AS_IT_IS}${value}`;
  const name = createHash('sha256').update(value).digest('base64url').slice(0, 32);
  memory.noteButton(name, value);
  return `${BY_NAME}${name}`;
}

/** Undefined when the value is no longer known, or when the button is of another program. */
export function readButtonData(data: string, memory: Pick<AccountMemory, 'button'>): string | undefined {
  if (data.startsWith(AS_IT_IS)) return data.slice(1);
  return data.startsWith(BY_NAME) ? memory.button(data.slice(1)) : undefined;
}
