// Queues text for the next run of a session. It is shown in exactly one run that completes: the request binds it, the
// result consumes it, a run that fails releases it.
//
// Result: false when the same was queued before.
// Errors: rejects with InjectionRefusedError when the text is empty or too long, or when too many are waiting already.
// Rules: of two with the same owner, session and key only the first counts, also after it has been shown.

import { InjectionRefusedError } from '../protocol/errors.ts';
import { newId } from '../protocol/new-id.ts';
import type { NewRow } from '../store/store.ts';
import type { InjectionRow } from '../store/tables.ts';
import type { RunParts } from './run-parts.ts';

export interface InjectionRequest {
  /** The plugin that wants it said. */
  readonly owner: string;
  readonly sessionKey: string;
  readonly text: string;
  /** Before or behind the person's message. Default before. */
  readonly placement?: InjectionRow['placement'] | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Not shown in a run that begins later than so many milliseconds from now. */
  readonly ttlMs?: number | undefined;
}

const MAX_CHARS = 32_000;
const MAX_WAITING = 100;

export async function queueInjection(
  { store, now }: Pick<RunParts, 'store' | 'now'>,
  { owner, sessionKey, text, placement = 'prepend', idempotencyKey, ttlMs }: InjectionRequest,
): Promise<boolean> {
  if (text.trim() === '') throw new InjectionRefusedError(owner, 'its text is empty');
  if (text.length > MAX_CHARS) {
    throw new InjectionRefusedError(owner, `its text has ${text.length} characters, and ${MAX_CHARS} are the limit`);
  }
  const same = { owner, sessionKey, idempotencyKey };
  if (idempotencyKey !== undefined && (await store.count('injections', same)) > 0) return false;
  const waiting = await store.count('injections', { owner, sessionKey, status: 'queued' });
  if (waiting >= MAX_WAITING) {
    throw new InjectionRefusedError(owner, `${waiting} of its texts are waiting for that session already`);
  }
  const createdAt = now();
  const row: NewRow<'injections'> = {
    id: newId('inj', createdAt),
    owner,
    sessionKey,
    idempotencyKey: idempotencyKey ?? null,
    placement,
    text,
    createdAt,
    expiresAt: ttlMs === undefined ? null : createdAt + ttlMs,
    status: 'queued',
    runId: null,
  };
  const { changed } = await store.commit([{ insert: 'injections', row, onConflict: 'ignore' }], { site: 'injection' });
  return changed[0] === 1;
}
