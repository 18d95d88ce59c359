// What the prompts of a run had, as pieces that runs share, and what they were made from. It is read from the captures of
// the run alone, so it can be made at any time after the run, and made again.
//
// Promise: every word that a model read in the run is in a piece: the system prompt, the tools, the messages of every
// request. A piece is never longer than one system block, the list of the tools, or one message, and text across two
// pieces is not found as one text. Words of plugins inside a system block are pieces of their own.

import { FRAME_CALL } from '../../../agent/request-frame.ts';
import { hashOfText } from '../../../context/report/build-report.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts';
import { readCapture } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow, RunRow } from '../../../store/tables.ts';
import { isRetold, spansOfCaptures, type TranscriptOf } from '../read-request-spans.ts';
import type { FrameOf } from './frame-reader.ts';
import { isWhole, type Piece, pieceOf, promptPiece, unitsOf } from './prompt-piece.ts';
import { type PromptSources, sourcesOf } from './prompt-sources.ts';
import type { KnownStablePieces } from './stable-pieces.ts';

export interface RunReceipt {
  /** The time of the first request. */
  readonly at: number;
  readonly prompt: readonly Piece[];
  readonly files: readonly Piece[];
  readonly sources: Piece;
}

/** What is read once for many runs. */
export interface KnownOfRuns {
  readonly transcriptOf?: TranscriptOf | undefined;
  readonly frameOf: FrameOf;
  readonly stable: KnownStablePieces;
}

/** Undefined when the frame of the run is gone. `captures` are all of the run, in the order of calls. */
export async function readReceipt(
  store: Store,
  { sessionKey, sessionId }: Pick<RunRow, 'sessionKey' | 'sessionId'>,
  captures: readonly CaptureRow[],
  { transcriptOf, frameOf, stable: known }: KnownOfRuns,
): Promise<RunReceipt | undefined> {
  const row = captures.find(({ call }) => call === FRAME_CALL);
  const frame = row && frameOf(row);
  if (!frame) return undefined;
  const requests = captures.filter(({ call }) => call > FRAME_CALL);
  const prompt = new Map<string, Piece>();
  const add = (piece: Piece) => prompt.set(`${piece.scope}\n${piece.hash}`, piece);
  const { system, tools } = frame;
  const stable = known.of({ system, tools, spans: frame.spans.filter(({ where }) => where !== 'messages') });
  const talk = { ...frame, system: [], tools: [], spans: frame.spans.filter(({ where }) => where === 'messages') };
  for (const ends of endsOf(requests)) {
    const read = await spansOfCaptures(store, talk, requests.slice(0, ends), { transcriptOf, sessionId });
    const last = requests[ends - 1];
    if (!read || !last) continue;
    for (const piece of stable.shared) add(piece);
    for (const piece of stable.ofSession) add({ ...piece, scope: sessionKey });
    for (const { spans } of unitsOf(read.spans)) if (spans.length > 0) add(promptPiece(sessionKey, 'messages', spans));
    // The words of a message that the transcript does not keep are only in the request itself.
    if (!stable.isWhole || !isWhole(read.spans))
      for (const text of await wordsOf(store, last)) add(unattributed(text, sessionKey));
  }
  const { sources, texts } = sourcesOf(frame);
  return {
    at: row.at,
    prompt: [...prompt.values()],
    files: texts.map((text) => ({ scope: '', hash: hashOfText(text), kind: 'file', text, about: {} })),
    sources: pieceOf('', 'sources', '', sources as unknown as JsonObject & PromptSources),
  };
}

/**
 * How many requests there are up to each one that has everything of those before it: the last one, and the last one
 * before each compaction in the middle of the run.
 */
function endsOf(requests: readonly CaptureRow[]): readonly number[] {
  return requests.flatMap((_, index) => {
    const next = requests[index + 1];
    return !next || isRetold(spansIn(next)) ? [index + 1] : [];
  });
}

function spansIn({ envelope }: CaptureRow) {
  return (envelope.spans ?? []) as unknown as Parameters<typeof isRetold>[0];
}

const UNATTRIBUTED = 'request, author not kept';

function unattributed(text: string, sessionKey: string): Piece {
  return promptPiece(sessionKey, 'messages', [{ origin: UNATTRIBUTED, text }]);
}

/** Every text in the body of a request besides the system prompt and the tools, whose words are known. */
async function wordsOf(store: Store, { runId, call }: CaptureRow): Promise<readonly string[]> {
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
