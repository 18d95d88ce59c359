// Finds the place where people will see the answer of a run, for drafts and typing signs. There is none when the run
// speaks through another session, or when it may well say nothing.

import { speaksItself } from '../agent/subagents/speaks-itself.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { Store } from '../store/store.ts';
import type { TriggerKind } from '../store/tables.ts';

/** A scheduled run often has nothing to say. */
const SHOWN_KINDS: ReadonlySet<TriggerKind> = new Set(['message', 'completion']);

export async function readAnswerSurface(store: Pick<Store, 'select'>, runId: string): Promise<Surface | undefined> {
  const [trigger] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  if (!trigger?.payload) return undefined;
  const { sessionKey, payload } = trigger;
  const kind = payload.resumes ?? trigger.kind;
  const { inbound } = payload;
  const isShown = SHOWN_KINDS.has(kind) && speaksItself({ sessionKey, kind, inbound, child: undefined });
  return isShown ? inbound.surface : undefined;
}
