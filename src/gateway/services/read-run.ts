// A run as clients are shown it: how it went, the requests to the model, and where the answer went. It only reads.

import { callOfSummary, FRAME_CALL } from '../../agent/request-frame.ts';
import type { Store } from '../../store/store.ts';
import type { CaptureRow, HookRecordRow, OutboxRow } from '../../store/tables.ts';
import { type FoundRun, findRun } from './runs.ts';

export interface ShownRun {
  readonly run: Omit<FoundRun, 'progressClaim' | 'stopReason'>;
  readonly calls: readonly ({ readonly call: number } & ShownCall)[];
  readonly summaries: readonly ({ readonly summary: number } & ShownCall)[];
  readonly deliveries: readonly Pick<
    OutboxRow,
    'seq' | 'part' | 'surface' | 'status' | 'attempts' | 'receipt' | 'error'
  >[];
}

type ShownCall = Pick<CaptureRow, 'at' | 'provider' | 'model' | 'size'>;

const MAX_ROWS = 1_000;

/** Rejects with UnknownRunError when there is no such run. */
export async function readRun(store: Store, runId: string): Promise<ShownRun> {
  const found = await findRun(store, runId);
  const captures = await store.select('captures', {
    where: { runId, call: { not: FRAME_CALL } },
    orderBy: [['call', 'asc']],
    limit: MAX_ROWS,
  });
  const outbox = await store.select('outbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: MAX_ROWS });
  return {
    run: shownRun(found),
    calls: captures.filter(({ call }) => call > FRAME_CALL).map((row) => ({ call: row.call, ...shownCall(row) })),
    summaries: captures
      .filter(({ call }) => call < FRAME_CALL)
      .map((row) => ({ summary: callOfSummary(row.call), ...shownCall(row) }))
      .reverse(),
    deliveries: outbox.map(({ seq, part, surface, status, attempts, receipt, error }) => ({
      seq,
      part,
      surface,
      status,
      attempts,
      receipt,
      error,
    })),
  };
}

export type ShownHookRecord = Omit<HookRecordRow, 'runId' | 'sessionKey'>;

/** The calls of handlers in a run, in their order. */
export async function readHookRecords(store: Store, runId: string): Promise<readonly ShownHookRecord[]> {
  const rows = await store.select('hookRecords', { where: { runId }, orderBy: [['seq', 'asc']], limit: MAX_ROWS });
  return rows.map(({ runId: _run, sessionKey: _session, ...record }) => record);
}

/** Without the field that only the gateway itself needs. */
export function shownRun({ progressClaim: _, stopReason: __, ...shown }: FoundRun): ShownRun['run'] {
  return shown;
}

function shownCall({ at, provider, model, size }: CaptureRow): ShownCall {
  return { at, provider, model, size };
}
