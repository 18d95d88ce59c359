// Sends a text to the people of a session, apart from its answers: through the outgoing hooks and the outbox, like
// every other message. Where no person reads the session's surface, nothing is sent.

import type { DeliveryPort } from '../agent/run-parts.ts';
import { findChild } from '../agent/subagents/find-child.ts';
import { isInThread } from '../agent/subagents/speaks-itself.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import type { Surface } from '../protocol/inbound.ts';
import { newId } from '../protocol/new-id.ts';
import { isSubagentSessionKey, parseAgentSessionKey } from '../protocol/session-key.ts';
import type { Store, Write } from '../store/store.ts';

export interface SayLineParts {
  readonly store: Store;
  readonly delivery: Pick<DeliveryPort, 'plan' | 'wake'>;
  readonly now: () => number;
}

export async function sayLine({ store, delivery, now }: SayLineParts, sessionKey: string, text: string): Promise<void> {
  // A child speaks through its parent, unless it has a thread of its own.
  if (isSubagentSessionKey(sessionKey) && !isInThread(await findChild(store, sessionKey))) return;
  const surface = await surfaceOf(store, sessionKey);
  // A client of the API reads only its answer.
  if (!surface || surface.channel === 'api') return;
  const runId = newId('note', now());
  const context = hookContextOf('message', {
    agentId: parseAgentSessionKey(sessionKey)?.agentId,
    sessionKey,
    runId,
    trace: { traceId: runId, spanId: `${runId}.out`, callDepth: 0 },
    surface,
  });
  const { rows } = await delivery.plan({ runId, sessionKey, surface, text, context });
  if (rows.length === 0) return;
  await store.commit(
    rows.map((row): Write => ({ insert: 'outbox', row })),
    { site: 'control' },
  );
  delivery.wake();
}

/** The surface of the run that is being answered, else that of the last message. */
async function surfaceOf(store: Store, sessionKey: string): Promise<Surface | undefined> {
  const [claimed] = await store.select('inbox', { where: { sessionKey, status: 'claimed' }, limit: 1 });
  if (claimed?.payload) return claimed.payload.inbound.surface;
  const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
  return session?.surface ?? undefined;
}
