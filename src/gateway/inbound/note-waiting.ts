// When a run waits for a person and another message arrives in its session, the sender is told at once that their
// message waits too, and for what. The note is a message of its own, which is committed together with the acceptance of
// that message.

import type { DeliveryPort } from '../../agent/run-parts.ts';
import type { HookContext } from '../../hooks/hook-context.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import { newId } from '../../protocol/new-id.ts';
import type { NewRow, Store } from '../../store/store.ts';

export interface NoteParts {
  readonly store: Store;
  readonly delivery: Pick<DeliveryPort, 'plan'>;
  readonly now: () => number;
}

export async function noteWaiting(
  { store, delivery, now }: NoteParts,
  { surface, fromAgent, messageId }: Inbound,
  sessionKey: string,
  context: HookContext,
): Promise<readonly NewRow<'outbox'>[]> {
  // A client of the API reads only its answer, and an agent is told by its tool.
  if (fromAgent || surface.channel === 'api') return [];
  const where = { sessionKey, status: 'waiting' };
  const [approval] = await store.select('approvals', { where, orderBy: [['seq', 'asc']], limit: 1 });
  if (!approval) return [];
  const { id, title, allowedDecisions } = approval;
  const text = `This waits behind an approval: ${title}. Answer it with /approve ${id} ${allowedDecisions.join(' | ')}, or end it with /stop.`;
  const runId = newId('note', now());
  const answer = { runId, sessionKey, surface, text, replyToId: messageId, context: { ...context, runId } };
  return (await delivery.plan(answer)).rows;
}
