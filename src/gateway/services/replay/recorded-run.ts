// A recorded run, opened for a replay: its frame, its requests and the part of the transcript that they knew. It only reads
// the store.
// Errors: UnknownRunError; ReplayInputGoneError, which names what is not stored any more, or why nothing ever was.

import type { SentFacts } from '../../../agent/capture-call.ts';
import { RequestReplay } from '../../../agent/replay-request.ts';
import { FRAME_CALL, type RequestFrame } from '../../../agent/request-frame.ts';
import { ReplayInputGoneError } from '../../../protocol/errors.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { type Capture, readCapture } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow, RunRow, TranscriptRow } from '../../../store/tables.ts';
import { UnknownRunError } from '../../errors.ts';

export interface RecordedRun {
  readonly run: RunRow;
  readonly frame: RequestFrame;
  readonly replay: RequestReplay;
  /** The transcript of its session up to its last request. */
  readonly rows: readonly TranscriptRow[];
  /** The numbers of its requests, in order. */
  readonly calls: readonly number[];
  call(number: number): Promise<RecordedCall>;
}

export interface RecordedCall {
  readonly capture: Capture & { readonly body: string };
  readonly sent: SentFacts;
}

export async function openRecordedRun(store: Store, runId: string): Promise<RecordedRun> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run) throw new UnknownRunError({ runId });
  const gone = (input: string) => new ReplayInputGoneError({ runId, input });
  const captures = await store.select('captures', {
    where: { runId, call: { gte: FRAME_CALL } },
    orderBy: [['call', 'asc']],
  });
  const requests = captures.filter(({ call }) => call > FRAME_CALL);
  const last = requests.at(-1);
  if (!last) throw gone(await whyNoRequest(store, run));
  const framed = captures.find(({ call }) => call === FRAME_CALL) && (await readCapture(store, runId, FRAME_CALL));
  if (!framed) throw gone('the files, tools and edits that it was composed from');
  if (framed.body === undefined) {
    const lost = `${framed.missing.length} of ${new Set(partsOf(captures)).size} stored parts are missing`;
    throw gone(`the files, tools and edits that it was composed from (${lost})`);
  }
  const frame = JSON.parse(framed.body) as RequestFrame;
  const rows = await rowsOf(store, run, last);
  return {
    run,
    frame,
    rows,
    replay: new RequestReplay({ runId, frame, rows }),
    calls: requests.map(({ call }) => call),
    call: async (number) => {
      const capture = await readCapture(store, runId, number);
      if (!capture) throw gone(`request ${number}`);
      const { body } = capture;
      if (body === undefined) throw gone(`request ${number} (${capture.missing.length} of its parts are missing)`);
      const sent = sentOf(capture.sent);
      if (!sent) throw gone(`how request ${number} was written down (it was not recorded)`);
      return { capture: { ...capture, body }, sent };
    },
  };
}

async function whyNoRequest(store: Store, { runId, status, outcome }: RunRow): Promise<string> {
  if (status === 'blocked') return 'its request (a gate blocked the run, and nothing of a blocked run is recorded)';
  const wasAsked = (await store.count('usage', { runId, purpose: 'run' })) > 0 || (outcome?.modelCalls ?? 0) > 0;
  if (!wasAsked) return 'its request (no model was asked for an answer in this run)';
  return 'its requests (they were pruned, or deleted with their session)';
}

function partsOf(captures: readonly CaptureRow[]): readonly string[] {
  return captures.find(({ call }) => call === FRAME_CALL)?.manifest ?? [];
}

/** Only as far as a request of the run can have known it. */
async function rowsOf(store: Store, { sessionId }: RunRow, last: CaptureRow): Promise<readonly TranscriptRow[]> {
  const entries = sentOf(last.envelope.sent)?.entries;
  if (sessionId === null || entries === undefined) return [];
  const where = { sessionId, position: { lte: entries } };
  return store.select('transcript', { where, orderBy: [['position', 'asc']] });
}

/** Requests of older versions have none. */
function sentOf(value: unknown): SentFacts | undefined {
  if (!isJsonObject(value) || typeof value.entries !== 'number' || typeof value.messages !== 'number') return undefined;
  return value as unknown as SentFacts;
}
