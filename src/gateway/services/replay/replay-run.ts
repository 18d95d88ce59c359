// Replays a recorded run: composes its requests again from what was recorded and compares the bytes with those that were
// sent; with changes, it shows what the requests would have been. Nothing is written, and no model is asked.
// Errors: as `openRecordedRun` and `RequestReplay` do; BadFlagError for the number of a request that the run never made.

import type { ReplayedRequest, RequestChanges } from '../../../agent/replay-request.ts';
import { countOf } from '../../../protocol/count-of.ts';
import { sha256Of } from '../../../protocol/sha256-of.ts';
import type { Store } from '../../../store/store.ts';
import { BadFlagError } from '../../errors.ts';
import { recordedModel } from './recorded-model.ts';
import { openRecordedRun, type RecordedCall, type RecordedRun } from './recorded-run.ts';
import { type AskedChanges, isUnchanged, replayChanges } from './replay-changes.ts';

export interface RunReplay {
  readonly recorded: RecordedRun;
  readonly calls: readonly CallReplay[];
}

export interface CallReplay {
  readonly call: number;
  readonly recorded: RecordedCall;
  /** The request as it was recorded. */
  readonly before: ReplayedRequest;
  /** The request with what was asked to be different; the same when nothing was. */
  readonly after: ReplayedRequest;
  /** The bytes of `after`, and what they are compared with. */
  readonly body: string;
  readonly hash: string;
  readonly recordedHash: string;
  readonly isSame: boolean;
  /** Whether the request without any change has the bytes that were sent. */
  readonly isFaithful: boolean;
}

/** All requests of the run, or the one that is named. */
export async function replayRun(
  store: Store,
  runId: string,
  asked: AskedChanges,
  { call }: { readonly call?: number | 'last' | undefined } = {},
): Promise<RunReplay> {
  const recorded = await openRecordedRun(store, runId);
  const { inputs } = recorded.frame;
  const changes = inputs && !isUnchanged(asked) ? replayChanges(asked, inputs.composition) : undefined;
  if (typeof call === 'number' && call > Math.max(0, ...recorded.calls)) {
    const expected = `a request of this run, which made ${countOf(recorded.calls.length, 'request')}`;
    throw new BadFlagError({ flag: '--call', value: String(call), expected });
  }
  const numbers = call === 'last' ? recorded.calls.slice(-1) : call === undefined ? recorded.calls : [call];
  const calls: CallReplay[] = [];
  for (const number of numbers) calls.push(await replayCall(recorded, number, changes));
  return { recorded, calls };
}

async function replayCall(run: RecordedRun, call: number, changes: RequestChanges | undefined): Promise<CallReplay> {
  const recorded = await run.call(call);
  const before = await run.replay.request(recorded.sent);
  const after = changes ? await run.replay.request(recorded.sent, changes) : before;
  const model = await recordedModel(recorded.capture, recorded.sent);
  const { body } = await model.prepare(after.request);
  const hash = sha256Of(body);
  const recordedHash = sha256Of(recorded.capture.body);
  const isSame = hash === recordedHash;
  const isFaithful = changes ? (await model.prepare(before.request)).body === recorded.capture.body : isSame;
  return { call, recorded, before, after, body, hash, recordedHash, isSame, isFaithful };
}
