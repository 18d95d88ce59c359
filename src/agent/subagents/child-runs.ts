// The runs of a child, and whether they worked for its parent or answered a person who wrote to its session. What a child
// hands over is its last answer to the parent. What it answered people after that is added, so that neither loses the
// other: a question in between does not replace the result, and a correction by a person is not kept from the parent.

import type { Store } from '../../store/store.ts';
import type { InboxRow, RunRow } from '../../store/tables.ts';
import { announcedResult } from './announced-result.ts';

export interface ChildRun {
  readonly runId: string;
  readonly status: RunRow['status'];
  readonly reply?: string | undefined;
  readonly error?: string | undefined;
  readonly errorCode?: string | undefined;
  /** True for the task, for what agents send, and for the results of its own children; false for a person's message. */
  readonly isForParent: boolean;
}

/** The runs of a child in the order of their messages. Of `ending`, the store does not know yet how it ends. */
export async function readChildRuns(
  store: Store,
  childKey: string,
  ending?: Omit<ChildRun, 'isForParent'>,
): Promise<readonly ChildRun[]> {
  // The inbox is looked up by status and key, and without a status all of its rows would be read.
  const where = { sessionKey: childKey, status: { in: ANY_STATUS } };
  const triggers = await store.select('inbox', { where, orderBy: [['seq', 'asc']] });
  const rows = await store.select('runs', { where: { sessionKey: childKey } });
  const runs = new Map(rows.map(({ runId, status, outcome }) => [runId, { ...outcome, runId, status }]));
  const firsts = triggers.filter(({ runId }, index) => triggers.findIndex((each) => each.runId === runId) === index);
  return firsts.flatMap((trigger) => {
    const run = trigger.runId === ending?.runId ? ending : runs.get(trigger.runId);
    return run ? [{ ...run, isForParent: isForParent(trigger) }] : [];
  });
}

const ANY_STATUS: readonly InboxRow['status'][] = ['queued', 'claimed', 'done', 'dead'];

function isForParent({ kind, payload }: InboxRow): boolean {
  return kind === 'spawn' || kind === 'completion' || payload?.inbound.fromAgent !== undefined;
}

/** Undefined when nothing is to be told. */
export function resultOf(runs: readonly ChildRun[]): string | undefined {
  const answered = runs.filter(({ status }) => status === 'done');
  const last = answered.findLastIndex((run) => run.isForParent);
  const result = announcedResult(answered[last]?.reply ?? '');
  // A child that wants no announcement gets none for what it told other people either.
  if (last >= 0 && result === undefined) return undefined;
  const toPeople = answered.slice(last + 1).flatMap(({ reply }) => announcedResult(reply ?? '') ?? []);
  const parts = [...(result === undefined ? [] : [result]), ...toPeople.map((text) => `${TO_A_PERSON}\n${text}`)];
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

const TO_A_PERSON = '[To a person who wrote to this session:]';
