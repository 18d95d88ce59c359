// What the prompts of a run had, as pieces that runs share, and what they were made from. It is read from the captures of
// the run alone, so it can be made at any time after the run, and made again; what a process has just captured need not be read.
//
// Promise: every word that a model read in the run is in a piece: the system prompt, the tools, the messages of every
// request. A piece is never longer than one system block, the list of the tools, or one message, and text across two
// pieces is not found as one text. Words of plugins inside a system block are pieces of their own.

import type { RequestSpan } from '../../../agent/request-draft.ts';
import { FRAME_CALL, type RequestFrame } from '../../../agent/request-frame.ts';
import { isJsonObject, type JsonValue } from '../../../protocol/json.ts';
import { readCapture } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow, RunRow } from '../../../store/tables.ts';
import { isRetold, type TranscriptOf, talkOfCaptures, transcriptsIn } from '../read-request-spans.ts';
import type { FrameOf, ReadFrame } from './frame-reader.ts';
import type { KnownSources, SourcePieces } from './known-sources.ts';
import { type Piece, promptPiece } from './prompt-piece.ts';
import type { KnownStablePieces, StablePieces } from './stable-pieces.ts';
import { talkPieces } from './talk-pieces.ts';

export interface RunReceipt {
  /** The time of the first request. */
  readonly at: number;
  /** The same piece may be among them several times. */
  readonly prompt: readonly Piece[];
  readonly files: readonly Piece[];
  readonly sources: Piece;
}

/** What is known of a run besides the conversation: what its first request was made of, and what each request added. */
export interface CapturedRun {
  /** The time of the first request. */
  readonly at: number;
  readonly stable: StablePieces;
  readonly sources: SourcePieces;
  /** The messages of the first request. */
  readonly first: Pick<RequestFrame, 'spans' | 'unkept'>;
  /** In the order of calls. */
  readonly requests: readonly CapturedCall[];
}

export type CapturedCall = Pick<CaptureRow, 'runId' | 'call' | 'envelope'>;

/** What is made once for many runs. */
export interface KnownOfFrames {
  readonly stable: KnownStablePieces;
  readonly sources: KnownSources;
}

/** Undefined when the frame of the run is gone. `captures` are all of the run, in the order of calls. */
export function capturedRun(
  captures: readonly CaptureRow[],
  { frameOf, ...known }: KnownOfFrames & { readonly frameOf: FrameOf },
): CapturedRun | undefined {
  const row = captures.find(({ call }) => call === FRAME_CALL);
  const frame = row && frameOf(row);
  if (!frame) return undefined;
  return { at: row.at, ...madeFrom(frame, known), requests: captures.filter(({ call }) => call > FRAME_CALL) };
}

export function madeFrom(
  { system, tools, spans, unkept, ...of }: ReadFrame,
  { stable, sources }: KnownOfFrames,
): Pick<CapturedRun, 'stable' | 'sources' | 'first'> {
  const [before, messages] = partSpans(spans);
  return {
    stable: stable.of({ system, tools, spans: before }),
    sources: sources.of(of),
    first: { spans: messages, unkept },
  };
}

/** The spans of blocks and tools, and those of messages, which stand behind them. */
function partSpans(spans: RequestFrame['spans']): readonly [RequestFrame['spans'], RequestFrame['spans']] {
  let begin = spans.length;
  while (begin > 0 && spans[begin - 1]?.where === 'messages') begin -= 1;
  let isParted = true;
  for (let index = 0; index < begin; index++) isParted &&= spans[index]?.where !== 'messages';
  if (isParted) return [spans.slice(0, begin), spans.slice(begin)];
  const isOfMessage = ({ where }: RequestSpan) => where === 'messages';
  return [spans.filter((span) => !isOfMessage(span)), spans.filter(isOfMessage)];
}

export async function readReceipt(
  store: Store,
  { sessionKey, sessionId }: Pick<RunRow, 'sessionKey' | 'sessionId'>,
  { at, stable, sources, first, requests }: CapturedRun,
  transcriptOf: TranscriptOf = transcriptsIn(store),
): Promise<RunReceipt> {
  const prompt: Piece[] = [];
  for (const ends of endsOf(requests)) {
    const last = requests[ends - 1];
    if (!last) continue;
    const talk = await talkOfCaptures(first, requests.slice(0, ends), { transcriptOf, sessionId });
    const said = talkPieces(sessionKey, talk.spans, talk.messages);
    prompt.push(...stable.shared, ...stable.ofSession(sessionKey), ...said.pieces);
    // The words of a message that the transcript does not keep are only in the request itself.
    if (!stable.isWhole || !said.isWhole)
      for (const text of await wordsOf(store, last)) prompt.push(unattributed(text, sessionKey));
  }
  return { at, prompt, ...sources };
}

/**
 * How many requests there are up to each one that has everything of those before it: the last one, and the last one
 * before each compaction in the middle of the run.
 */
function endsOf(requests: readonly CapturedCall[]): readonly number[] {
  return requests.flatMap((_, index) => {
    const next = requests[index + 1];
    return !next || isRetold(spansIn(next)) ? [index + 1] : [];
  });
}

function spansIn({ envelope }: CapturedCall) {
  return (envelope.spans ?? []) as unknown as Parameters<typeof isRetold>[0];
}

const UNATTRIBUTED = 'request, author not kept';

function unattributed(text: string, sessionKey: string): Piece {
  return promptPiece(sessionKey, 'messages', [{ origin: UNATTRIBUTED, text }]);
}

/** Every text in the body of a request besides the system prompt and the tools, whose words are known. */
async function wordsOf(store: Store, { runId, call }: CapturedCall): Promise<readonly string[]> {
  const capture = await readCapture(store, runId, call);
  if (capture?.body === undefined) return [];
  try {
    const { system: _system, tools: _tools, ...rest } = JSON.parse(capture.body) as Record<string, JsonValue>;
    return [...new Set(textsIn(rest))].filter((text) => text !== '');
  } catch {
    return [capture.body];
  }
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
