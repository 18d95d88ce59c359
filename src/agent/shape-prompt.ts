// Calls the prompt hooks and builds the words of the request: the system blocks around the composition, and the message
// with everything that stands before and after it. Every character keeps its author.
// Order, before and after the message alike: queued injections, agent_turn_prepare, heartbeat, before_prompt_build,
// before_agent_start; pieces are separated by a blank line.

import type { Composition } from '../context/compose.ts';
import { formatOrigin } from '../context/provenance/origin.ts';
import type { LocatedOrigin } from '../context/report/located-origin.ts';
import type { HookAnswer } from '../hooks/runner.ts';
import type { SystemBlock } from '../models/model.ts';
import { askingIn, type DraftMode, type RunSubject } from './draft-request.ts';
import { cutPieces, SEPARATOR } from './message-spans.ts';
import { type Contribution, contributionsOf, type PreparedMessage } from './prepare-message.ts';
import type { RequestSpan } from './request-draft.ts';
import type { DraftParts } from './run-parts.ts';
import { toldHistory } from './told-history.ts';

export interface ShapedPrompt {
  readonly system: readonly SystemBlock[];
  readonly systemSpans: readonly RequestSpan[];
  /** The message in pieces, including the separators; joined they are what is sent. */
  readonly user: readonly Contribution[];
  readonly placeholders: readonly string[];
}

export async function shapePrompt(
  parts: DraftParts,
  run: RunSubject,
  given: {
    readonly mode: DraftMode;
    readonly composition: Composition;
    readonly prepared: PreparedMessage;
    readonly legacy: HookAnswer<'before_agent_start'>;
  },
): Promise<ShapedPrompt> {
  const { composition, prepared, legacy } = given;
  const built = await parts.hooks.run(
    'before_prompt_build',
    { prompt: run.text, messages: toldHistory(parts.hooks, 'before_prompt_build', run) },
    run.context,
    {
      signal: run.signal,
      ...askingIn(given.mode),
    },
  );
  const around = (field: 'prependContext' | 'appendContext' | 'prependSystemContext' | 'appendSystemContext') => [
    ...contributionsOf(built, 'before_prompt_build', field),
    ...contributionsOf(legacy, 'before_agent_start', field),
  ];
  const [override] = [
    ...contributionsOf(built, 'before_prompt_build', 'systemPrompt'),
    ...contributionsOf(legacy, 'before_agent_start', 'systemPrompt'),
  ];
  const system = systemOf(composition, override, around('prependSystemContext'), around('appendSystemContext'));
  return {
    ...system,
    user: parted([
      ...prepared.prepend,
      ...around('prependContext'),
      { origin: 'message', text: run.text },
      ...prepared.append,
      ...around('appendContext'),
    ]),
    placeholders: built.skipped,
  };
}

/**
 * At most two blocks: the part that is the same for every session, with the cache boundary at its end, and the rest.
 */
function systemOf(
  { prompt, report }: Composition,
  override: Contribution | undefined,
  before: readonly Contribution[],
  behind: readonly Contribution[],
): Pick<ShapedPrompt, 'system' | 'systemSpans'> {
  const base: readonly Contribution[] = override ? [override] : piecesOf(report.spans);
  const boundary = override ? override.text.length : prompt.cacheBoundary;
  const lead = before.length === 0 ? [] : [...parted(before), SEPARATOR];
  const trail = behind.length === 0 ? [] : [SEPARATOR, ...parted(behind)];
  const stable = [...lead, ...cutPieces(base, 0, boundary)];
  const rest = [...cutPieces(base, boundary, Number.POSITIVE_INFINITY), ...trail];
  const blocks = [stable, rest].filter((pieces) => pieces.length > 0);
  return {
    system: blocks.map((pieces) => ({ text: textOf(pieces), ...(pieces === stable ? { cacheBoundary: true } : {}) })),
    systemSpans: blocks.flatMap((pieces, index) =>
      pieces.map(({ origin, text }): RequestSpan => ({ where: 'system', index, origin, chars: text.length })),
    ),
  };
}

function parted(pieces: readonly Contribution[]): Contribution[] {
  return pieces
    .filter(({ text }) => text !== '')
    .flatMap((piece, index) => (index === 0 ? [piece] : [SEPARATOR, piece]));
}

function piecesOf(spans: Composition['report']['spans']): Contribution[] {
  return spans.map(({ origin, text }) => ({ origin: authorOf(origin), text }));
}

function authorOf(origin: LocatedOrigin): string {
  const [first, last] = (origin.kind !== 'product' && origin.lines) || [];
  if (first === undefined) return formatOrigin(origin);
  return `${formatOrigin(origin)}, ${first === last ? `line ${first}` : `lines ${first}-${last}`}`;
}

function textOf(pieces: readonly Contribution[]): string {
  return pieces.map(({ text }) => text).join('');
}
