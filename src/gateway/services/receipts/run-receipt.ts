// What the prompts of a run had, as pieces that runs share, and what they were made from. It is read from the captures of
// the run alone, so it can be made at any time after the run, and made again.
//
// Promise: every word that a model read in the run is in a piece: the system prompt, the tools, the messages of every
// request. A piece is never longer than one system block, the list of the tools, or one message, and text across two
// pieces is not found as one text. Words of plugins inside a system block are pieces of their own.

import { hash } from 'node:crypto';
import { FRAME_CALL, type RequestFrame } from '../../../agent/request-frame.ts';
import type { ToldSpan } from '../../../agent/request-text.ts';
import { readAuthor } from '../../../agent/span-author.ts';
import { hashOfText } from '../../../context/report/build-report.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/json.ts';
import { captureOf, readCapture, readParts } from '../../../recorder/capture.ts';
import type { Store } from '../../../store/store.ts';
import type { CaptureRow, PromptPieceRow, RunRow } from '../../../store/tables.ts';
import { isRetold, spansOfCaptures, type TranscriptOf } from '../read-request-spans.ts';
import { type PromptSources, sourcesOf } from './prompt-sources.ts';

export type Piece = Omit<PromptPieceRow, 'seq' | 'usedAt'>;

export interface RunReceipt {
  /** The time of the first request. */
  readonly at: number;
  readonly prompt: readonly Piece[];
  readonly files: readonly Piece[];
  readonly sources: Piece;
}

/** What `about` of a piece of kind `prompt` holds. The spans cover its text without gaps. */
export interface PromptPieceFacts {
  readonly where: 'system' | 'tools' | 'messages';
  /** Author and number of characters; an empty author is a separator that the model did not read. */
  readonly spans: readonly (readonly [author: string, chars: number])[];
}

/**
 * Undefined when the frame of the run is gone or cannot be read. `captures` are all of the run, in the order of calls;
 * `parts` are those of its frame, where they were read before.
 */
export async function readReceipt(
  store: Store,
  { sessionKey, sessionId }: Pick<RunRow, 'sessionKey' | 'sessionId'>,
  captures: readonly CaptureRow[],
  { transcriptOf, parts }: { readonly transcriptOf?: TranscriptOf; readonly parts?: ReadonlyMap<string, string> } = {},
): Promise<RunReceipt | undefined> {
  const row = captures.find(({ call }) => call === FRAME_CALL);
  const framed = row && captureOf(row, parts ?? (await readParts(store, [row])));
  if (framed?.body === undefined) return undefined;
  const frame = JSON.parse(framed.body) as RequestFrame;
  const requests = captures.filter(({ call }) => call > FRAME_CALL);
  const prompt = new Map<string, Piece>();
  const add = (piece: Piece) => prompt.set(`${piece.scope}\n${piece.hash}`, piece);
  for (const ends of endsOf(requests)) {
    const read = await spansOfCaptures(store, frame, requests.slice(0, ends), { transcriptOf, sessionId });
    const last = requests[ends - 1];
    if (!read || !last) continue;
    for (const piece of piecesOf(read.spans, frame, sessionKey)) add(piece);
    const isWhole = read.spans.every(({ text, chars }) => text !== undefined || chars === 0);
    // The words of a message that the transcript does not keep are only in the request itself.
    if (!isWhole) for (const text of await wordsOf(store, last)) add(unattributed(text, sessionKey));
  }
  const { sources, texts } = sourcesOf(frame);
  return {
    at: framed.at,
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

function piecesOf(spans: readonly ToldSpan[], frame: RequestFrame, sessionKey: string): readonly Piece[] {
  const units = unitsOf(spans);
  const tools = units.filter(({ where }) => where === 'tools').map((unit) => unit.spans);
  return [
    ...units
      .filter(({ where }) => where === 'system')
      .flatMap(({ index, spans: each }) => {
        // The part before the cache boundary is the same for every session, except for what plugins add to it.
        const isStable = frame.system[index]?.cacheBoundary === true;
        return groupsOf(each).map(({ isPlugins, spans: group }) =>
          promptPiece(isStable && !isPlugins ? '' : sessionKey, 'system', group),
        );
      }),
    ...(tools.length === 0 ? [] : [promptPiece('', 'tools', parted(tools))]),
    ...units.filter(({ where }) => where === 'messages').map((unit) => promptPiece(sessionKey, 'messages', unit.spans)),
  ].filter(({ text }) => text !== '');
}

interface Unit {
  readonly where: ToldSpan['where'];
  readonly index: number;
  readonly spans: readonly WordedSpan[];
}

interface WordedSpan {
  readonly origin: string;
  readonly text: string;
}

/** Blocks, tools and messages. One whose words are not known has no spans. */
function unitsOf(spans: readonly ToldSpan[]): readonly Unit[] {
  const units = new Map<string, Omit<Unit, 'spans'> & { spans: WordedSpan[] }>();
  for (const { where, index, origin, text = '' } of spans) {
    const key = `${where} ${index}`;
    const unit = units.get(key) ?? { where, index, spans: [] };
    units.set(key, unit);
    if (text !== '') unit.spans.push({ origin, text });
  }
  return [...units.values()];
}

function groupsOf(spans: readonly WordedSpan[]): readonly { isPlugins: boolean; spans: readonly WordedSpan[] }[] {
  const groups: { isPlugins: boolean; spans: WordedSpan[] }[] = [];
  for (const span of spans) {
    const isPlugins = readAuthor('system', span.origin).kind === 'plugin';
    const last = groups.at(-1);
    if (last?.isPlugins === isPlugins) last.spans.push(span);
    else groups.push({ isPlugins, spans: [span] });
  }
  return groups;
}

/** A line break between two tools, so that the end of one and the beginning of the next are not one text. */
function parted(tools: readonly (readonly WordedSpan[])[]): readonly WordedSpan[] {
  return tools.flatMap((spans, index) => (index === 0 ? spans : [{ origin: '', text: '\n' }, ...spans]));
}

function promptPiece(scope: string, where: PromptPieceFacts['where'], spans: readonly WordedSpan[]): Piece {
  const joined: [string, number][] = [];
  for (const { origin, text } of spans) {
    const last = joined.at(-1);
    if (last?.[0] === origin && where !== 'system') last[1] += text.length;
    else joined.push([origin, text.length]);
  }
  const text = spans.map((span) => span.text).join('');
  return pieceOf(scope, 'prompt', text, { where, spans: joined });
}

function pieceOf(scope: string, kind: Piece['kind'], text: string, about: JsonObject): Piece {
  const key = hash('sha256', `${JSON.stringify(about)}\0${text}`).slice(0, 32);
  return { scope, hash: key, kind, text, about };
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
