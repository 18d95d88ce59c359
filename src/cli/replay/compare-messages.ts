// What two requests of one run differ in as to their messages: the pieces that one of them has and the other has not, with
// their authors.

import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import { diffLines } from '../../context/report/diff-lines.ts';
import type { RequestPiece } from '../../context/report/request-sections.ts';
import type { RestComparison } from '../context/compare-rest.ts';
import type { AuthoredLine } from '../context/format-compared-lines.ts';

export function compareMessages(
  left: readonly RequestPiece[],
  right: readonly RequestPiece[],
): readonly RestComparison[] {
  const [before, after] = [messagesOf(left), messagesOf(right)];
  const indices = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  return indices.flatMap((index) => {
    const [old, now] = [before.get(index) ?? [], after.get(index) ?? []];
    return textOf(old) === textOf(now) ? [] : [compareMessage(index, old, now)];
  });
}

function messagesOf(pieces: readonly RequestPiece[]): ReadonlyMap<number, readonly RequestPiece[]> {
  const messages = new Map<number, RequestPiece[]>();
  for (const piece of pieces) {
    if (piece.where !== 'messages') continue;
    messages.set(piece.index, [...(messages.get(piece.index) ?? []), piece]);
  }
  return messages;
}

function compareMessage(index: number, old: readonly RequestPiece[], now: readonly RequestPiece[]): RestComparison {
  const keys = [old, now].map((pieces) => pieces.map(({ origin, text = '' }) => `${origin}\0${text}`));
  const lines = diffLines(keys[0] ?? [], keys[1] ?? []).flatMap((each): AuthoredLine[] => {
    const piece = each.kind === 'removed' ? old[each.left] : now[each.right];
    const { origin = '', text = '' } = piece ?? {};
    const shown = text
      .replace(/\n$/, '')
      .split('\n')
      .filter((line) => line !== '');
    return shown.map((line) => ({ kind: each.kind, text: line, author: origin }));
  });
  const sizes = (measure: (text: string) => number) => ({ left: measure(textOf(old)), right: measure(textOf(now)) });
  return {
    title: `Message ${index + 1}`,
    change: old.length === 0 ? 'added' : now.length === 0 ? 'removed' : 'changed',
    chars: sizes((text) => text.length),
    tokens: sizes(estimateTokens),
    lines,
  };
}

function textOf(pieces: readonly RequestPiece[]): string {
  return pieces.map(({ text = '' }) => text).join('');
}
