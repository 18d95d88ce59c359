// Reads what happened in a run from the store and from the trajectories of its session, at this node and at others.
// Errors: UnknownRunError when there is no such run. What cannot be read from a trajectory is left out; where that is because
// it lies at a node that cannot be asked, a sentence says so.

import type { TimelineStep } from '../../protocol/timeline-step.ts';
import type { Store } from '../../store/store.ts';
import type { Traces } from '../sharing/sharing.ts';
import { listChildren } from './read-children.ts';
import { readHookRecords, readRun } from './read-run.ts';
import { readTrace } from './read-trace.ts';
import { runTimeline } from './run-timeline.ts';

export interface TimelineParts {
  readonly store: Store;
  readonly trajectoryDir: string;
  /** What other nodes have recorded. */
  readonly elsewhere: Traces;
  readonly now: () => number;
}

export interface Timeline {
  readonly steps: readonly TimelineStep[];
  /** One sentence for each node whose part is not there. */
  readonly missing: readonly string[];
}

export async function readTimeline(parts: TimelineParts, runId: string): Promise<Timeline> {
  const { store, now } = parts;
  const { run, calls } = await readRun(store, runId);
  const where = { runId };
  const [inbox, hooks, entries, approvals, subagents, deliveries, found] = await Promise.all([
    store.select('inbox', { where, limit: 1 }),
    readHookRecords(store, runId),
    store.select('transcript', { where, orderBy: [['position', 'asc']], limit: MOST }),
    store.select('approvals', { where, orderBy: [['seq', 'asc']], limit: MOST }),
    listChildren(store, { parentRunId: runId, limit: MOST }, now()),
    store.select('outbox', { where, orderBy: [['seq', 'asc']], limit: MOST }),
    readAll(parts, run),
  ]);
  const { trace, missing } = found;
  const facts = { run, inbox: inbox[0], calls, hooks, entries, approvals, subagents, deliveries, trace };
  return { steps: runTimeline(facts), missing };
}

const MOST = 1_000;

async function readAll(
  { trajectoryDir, elsewhere }: TimelineParts,
  {
    runId,
    sessionId,
    node,
  }: { readonly runId: string; readonly sessionId: string | null; readonly node: string | null },
) {
  if (sessionId === null) return { trace: [], missing: [] };
  const asked = { runId, sessionId };
  const [here, there] = await Promise.all([readTrace(trajectoryDir, asked), elsewhere.ask(asked, node)]);
  const trace = [...here, ...there.lines].sort((one, other) => one.at - other.at);
  return { trace, missing: there.missing };
}
