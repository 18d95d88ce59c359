// A piece of a prompt: a text that runs share, with the authors of its words. It is pure.

import { hash } from 'node:crypto';
import type { ToldSpan } from '../../../agent/request-text.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { PromptPieceRow } from '../../../store/tables.ts';

type PieceFacts = Omit<PromptPieceRow, 'seq' | 'usedAt'>;

export interface Piece extends PieceFacts {
  /** Tells pieces apart. It stands here because most pieces are named again by every run of a conversation. */
  readonly key: string;
}

/** What `about` of a piece of kind `prompt` holds. The spans cover its text without gaps. */
export interface PromptPieceFacts {
  readonly where: 'system' | 'tools' | 'messages';
  /** Author and number of characters; an empty author is a separator that the model did not read. */
  readonly spans: readonly (readonly [author: string, chars: number])[];
}

export function promptPiece(scope: string, where: PromptPieceFacts['where'], spans: readonly WordedSpan[]): Piece {
  const joined: [string, number][] = [];
  for (const { origin, text } of spans) {
    const last = joined.at(-1);
    if (last?.[0] === origin && where !== 'system') last[1] += text.length;
    else joined.push([origin, text.length]);
  }
  const text = spans.map((span) => span.text).join('');
  return pieceOf(scope, 'prompt', text, { where, spans: joined });
}

export function pieceOf(scope: string, kind: Piece['kind'], text: string, about: JsonObject): Piece {
  return withKey({ scope, hash: hash('sha256', `${JSON.stringify(about)}\0${text}`).slice(0, 32), kind, text, about });
}

export function withKey({ scope, hash, kind, text, about }: PieceFacts): Piece {
  return { key: keyOf({ scope, hash }), scope, hash, kind, text, about };
}

export function keyOf({ scope, hash }: Pick<PieceFacts, 'scope' | 'hash'>): string {
  return `${scope}\n${hash}`;
}

export interface Unit {
  readonly where: ToldSpan['where'];
  readonly index: number;
  readonly spans: readonly WordedSpan[];
}

export interface WordedSpan {
  readonly origin: string;
  readonly text: string;
}

/** Blocks, tools and messages. One whose words are not known has no spans. */
export function unitsOf(spans: readonly ToldSpan[]): readonly Unit[] {
  const units: Unit[] = [];
  const known: Readonly<Record<Unit['where'], WordedSpan[][]>> = { system: [], tools: [], messages: [] };
  for (const { where, index, origin, text = '' } of spans) {
    let worded = known[where][index];
    if (!worded) {
      worded = [];
      known[where][index] = worded;
      units.push({ where, index, spans: worded });
    }
    if (text !== '') worded.push({ origin, text });
  }
  return units;
}

export function isWhole(spans: readonly ToldSpan[]): boolean {
  return spans.every(({ text, chars }) => text !== undefined || chars === 0);
}
