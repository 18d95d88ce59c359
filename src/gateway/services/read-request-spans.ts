// The authors of a request that was sent: the spans that were stored with it, and the words themselves, which are in
// the frame and in the transcript. A message that the transcript does not keep has authors and no words.

import { historyOf } from '../../agent/history-of.ts';
import { COMPACTION_AUTHOR, UNKEPT_AUTHOR } from '../../agent/message-spans.ts';
import type { RequestSpan } from '../../agent/request-draft.ts';
import { FRAME_CALL, type RequestFrame } from '../../agent/request-frame.ts';
import { type ToldSpan, withTexts } from '../../agent/request-text.ts';
import type { Message } from '../../protocol/message.ts';
import { readCapture } from '../../recorder/capture.ts';
import type { Store } from '../../store/store.ts';

export interface RequestSpans {
  readonly runId: string;
  readonly call: number;
  readonly spans: readonly ToldSpan[];
}

/** The last request unless a call is named; undefined when the request is not stored. */
export async function readRequestSpans(store: Store, runId: string, call?: number): Promise<RequestSpans | undefined> {
  const kept = await store.select('captures', {
    where: call === undefined ? { runId } : { runId, call: { lte: call } },
    orderBy: [['call', 'asc']],
  });
  const captures = kept.filter((capture) => capture.call > FRAME_CALL);
  const last = captures.at(-1);
  const framed = await readCapture(store, runId, FRAME_CALL);
  if (!last || (call !== undefined && last.call !== call) || framed?.body === undefined) return undefined;
  const frame = JSON.parse(framed.body) as RequestFrame;
  const spans = captures
    .map(({ envelope }) => (envelope.spans ?? []) as unknown as readonly RequestSpan[])
    .reduce(joinSpans, frame.spans);
  const { system, tools } = frame;
  const unkept = spans.find(({ origin }) => origin === UNKEPT_AUTHOR)?.index ?? frame.unkept;
  const said = await messagesOf(store, runId, spans);
  const messages = unkept === undefined ? said : [...said.slice(0, unkept), NOT_KEPT, ...said.slice(unkept)];
  return { runId, call: last.call, spans: withTexts(spans, { system, tools, messages }) };
}

const NOT_KEPT: Message = { role: 'user', content: '' };

/** Each request adds messages to the one before it; one that begins with the first message again was compacted. */
function joinSpans(before: readonly RequestSpan[], added: readonly RequestSpan[]): readonly RequestSpan[] {
  const isRetold = added.some(({ where, index }) => where === 'messages' && index === 0);
  return [...(isRetold ? before.filter(({ where }) => where !== 'messages') : before), ...added];
}

/**
 * The conversation grows only at its end, so its beginning is what was sent. It is read with the compaction that the
 * request knew; later ones are ignored.
 */
async function messagesOf(store: Store, runId: string, spans: readonly RequestSpan[]): Promise<readonly Message[]> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run?.sessionId) return [];
  const { sessionId } = run;
  const rows = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  const compaction = spans.find(({ origin, entry }) => origin === COMPACTION_AUTHOR && entry !== undefined)?.entry;
  const known = rows.filter(({ kind, position }) => kind !== 'compaction' || position === compaction);
  return historyOf(known, runId).map(({ message }) => message);
}
