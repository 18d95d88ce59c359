// When a run is suspended and another message arrives in its session, the sender is told at once that their message
// waits too, and for what. The note is a message of its own, which is committed together with the acceptance of that
// message.

import type { DeliveryPort } from '../../agent/run-parts.ts';
import { describeDuration } from '../../commands/chat-text.ts';
import type { HookContext } from '../../hooks/hook-context.ts';
import { countOf } from '../../protocol/count-of.ts';
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
  { surface, fromAgent, fromWebhook, messageId }: Inbound,
  sessionKey: string,
  context: HookContext,
): Promise<readonly NewRow<'outbox'>[]> {
  // A client of the API reads only its answer, and an agent is told by its tool.
  if (fromAgent || fromWebhook || surface.channel === 'api') return [];
  // Nearly every message finds no suspended run, and costs one look-up.
  if ((await store.count('runs', { sessionKey, status: 'suspended' })) === 0) return [];
  const text = (await describeApproval(store, sessionKey)) ?? (await describeWait(store, sessionKey, now()));
  if (text === undefined) return [];
  const runId = newId('note', now());
  const answer = { runId, sessionKey, surface, text, replyToId: messageId, context: { ...context, runId } };
  return (await delivery.plan(answer)).rows;
}

async function describeApproval(store: Store, sessionKey: string): Promise<string | undefined> {
  const where = { sessionKey, status: 'waiting' };
  const [approval] = await store.select('approvals', { where, orderBy: [['seq', 'asc']], limit: 1 });
  if (!approval) return undefined;
  const { id, title, allowedDecisions } = approval;
  return `This waits behind an approval: ${title}. Answer it with /approve ${id} ${allowedDecisions.join(' | ')}, or end it with /stop.`;
}

async function describeWait(store: Store, sessionKey: string, now: number): Promise<string | undefined> {
  const where = { sessionKey, status: 'waiting' };
  const [wait] = await store.select('waits', { where, orderBy: [['expiresAt', 'desc']], limit: 1 });
  if (!wait) return undefined;
  const what = countOf(wait.awaited.length, 'subagent');
  const left = describeDuration(roundUp(wait.expiresAt - now));
  return `This waits until the answer before it is there, which waits for ${what} (at most ${left}). End that with /stop.`;
}

/** Rounds up to whole minutes, or to whole seconds below a minute, so that less than the time that is left is never said. */
function roundUp(ms: number): number {
  const unit = ms > 60_000 ? 60_000 : 1_000;
  return Math.max(1, Math.ceil(ms / unit)) * unit;
}
