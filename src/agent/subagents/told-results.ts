// The results of children that one run is told. Each child has a trigger of its own. Results that wait directly one
// behind the other in the lane of the parent are read in one run: their triggers are claimed together, and from then on
// they have the id of that run. So a run that is taken up again, resumed or given up finds the same results in the inbox,
// and all of them are consumed in the commit that ends it.
//
// Only results with the same destination, and from the same agent, are read together: the run has one place to answer
// and one sender by whom its tools are decided.

import { surfaceId } from '../../protocol/inbound.ts';
import type { Store } from '../../store/store.ts';
import type { InboxRow, TriggerKind, TriggerPayload } from '../../store/tables.ts';
import { joinCompletions, MAX_COMPLETION_CHARS } from './format-completion.ts';

/** The most results in one run. Their texts together are no longer than that of one long result. */
const MOST_TOGETHER = 50;

/** Which triggers a lane claims together. */
export const RESULTS_TOGETHER = {
  kind: 'completion' as const,
  limit: MOST_TOGETHER,
  takes: (taken: readonly InboxRow[], next: InboxRow): boolean => {
    const chars = [...taken, next].reduce((sum, { payload }) => sum + (payload?.inbound.text.length ?? 0), 0);
    const [first] = taken;
    return chars <= MAX_COMPLETION_CHARS && first !== undefined && areTold(first, next);
  },
};

function areTold(first: InboxRow, next: InboxRow): boolean {
  const [a, b] = [first.payload, next.payload];
  if (next.kind !== first.kind || !a || !b) return false;
  // What a person sends again is answered by itself.
  if (a.replayOf !== undefined || b.replayOf !== undefined) return false;
  return (
    a.agentId === b.agentId &&
    surfaceId(a.inbound.surface) === surfaceId(b.inbound.surface) &&
    a.inbound.sender.id === b.inbound.sender.id
  );
}

/** The triggers of a run about results, in the order of its lane. Every other run has none. */
export async function readToldResults(
  store: Store,
  { runId, kind }: { readonly runId: string; readonly kind: TriggerKind },
): Promise<readonly TriggerPayload[]> {
  if (kind !== 'completion') return [];
  const rows = await store.select('inbox', { where: { runId, kind }, orderBy: [['seq', 'asc']] });
  return rows.flatMap(({ payload }) => payload ?? []);
}

/** The trigger of a run, with all results that it is told in one text. */
export function tellTogether(payload: TriggerPayload, results: readonly TriggerPayload[]): TriggerPayload {
  if (results.length < 2) return payload;
  const text = joinCompletions(results.map(({ inbound }) => inbound.text));
  return { ...payload, inbound: { ...payload.inbound, text } };
}

/** The keys of the children whose results these are. */
export function childrenOf(results: readonly TriggerPayload[]): readonly string[] {
  return results.flatMap(({ completionOf }) => completionOf ?? []);
}
