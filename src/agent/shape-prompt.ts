// Lets the prompt hooks have their say and puts the request's words together: the system blocks around the composition,
// and the message with everything that stands before and behind it. Every character keeps its author.
//
// Order, before and behind alike: queued injections, agent_turn_prepare, heartbeat, before_prompt_build,
// before_agent_start; pieces are parted by a blank line.

import type { Composition } from '../context/compose.ts';
import { formatOrigin } from '../context/provenance/origin.ts';
import type { Rope } from '../context/provenance/rope.ts';
import type { HookTypes } from '../hooks/hook-types.ts';
import type { SystemBlock } from '../models/model.ts';
import type { DraftMode, TurnSubject } from './draft-request.ts';
import { type Contribution, contributionsOf, type PreparedTurn } from './prepare-turn.ts';
import type { RequestSpan } from './request-draft.ts';
import type { RunParts } from './run-parts.ts';

export interface ShapedPrompt {
  readonly system: readonly SystemBlock[];
  readonly systemSpans: readonly RequestSpan[];
  /** The message in pieces, the separators among them; joined they are what is sent. */
  readonly user: readonly Contribution[];
  readonly placeholders: readonly string[];
}

export async function shapePrompt(
  parts: RunParts,
  turn: TurnSubject,
  given: {
    readonly mode: DraftMode;
    readonly composition: Composition;
    readonly prepared: PreparedTurn;
    readonly legacy: HookTypes['before_agent_start']['result'];
  },
): Promise<ShapedPrompt> {
  const { composition, prepared, legacy } = given;
  const built = await parts.hooks.run(
    'before_prompt_build',
    { prompt: turn.text, messages: turn.history },
    turn.context,
    {
      signal: turn.signal,
      pureOnly: given.mode === 'preview',
    },
  );
  const around = (field: 'prependContext' | 'appendContext' | 'prependSystemContext' | 'appendSystemContext') => [
    ...contributionsOf(built, 'before_prompt_build', field),
    ...contribution('before_agent_start', legacy[field]),
  ];
  const override = built.result.systemPrompt ?? legacy.systemPrompt;
  const system = systemOf(composition, override, around('prependSystemContext'), around('appendSystemContext'));
  return {
    ...system,
    user: parted([
      ...prepared.prepend,
      ...around('prependContext'),
      { origin: 'message', text: turn.text },
      ...prepared.append,
      ...around('appendContext'),
    ]),
    placeholders: built.skipped,
  };
}

/** At most two blocks: what stays the same for every session, with the cache boundary at its end, and the rest. */
function systemOf(
  { prompt }: Composition,
  override: string | undefined,
  before: readonly Contribution[],
  behind: readonly Contribution[],
): Pick<ShapedPrompt, 'system' | 'systemSpans'> {
  const base: readonly Contribution[] = override
    ? [{ origin: 'systemPrompt of a hook', text: override }]
    : piecesOf(prompt.rope);
  const boundary = override ? override.length : prompt.cacheBoundary;
  const lead = before.length === 0 ? [] : [...parted(before), SEPARATOR];
  const trail = behind.length === 0 ? [] : [SEPARATOR, ...parted(behind)];
  const stable = [...lead, ...cut(base, 0, boundary)];
  const rest = [...cut(base, boundary, Number.POSITIVE_INFINITY), ...trail];
  const blocks = [stable, rest].filter((pieces) => pieces.length > 0);
  return {
    system: blocks.map((pieces) => ({ text: textOf(pieces), ...(pieces === stable ? { cacheBoundary: true } : {}) })),
    systemSpans: blocks.flatMap((pieces, index) =>
      pieces.map(({ origin, text }): RequestSpan => ({ where: 'system', index, origin, chars: text.length })),
    ),
  };
}

const SEPARATOR: Contribution = { origin: 'atrium: separator', text: '\n\n' };

function parted(pieces: readonly Contribution[]): Contribution[] {
  return pieces
    .filter(({ text }) => text !== '')
    .flatMap((piece, index) => (index === 0 ? [piece] : [SEPARATOR, piece]));
}

function contribution(origin: string, text: string | undefined): Contribution[] {
  return text ? [{ origin, text }] : [];
}

function piecesOf(rope: Rope): Contribution[] {
  return rope.map(({ origin, text }) => ({ origin: formatOrigin(origin), text }));
}

function cut(pieces: readonly Contribution[], from: number, to: number): Contribution[] {
  const kept: Contribution[] = [];
  let at = 0;
  for (const { origin, text } of pieces) {
    const slice = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (slice !== '') kept.push({ origin, text: slice });
    at += text.length;
  }
  return kept;
}

function textOf(pieces: readonly Contribution[]): string {
  return pieces.map(({ text }) => text).join('');
}
