// Who wrote which words of a request that was sent: the spans that were kept with it, and the words themselves, which
// stand in the frame and in the transcript. A message that the transcript does not keep has authors and no words.

import { historyOf } from '../agent/history-of.ts';
import type { RequestSpan } from '../agent/request-draft.ts';
import { FRAME_CALL, type RequestFrame } from '../agent/request-frame.ts';
import { type ToldSpan, withTexts } from '../agent/request-text.ts';
import type { Message } from '../protocol/message.ts';
import { readCapture } from '../recorder/capture.ts';
import type { Store } from '../store/store.ts';

export interface RequestSpans {
  readonly runId: string;
  readonly call: number;
  readonly spans: readonly ToldSpan[];
}

/** The last request unless a call is named; undefined when it is not kept. */
export async function readRequestSpans(store: Store, runId: string, call?: number): Promise<RequestSpans | undefined> {
  const kept = await store.select('captures', {
    where: call === undefined ? { runId } : { runId, call: { lte: call } },
    orderBy: [['call', 'asc']],
  });
  const captures = kept.filter((capture) => capture.call !== FRAME_CALL);
  const last = captures.at(-1);
  const framed = await readCapture(store, runId, FRAME_CALL);
  if (!last || (call !== undefined && last.call !== call) || framed?.body === undefined) return undefined;
  const frame = JSON.parse(framed.body) as RequestFrame;
  const added = captures.flatMap(({ envelope }) => (envelope.spans ?? []) as unknown as readonly RequestSpan[]);
  const spans = [...frame.spans, ...added];
  const { system, tools, unkept } = frame;
  const said = await messagesOf(store, runId);
  const messages = unkept === undefined ? said : [...said.slice(0, unkept), NOT_KEPT, ...said.slice(unkept)];
  return { runId, call: last.call, spans: withTexts(spans, { system, tools, messages }) };
}

const NOT_KEPT: Message = { role: 'user', content: '' };

/** The conversation grows at its end only, so its beginning is what was sent. */
async function messagesOf(store: Store, runId: string): Promise<readonly Message[]> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run?.sessionId) return [];
  const { sessionId } = run;
  const rows = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  return historyOf(rows).map(({ message }) => message);
}
