// Who a run spends for. A run that an agent started, such as a child's or one about a child's result, spends for the
// person whose message began it all; a child spends in the session at the top of its line. So children cannot pass a
// limit that their parent has.

import type { Inbound } from '../../protocol/inbound.ts';
import type { Spender } from '../../protocol/spend-limit.ts';
import { lineageOf } from '../../store/lineage-of.ts';
import type { Store } from '../../store/store.ts';

export interface RunSpender extends Spender {
  /** The session in which it spends, for limits that count for a session's life. */
  readonly sessionId: string;
  readonly startedAt: number;
}

export interface SpendingRun {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly session: { readonly sessionId: string; readonly startedAt: number };
  readonly inbound: FirstWords;
}

/** What is read of the message that began a run. */
interface FirstWords {
  readonly surface: Pick<Inbound['surface'], 'channel'>;
  readonly sender: Pick<Inbound['sender'], 'id'>;
  readonly fromAgent?: Inbound['fromAgent'];
}

export async function readSpender(store: Store, run: SpendingRun): Promise<RunSpender> {
  const { agentId: agent, sessionKey, session, inbound } = run;
  const top = (await lineageOf(store, sessionKey)).at(-1);
  const sender = senderOf(await firstInbound(store, inbound));
  if (!top) return { agent, session: sessionKey, sender, sessionId: session.sessionId, startedAt: session.startedAt };
  const { parentKey, parentSessionId: sessionId, createdAt } = top;
  const [parent] = await store.select('sessions', { where: { sessionId }, limit: 1 });
  return { agent, session: parentKey, sender, sessionId, startedAt: parent?.startedAt ?? createdAt };
}

/** A run and its sender are never further away from the first message than this, except by mistake. */
const MOST_STEPS = 64;

/** Undefined when a message on the way is not stored any more. */
async function firstInbound(store: Store, inbound: FirstWords): Promise<FirstWords | undefined> {
  let found: FirstWords | undefined = inbound;
  for (let steps = 0; found?.fromAgent && steps < MOST_STEPS; steps++) {
    found = await inboundOf(store, found.fromAgent.runId);
  }
  return found;
}

async function inboundOf(store: Store, runId: string): Promise<Inbound | undefined> {
  const [trigger] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  return trigger?.payload?.inbound;
}

/** All whose sender is not known any more are counted together, so that nobody escapes a limit for each sender. */
function senderOf(inbound: FirstWords | undefined): string {
  return inbound ? `${inbound.surface.channel}:${inbound.sender.id}` : 'unknown';
}
