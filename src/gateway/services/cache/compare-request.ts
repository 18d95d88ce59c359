// One captured request beside the one before it: how many bytes are the same, how many could have been, and, where fewer
// are, who is behind it. It only reads the store.

import type { Store } from '../../../store/store.ts';
import { type CapturedRequests, type Earlier, isSameModel, type SentRequest, sentFacts } from './captured-requests.ts';
import { type BreakVerdict, type ConversationFacts, judgeBreak, type KnownRequest } from './judge-break.ts';
import { wordAt, wordsOfPiece } from './piece-words.ts';
import { isSystemPiece, spanAt } from './prompt-author.ts';
import { reusableBytes, shareableBytes } from './shareable-bytes.ts';
import { bytesOfPieces, type Parting, sharedPrefix } from './shared-prefix.ts';

export interface ComparedRequest {
  readonly call: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  /** The size of tools, system and messages. */
  readonly bytes: number;
  /** The request that it is compared with; null when there is none to share with. */
  readonly with: ComparedWith | null;
  readonly sharedBytes: number;
  readonly shareableBytes: number;
  readonly break: PrefixBreak | null;
}

export interface ComparedWith {
  readonly kind: Earlier['kind'];
  readonly runId: string;
  readonly call: number;
  readonly at: number;
}

export interface PrefixBreak extends BreakVerdict {
  /** `system[0], line 12`, `tools[3]`, `messages[4]`, or `model`. */
  readonly where: string;
  /** What the cache had and could not be used for this request. */
  readonly lostBytes: number;
}

/** Undefined when the request is not stored any more. */
export async function compareRequest(
  store: Store,
  requests: CapturedRequests,
  request: SentRequest,
): Promise<ComparedRequest | undefined> {
  const { call, at, provider, model } = request.capture;
  const pieces = await requests.pieces(request.capture);
  if (!pieces) return undefined;
  const told = { call, at, provider, model, bytes: bytesOfPieces(pieces) };
  const earlier = await requests.before(request);
  const old = earlier && (await requests.pieces(earlier.capture));
  const changed = await modelChange(requests, request);
  if (!earlier || !old) {
    return { ...told, with: null, sharedBytes: 0, shareableBytes: 0, break: changed ? changed(0) : null };
  }
  const { bytes, parting } = sharedPrefix(old, pieces);
  // What was recorded with the earlier request is read only where the two differ.
  const known = (parting && (await requests.known(earlier.capture))) || { pieces: old, spans: [] };
  const reusable = parting ? reusableBytes(known, earlier.kind !== 'agent') : bytes;
  const shared = Math.min(bytes, reusable);
  const verdict =
    parting && shared < reusable ? await judge(store, requests, request, { earlier, known, parting }) : undefined;
  const found: PrefixBreak | null = verdict ? { ...verdict, lostBytes: reusable - shared } : null;
  return {
    ...told,
    with: { kind: earlier.kind, runId: earlier.run.runId, call: earlier.capture.call, at: earlier.capture.at },
    sharedBytes: shared,
    shareableBytes: shareableBytes(reusable, shared, verdict),
    break: (changed ? changed(shared) : null) ?? found,
  };
}

/** The cache of one model is of no use to another one. */
async function modelChange(
  requests: CapturedRequests,
  request: SentRequest,
): Promise<((shared: number) => PrefixBreak | null) | undefined> {
  const before = await requests.predecessor(request);
  if (!before || isSameModel(before, request)) return undefined;
  const pieces = await requests.pieces(before.capture);
  const nameOf = ({ capture }: SentRequest) => `${capture.provider}/${capture.model}`;
  return (shared) => {
    const lostBytes = (pieces ? bytesOfPieces(pieces) : 0) - shared;
    if (lostBytes <= 0) return null;
    return {
      cause: 'model',
      author: `model ${nameOf(before)} -> ${nameOf(request)}`,
      isInput: true,
      where: 'model',
      lostBytes,
    };
  };
}

async function judge(
  store: Store,
  requests: CapturedRequests,
  request: SentRequest,
  { earlier, known, parting }: { readonly earlier: Earlier; readonly known: KnownRequest; readonly parting: Parting },
): Promise<Omit<PrefixBreak, 'lostBytes'> | undefined> {
  const now = await requests.known(request.capture);
  if (!now) return undefined;
  const facts = await conversationFacts(store, earlier, request);
  return { ...judgeBreak(known, now, parting, facts), where: whereOf(known, now, parting) };
}

async function conversationFacts(
  store: Store,
  earlier: Earlier,
  { run, capture }: SentRequest,
): Promise<ConversationFacts> {
  const [was, is] = [sentFacts(earlier.capture), sentFacts(capture)];
  const { sessionId } = run;
  if (earlier.kind === 'agent' || sessionId === null)
    return { wasCompacted: false, wasWithdrawn: false, wereImagesHidden: false };
  const compactions = await store.select('transcript', {
    where: { sessionId, kind: 'compaction', position: { gt: was?.entries ?? 0 } },
  });
  const said = await store.count('transcript', { sessionId, runId: earlier.run.runId, kind: 'message' });
  return {
    wasCompacted: compactions.some(({ position }) => position <= (is?.entries ?? 0)),
    wasWithdrawn: earlier.kind === 'run' && said === 0,
    wereImagesHidden: (was?.images ?? 0) > 0 && is?.images === 0,
  };
}

/** In the system prompt with the line. */
function whereOf(before: KnownRequest, now: KnownRequest, { path, piece, char, foundIn }: Parting): string {
  const changed = (foundIn === 'before' ? before : now).pieces[piece];
  if (!changed || !isSystemPiece(changed)) return path.replace(/\.content\[.*$/, '');
  const words = wordsOfPiece(changed.text);
  const lines = words.slice(0, wordAt(changed.text, char, words)).split('\n').length;
  return `${path.startsWith('system') ? path : 'system'}, line ${lines}`;
}

/** The first character that is not shared: the index of its span, as `readRequestSpans` lists them, and its place in it. */
export interface NewFrom {
  readonly span: number;
  readonly char: number;
}

/** Null when everything is shared, when there is nothing to share with, and when the authors are not stored any more. */
export async function findNewFrom(requests: CapturedRequests, request: SentRequest): Promise<NewFrom | null> {
  const earlier = await requests.before(request);
  const old = earlier && (await requests.pieces(earlier.capture));
  const now = old && (await requests.known(request.capture));
  if (!old || !now) return null;
  const { parting } = sharedPrefix(old, now.pieces);
  const place = parting ? { piece: parting.piece, char: parting.char } : { piece: old.length, char: 0 };
  return spanAt(now.pieces, now.spans, place) ?? null;
}
