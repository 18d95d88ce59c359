// The words of a request from the pieces that composition, plugins and the person bring: the system blocks around the
// composition, and the message with everything that stands before and behind it. It is pure; a run, a preview and a replay all
// arrange here. Every character keeps its author.

import type { Composition } from '../context/compose.ts';
import type { SystemBlock } from '../models/model.ts';
import { cutPieces, SEPARATOR } from './message-spans.ts';
import type { Contribution } from './prepare-message.ts';
import type { RequestSpan } from './request-draft.ts';
import { formatAuthor } from './span-author.ts';

/** What plugins and the person bring, in the order in which it stands, without separators. */
export interface PromptPieces {
  /** Replaces the composition. */
  readonly override?: Contribution | undefined;
  /** What prompt hooks put before the composition and behind it. */
  readonly before: readonly Contribution[];
  readonly behind: readonly Contribution[];
  /** The message: what stands before it, its own words, files, what stands behind it. */
  readonly user: readonly Contribution[];
}

export interface ArrangedPrompt {
  readonly system: readonly SystemBlock[];
  readonly systemSpans: readonly RequestSpan[];
  /** The message in pieces, including the separators; joined they are what is sent. */
  readonly user: readonly Contribution[];
}

export function arrangePrompt(composition: Composition, pieces: PromptPieces): ArrangedPrompt {
  return { ...systemOf(composition, pieces), user: parted(pieces.user) };
}

/**
 * Returns at most two blocks: the part that is the same for every session, with the cache boundary at its end, and the rest.
 */
function systemOf(
  { prompt, report }: Composition,
  { override, before, behind }: PromptPieces,
): Pick<ArrangedPrompt, 'system' | 'systemSpans'> {
  const base: readonly Contribution[] = override ? [override] : piecesOf(report.spans);
  const boundary = override ? override.text.length : prompt.cacheBoundary;
  const lead = before.length === 0 ? [] : [...parted(before), SEPARATOR];
  const trail = behind.length === 0 ? [] : [SEPARATOR, ...parted(behind)];
  const stable = [...lead, ...cutPieces(base, 0, boundary)];
  const rest = [...cutPieces(base, boundary, Number.POSITIVE_INFINITY), ...trail];
  const blocks = [stable, rest].filter((each) => each.length > 0);
  return {
    system: blocks.map((each) => ({ text: textOf(each), ...(each === stable ? { cacheBoundary: true } : {}) })),
    systemSpans: blocks.flatMap((each, index) =>
      each.map(({ origin, text }): RequestSpan => ({ where: 'system', index, origin, chars: text.length })),
    ),
  };
}

function parted(pieces: readonly Contribution[]): Contribution[] {
  return pieces
    .filter(({ text }) => text !== '')
    .flatMap((piece, index) => (index === 0 ? [piece] : [SEPARATOR, piece]));
}

function piecesOf(spans: Composition['report']['spans']): Contribution[] {
  return spans.map(({ origin, text }) => ({ origin: formatAuthor(origin), text }));
}

function textOf(pieces: readonly Contribution[]): string {
  return pieces.map(({ text }) => text).join('');
}
