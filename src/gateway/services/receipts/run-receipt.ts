// What the prompts of a run had, as pieces that runs share, and what they were made from. It is read from the captures of
// the run alone, so it can be made at any time after the run, and made again.
//
// Promise: every word that a model read in the run is in a piece: the system prompt, the tools, the messages of every
// request. A piece is never longer than one system block, the list of the tools, or one message, and text across two
// pieces is not found as one text. Words of plugins inside a system block are pieces of their own.

import { FRAME_CALL } from '../../../agent/request-frame.ts';
import { isJsonObject, type JsonValue } from '../../../protocol/json.ts';
import { readCapture } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow, RunRow } from '../../../store/tables.ts';
import { isRetold, type TranscriptOf, talkOfCaptures, transcriptsIn } from '../read-request-spans.ts';
import type { FrameOf } from './frame-reader.ts';
import type { KnownSources } from './known-sources.ts';
import { type Piece, promptPiece } from './prompt-piece.ts';
import type { KnownStablePieces } from './stable-pieces.ts';
import { talkPieces } from './talk-pieces.ts';

export interface RunReceipt {
  /** The time of the first request. */
  readonly at: number;
  /** The same piece may be among them several times, as objects of their own. */
  readonly prompt: readonly Piece[];
  readonly files: readonly Piece[];
  readonly sources: Piece;
}

/** What is read once for many runs. */
export interface KnownOfRuns {
  readonly transcriptOf?: TranscriptOf | undefined;
  readonly frameOf: FrameOf;
  readonly stable: KnownStablePieces;
  readonly sources: KnownSources;
}

/** Undefined when the frame of the run is gone. `captures` are all of the run, in the order of calls. */
export async function readReceipt(
  store: Store,
  { sessionKey, sessionId }: Pick<RunRow, 'sessionKey' | 'sessionId'>,
  captures: readonly CaptureRow[],
  { transcriptOf = transcriptsIn(store), frameOf, stable: known, sources }: KnownOfRuns,
): Promise<RunReceipt | undefined> {
  const row = captures.find(({ call }) => call === FRAME_CALL);
  const frame = row && frameOf(row);
  if (!frame) return undefined;
  const requests = captures.filter(({ call }) => call > FRAME_CALL);
  const prompt = new Set<Piece>();
  const { system, tools } = frame;
  const stable = known.of({ system, tools, spans: frame.spans.filter(({ where }) => where !== 'messages') });
  const first = { spans: frame.spans.filter(({ where }) => where === 'messages'), unkept: frame.unkept };
  for (const ends of endsOf(requests)) {
    const last = requests[ends - 1];
    if (!last) continue;
    const talk = await talkOfCaptures(first, requests.slice(0, ends), { transcriptOf, sessionId });
    const said = talkPieces(sessionKey, talk.spans, talk.messages);
    for (const piece of stable.shared) prompt.add(piece);
    for (const piece of stable.ofSession(sessionKey)) prompt.add(piece);
    for (const piece of said.pieces) prompt.add(piece);
    // The words of a message that the transcript does not keep are only in the request itself.
    if (!stable.isWhole || !said.isWhole)
      for (const text of await wordsOf(store, last)) prompt.add(unattributed(text, sessionKey));
  }
  return { at: row.at, prompt: [...prompt], ...sources.of(frame) };
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
