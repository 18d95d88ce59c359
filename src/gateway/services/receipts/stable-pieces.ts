// The pieces of a prompt that come before the conversation: system blocks and tools. Runs in a row mostly have the same
// ones, so what was made of them last is used again.
//
// Promise: the pieces are those that the frame alone gives. What is remembered is used only for a frame that has the same
// blocks, the very same tools, which frames from one source share, and spans that say the same. It is bounded.

import type { RequestSpan } from '../../../agent/request-draft.ts';
import type { RequestFrame } from '../../../agent/request-frame.ts';
import { withTexts } from '../../../agent/request-text.ts';
import { readAuthor } from '../../../agent/span-author.ts';
import { remembered } from '../../../protocol/remembered.ts';
import { isWhole, type Piece, promptPiece, unitsOf, type WordedSpan, withKey } from './prompt-piece.ts';

/** What a frame says besides the conversation. */
export type StableFrame = Pick<RequestFrame, 'system' | 'tools' | 'spans'>;

export interface StablePieces {
  /** Those that all sessions share. */
  readonly shared: readonly Piece[];
  /** Those that belong to a session, by its key. */
  readonly ofSession: (sessionKey: string) => readonly Piece[];
  /** False when the words of a span are not known. */
  readonly isWhole: boolean;
}

const MOST_FRAMES = 8;
const MOST_SESSIONS = 64;

export class KnownStablePieces {
  /** The one that was used last comes first. */
  #known: { readonly frame: StableFrame; readonly pieces: StablePieces }[] = [];

  /** The spans of `frame` are those of its blocks and tools. */
  of(frame: StableFrame): StablePieces {
    const known = this.#known.find((each) => isSame(each.frame, frame)) ?? { frame, pieces: stablePiecesOf(frame) };
    if (known !== this.#known[0])
      this.#known = [known, ...this.#known.filter((each) => each !== known)].slice(0, MOST_FRAMES);
    return known.pieces;
  }
}

function isSame(one: StableFrame, other: StableFrame): boolean {
  return (
    isEach(one.system, other.system, isSameBlock) &&
    isEach(one.tools, other.tools, Object.is) &&
    isEach(one.spans, other.spans, saysTheSame)
  );
}

type Block = StableFrame['system'][number];

function isSameBlock(one: Block, other: Block): boolean {
  return one === other || (one.text === other.text && one.cacheBoundary === other.cacheBoundary);
}

function saysTheSame(one: RequestSpan, other: RequestSpan): boolean {
  return (
    one === other ||
    (one.where === other.where && one.index === other.index && one.chars === other.chars && one.origin === other.origin)
  );
}

function isEach<T>(some: readonly T[], others: readonly T[], is: (one: T, other: T) => boolean): boolean {
  return some.length === others.length && some.every((one, index) => is(one, others[index] as T));
}

function stablePiecesOf({ system, tools, spans }: StableFrame): StablePieces {
  const told = withTexts(spans, { system, tools, messages: [] });
  const units = unitsOf(told);
  const shared: Piece[] = [];
  const ofSession: Piece[] = [];
  for (const { where, index, spans: each } of units) {
    if (where !== 'system') continue;
    // The part before the cache boundary is the same for every session, except for what plugins add to it.
    const isStable = system[index]?.cacheBoundary === true;
    for (const { isPlugins, spans: group } of groupsOf(each))
      (isStable && !isPlugins ? shared : ofSession).push(promptPiece('', 'system', group));
  }
  const offered = units.filter(({ where }) => where === 'tools').map((unit) => unit.spans);
  if (offered.length > 0) shared.push(promptPiece('', 'tools', parted(offered)));
  const own = ofSession.filter(hasText);
  return {
    shared: shared.filter(hasText),
    ofSession: remembered(MOST_SESSIONS, (scope) => own.map((piece) => withKey({ ...piece, scope }))),
    isWhole: isWhole(told),
  };
}

function hasText({ text }: Piece): boolean {
  return text !== '';
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
