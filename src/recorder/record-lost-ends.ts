// Completes trajectories after a process was killed. Lines of a trajectory wait up to a second before they are written, so the
// end of a run that is in the store may be missing there. The next process tells it, from the store, and without words:
// nothing here knows whether the gate of the run had passed.

import { open } from 'node:fs/promises';
import type { RecordedFact } from '../protocol/recorded-fact.ts';
import type { Store } from '../store/store.ts';
import type { RunRow } from '../store/tables.ts';
import { trajectoryFileOf } from './trajectory.ts';

export interface LostEndsParts {
  readonly store: Store;
  readonly trajectoryDir: string;
  readonly record: (fact: RecordedFact) => void;
}

/** Lines are written once a second; a busy process may be late. */
const LATEST_MS = 5_000;
/** More runs do not end in that time. */
const MOST_RUNS = 500;
/** What a session records in that time fits into this many bytes, unless it is left out anyway. */
const TAIL_BYTES = 1_048_576;

/** A trajectory that cannot be read, or that is not in this folder, is left as it is. */
export async function recordLostEnds({ store, trajectoryDir, record }: LostEndsParts): Promise<void> {
  const runs = await store.select('runs', {
    where: { endedAt: { not: null }, sessionId: { not: null } },
    orderBy: [['runId', 'desc']],
    limit: MOST_RUNS,
  });
  const last = Math.max(...runs.map(({ endedAt }) => endedAt ?? 0));
  for (const run of runs.filter(({ endedAt }) => (endedAt ?? 0) > last - LATEST_MS).reverse()) {
    const tail = await readTail(trajectoryFileOf(trajectoryDir, run.sessionId ?? ''));
    if (tail !== undefined && !hasEnd(tail, run.runId)) record(endOf(run));
  }
}

function endOf({ runId, sessionId, sessionKey, status, startedAt, endedAt, outcome }: RunRow): RecordedFact {
  return {
    type: 'trace.artifacts',
    runId,
    sessionId: sessionId ?? undefined,
    sessionKey,
    status,
    errorCode: outcome?.errorCode,
    usage: outcome?.usage,
    ms: endedAt === null ? undefined : endedAt - startedAt,
  };
}

function hasEnd(tail: string, runId: string): boolean {
  return tail
    .split('\n')
    .some((line) => line.includes('"type":"session.ended"') && line.includes(`"runId":${JSON.stringify(runId)}`));
}

async function readTail(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  try {
    if (!handle) return undefined;
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
