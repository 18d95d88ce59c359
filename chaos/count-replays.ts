// Replays every run of a store and counts: how many have the same bytes, how many differ, and how many have an input that
// is gone, with the reason.

import { type AskedRuns, type ReplayedRun, replayRuns } from '../src/gateway/services/replay/replay-runs.ts';
import type { Store } from '../src/store/store.ts';

export interface ReplayCounts {
  readonly runs: number;
  readonly same: number;
  /** The ids of runs whose bytes are others. */
  readonly differing: readonly string[];
  /** How many runs could not be replayed, by the reason. */
  readonly gone: ReadonlyMap<string, number>;
}

const AS_THEY_WERE: AskedRuns = {
  since: 0,
  changes: { without: [], files: new Map() },
  pricesOf: async () => undefined,
};

export async function countReplays(store: Store): Promise<ReplayCounts> {
  const differing: string[] = [];
  const gone = new Map<string, number>();
  let runs = 0;
  let same = 0;
  for await (const { runId, verdict, reason = '' } of replayRuns(store, AS_THEY_WERE)) {
    runs += 1;
    if (verdict === 'same') same += 1;
    else if (verdict === 'gone') count(gone, reason.replaceAll(runId, '…'));
    else differing.push(runId);
  }
  return { runs, same, differing, gone };
}

export function formatReplays({ runs, same, differing, gone }: ReplayCounts): string {
  const lost = [...gone].map(([reason, times]) => `  ${times} ×  ${reason}\n`);
  const others = differing.length === 0 ? '' : `: ${differing.slice(0, 20).join(', ')}`;
  const all = [...gone.values()].reduce((sum, each) => sum + each, 0);
  return `replay: ${runs} runs, ${same} the same bytes, ${differing.length} differ${others}, ${all} not replayed\n${lost.join('')}`;
}

function count(counts: Map<string, number>, reason: ReplayedRun['reason'] & string): void {
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}
