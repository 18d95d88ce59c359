// Reads what happened in a run from the store and from the trajectory of its session.
// Errors: UnknownRunError when there is no such run. A trajectory that is not there, or that cannot be read, is left out.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonValue } from '../../protocol/json.ts';
import type { TimelineStep } from '../../protocol/timeline-step.ts';
import { trajectoryFileOf } from '../../recorder/trajectory.ts';
import type { Store } from '../../store/store.ts';
import { listChildren } from './read-children.ts';
import { readHookRecords, readRun } from './read-run.ts';
import { runTimeline, type TraceLine } from './run-timeline.ts';

export interface TimelineParts {
  readonly store: Store;
  readonly trajectoryDir: string;
  readonly now: () => number;
}

export async function readTimeline(
  { store, trajectoryDir, now }: TimelineParts,
  runId: string,
): Promise<readonly TimelineStep[]> {
  const { run, calls } = await readRun(store, runId);
  const where = { runId };
  const [inbox, hooks, entries, approvals, subagents, deliveries] = await Promise.all([
    store.select('inbox', { where, limit: 1 }),
    readHookRecords(store, runId),
    store.select('transcript', { where, orderBy: [['position', 'asc']], limit: MOST }),
    store.select('approvals', { where, orderBy: [['seq', 'asc']], limit: MOST }),
    listChildren(store, { parentRunId: runId, limit: MOST }, now()),
    store.select('outbox', { where, orderBy: [['seq', 'asc']], limit: MOST }),
  ]);
  const trace = run.sessionId === null ? [] : await readTrace(trajectoryFileOf(trajectoryDir, run.sessionId), runId);
  return runTimeline({ run, inbox: inbox[0], calls, hooks, entries, approvals, subagents, deliveries, trace });
}

const MOST = 1_000;

async function readTrace(file: string, runId: string): Promise<readonly TraceLine[]> {
  const lines: TraceLine[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
      // Most lines are of other runs, and need not be parsed.
      if (!line.includes(runId)) continue;
      const record = parseLine(line);
      if (record && record.runId === runId) lines.push(record);
    }
  } catch {
    return [];
  }
  return lines;
}

/** Undefined for a line that was cut short by a crash. */
function parseLine(line: string): (TraceLine & { readonly runId: JsonValue | undefined }) | undefined {
  try {
    const record = JSON.parse(line) as JsonValue;
    if (!isJsonObject(record) || typeof record.type !== 'string') return undefined;
    const { type, ts, runId, data } = record;
    return { type, runId, at: Date.parse(String(ts)), data: isJsonObject(data) ? data : {} };
  } catch {
    return undefined;
  }
}
