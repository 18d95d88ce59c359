// The authors of a request that was sent: the spans that were stored with it, and the words themselves, which are in
// the frame and in the transcript. A message that the transcript does not keep has authors and no words. The sizes of
// the request are made from the same spans.

import { historyOf } from '../../agent/history-of.ts';
import { measureRequest, type RequestLimits, type RequestMeasure } from '../../agent/measure-request.ts';
import { COMPACTION_AUTHOR, UNKEPT_AUTHOR } from '../../agent/message-spans.ts';
import type { RequestSpan } from '../../agent/request-draft.ts';
import { FRAME_CALL, type RequestFrame } from '../../agent/request-frame.ts';
import { type ToldSpan, withTexts } from '../../agent/request-text.ts';
import type { Message } from '../../protocol/message.ts';
import { readCapture } from '../../recorder/capture.ts';
import type { Store } from '../../store/store.ts';
import type { CaptureRow, TranscriptRow } from '../../store/tables.ts';

export interface RequestSpans {
  readonly runId: string;
  readonly call: number;
  readonly spans: readonly ToldSpan[];
}

/** What the last request of a run was made of; undefined when it is not stored. */
export async function readRequestMeasure(store: Store, runId: string): Promise<RequestMeasure | undefined> {
  const read = await readRequest(store, runId);
  if (!read) return undefined;
  const { spans, messageIndex, limits, at } = read;
  const [used] = await store.select('usage', {
    where: { runId, purpose: 'run', at: { gte: at } },
    orderBy: [['at', 'desc']],
    limit: 1,
  });
  return measureRequest({ spans, messageIndex, limits, countedTokens: used?.input || undefined });
}

/** The last request unless a call is named; undefined when the request is not stored. */
export async function readRequestSpans(store: Store, runId: string, call?: number): Promise<RequestSpans | undefined> {
  const read = await readRequest(store, runId, call);
  return read && { runId, call: read.call, spans: read.spans };
}

interface ReadRequest extends RequestSpans {
  readonly messageIndex: number;
  readonly limits: RequestLimits | undefined;
  /** When the request was stored, which is before it was sent. */
  readonly at: number;
}

async function readRequest(store: Store, runId: string, call?: number): Promise<ReadRequest | undefined> {
  const kept = await store.select('captures', {
    where: call === undefined ? { runId } : { runId, call: { lte: call } },
    orderBy: [['call', 'asc']],
  });
  const last = kept.at(-1);
  const framed = await readCapture(store, runId, FRAME_CALL);
  if (!last || (call !== undefined && last.call !== call) || framed?.body === undefined) return undefined;
  return spansOfCaptures(store, JSON.parse(framed.body) as RequestFrame, kept);
}

/** Everything that was said in a session, in order. */
export type TranscriptOf = (sessionId: string) => Promise<readonly TranscriptRow[]>;

export function transcriptsIn(store: Store): TranscriptOf {
  return (sessionId) => store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
}

/** What need not be read again. */
export interface KnownOfRun {
  readonly transcriptOf?: TranscriptOf | undefined;
  /** The session of the run; null when it had none. */
  readonly sessionId?: string | null | undefined;
}

/** The spans of the last of these requests of a run, which are all that came before it, in order. */
export async function spansOfCaptures(
  store: Store,
  frame: RequestFrame,
  kept: readonly CaptureRow[],
  { transcriptOf = transcriptsIn(store), sessionId }: KnownOfRun = {},
): Promise<ReadRequest | undefined> {
  const captures = kept.filter((capture) => capture.call > FRAME_CALL);
  const last = captures.at(-1);
  if (!last) return undefined;
  const { runId } = last;
  const added = captures.map(addedSpans);
  const { spans, messages } = await talkOfCaptures(frame, captures, {
    transcriptOf,
    sessionId: sessionId === undefined ? await sessionOf(store, runId) : sessionId,
  });
  const { system, tools } = frame;
  return {
    runId,
    call: last.call,
    at: last.at,
    spans: withTexts(spans, { system, tools, messages }),
    messageIndex: messageIndexOf(frame.spans, added.findLast(isRetold), runId),
    limits: frame.limits,
  };
}

