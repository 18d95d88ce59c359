// Queues text for the next run of a session. It is shown in exactly one run that completes: the request binds it, the
// result consumes it, a run that fails releases it. It is removed when its time is over, when a person starts the
// session over, and when its plugin is disabled.
// Result: `enqueued` is false when the same was queued before; the id is then that of the first. Errors: rejects with
// InjectionRefusedError when the text is empty or too long, the key is too long, the time is not valid, or too many are
// waiting already. Rules: of two with the same owner, session and key only the first counts, also after it has been
// shown; one whose time was over before it was shown does not count.

import { newId } from '../protocol/new-id.ts';
import type { NewRow, Store } from '../store/store.ts';
import type { InjectionRow } from '../store/tables.ts';
import { InjectionRefusedError } from './errors.ts';
import type { RunParts } from './run-parts.ts';

export interface InjectionRequest {
  /** The plugin that queues the text. */
  readonly owner: string;
  readonly sessionKey: string;
  readonly text: string;
  /** Whether it stands before or after the person's message. The default is before. */
  readonly placement?: InjectionRow['placement'] | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The text is not shown in a run that begins later than this many milliseconds from now. */
  readonly ttlMs?: number | undefined;
}

export interface QueuedText {
  readonly enqueued: boolean;
  readonly id: string;
}

const MAX_CHARS = 32_000;
const MAX_KEY_CHARS = 512;
const MAX_WAITING = 100;

export async function queueInjection(
  { store, now }: Pick<RunParts, 'store' | 'now'>,
  request: InjectionRequest,
): Promise<QueuedText> {
  const { owner, sessionKey, text, placement = 'prepend', idempotencyKey, ttlMs } = request;
  const problem = problemOf(request);
  if (problem !== undefined) throw new InjectionRefusedError({ owner, problem });
  const createdAt = now();
  const earlier = await findEarlier(store, request, createdAt);
  if (earlier) return { enqueued: false, id: earlier.id };
  const ofSession = { owner, sessionKey, status: 'queued' };
  const expired = { ...ofSession, expiresAt: { lte: createdAt } };
  const waiting = (await store.count('injections', ofSession)) - (await store.count('injections', expired));
  if (waiting >= MAX_WAITING) {
    throw new InjectionRefusedError({ owner, problem: `${waiting} of its texts are waiting for that session already` });
  }
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
  const { changed } = await store.commit(
    [
      { remove: 'injections', where: expired },
      { insert: 'injections', row, onConflict: 'ignore' },
    ],
    { site: 'injection' },
  );
  if (changed[1] === 1) return { enqueued: true, id: row.id };
  return { enqueued: false, id: (await findEarlier(store, request, createdAt))?.id ?? row.id };
}

function problemOf({ text, idempotencyKey, ttlMs }: InjectionRequest): string | undefined {
  if (text.trim() === '') return 'its text is empty';
  if (text.length > MAX_CHARS) return `its text has ${text.length} characters, and ${MAX_CHARS} are the limit`;
  if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > MAX_KEY_CHARS)) {
    return `its key must have 1 to ${MAX_KEY_CHARS} characters`;
  }
  if (ttlMs !== undefined && !(ttlMs > 0)) return 'its time would be over already';
  return undefined;
}

async function findEarlier(
  store: Store,
  { owner, sessionKey, idempotencyKey }: InjectionRequest,
  now: number,
): Promise<InjectionRow | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const [row] = await store.select('injections', { where: { owner, sessionKey, idempotencyKey }, limit: 1 });
  const isExpired = row?.status === 'queued' && row.expiresAt !== null && row.expiresAt <= now;
  return isExpired ? undefined : row;
}