/**
 * The spans of the last of these requests of a run, and the messages that they are about. There may be more messages than the
 * request had, because the conversation has gone on. `captures` are requests alone, and at least one.
 */
export async function talkOfCaptures(
  frame: Pick<RequestFrame, 'spans' | 'unkept'>,
  captures: readonly Pick<CaptureRow, 'runId' | 'envelope'>[],
  known: { readonly transcriptOf: TranscriptOf; readonly sessionId: string | null },
): Promise<{ readonly spans: readonly RequestSpan[]; readonly messages: readonly Message[] }> {
  const spans = spansOfRequest(frame, captures);
  const unkept = spans.find(({ origin }) => origin === UNKEPT_AUTHOR)?.index ?? frame.unkept;
  const said = await messagesOf(captures.at(-1)?.runId ?? '', spans, known);
  return {
    spans,
    messages: unkept === undefined ? said : [...said.slice(0, unkept), NOT_KEPT, ...said.slice(unkept)],
  };
}

/** The authors of a request, from the frame of its run and all requests of the run up to this one. */
export function spansOfRequest(
  frame: Pick<RequestFrame, 'spans'>,
  captures: readonly Pick<CaptureRow, 'envelope'>[],
): readonly RequestSpan[] {
  return captures.map(addedSpans).reduce(joinSpans, frame.spans);
}

function addedSpans({ envelope }: Pick<CaptureRow, 'envelope'>): readonly RequestSpan[] {
  return (envelope.spans ?? []) as unknown as readonly RequestSpan[];
}

/**
 * The first request ends with the message. After a compaction in the middle of the run, the message is the first entry
 * of this run that the compaction itself did not write.
 */
function messageIndexOf(first: readonly RequestSpan[], retold: readonly RequestSpan[] | undefined, runId: string) {
  const compaction = retold && compactionIn(retold);
  const own = retold?.find(
    ({ runId: by, entry, origin }) => origin === UNKEPT_AUTHOR || (by === runId && entry !== compaction),
  );
  return own?.index ?? first.reduce((last, { where, index }) => (where === 'messages' ? index : last), -1);
}

function compactionIn(spans: readonly RequestSpan[]): number | undefined {
  return spans.find(({ origin, entry }) => origin === COMPACTION_AUTHOR && entry !== undefined)?.entry;
}

const NOT_KEPT: Message = { role: 'user', content: '' };

/** Each request adds messages to the one before it; one that begins with the first message again was compacted. */
function joinSpans(before: readonly RequestSpan[], added: readonly RequestSpan[]): readonly RequestSpan[] {
  return [...(isRetold(added) ? before.filter(({ where }) => where !== 'messages') : before), ...added];
}

export function isRetold(added: readonly RequestSpan[]): boolean {
  return added.some(({ where, index }) => where === 'messages' && index === 0);
}

/**
 * The conversation grows only at its end, so its beginning is what was sent. It is read with the compaction that the
 * request knew; later ones are ignored.
 */
async function messagesOf(
  runId: string,
  spans: readonly RequestSpan[],
  { transcriptOf, sessionId }: { readonly transcriptOf: TranscriptOf; readonly sessionId: string | null },
): Promise<readonly Message[]> {
  if (!sessionId) return [];
  const rows = await transcriptOf(sessionId);
  const compaction = compactionIn(spans);
  const known = rows.filter(({ kind, position }) => kind !== 'compaction' || position === compaction);
  return historyOf(known, runId).map(({ message }) => message);
}

async function sessionOf(store: Store, runId: string): Promise<string | null> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  return run?.sessionId ?? null;
}
