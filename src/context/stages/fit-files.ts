// Makes the layers fit the budget. Kept sections survive whole or composing fails; everything else gives way by
// declared priority, and each range that is gone is named with its lines and its cause.

import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from '../../protocol/errors.ts';
import { type BudgetEntry, type FittedBudget, type FittedEntry, fitBudget } from '../budget/fit-budget.ts';
import { findKeptSections } from '../budget/keep-sections.ts';
import type { TextRange, TrimPiece } from '../budget/trim-piece.ts';
import type { Absence, ComposeInput, CompositionState, ContextPolicy, Cut, Layer, Stage } from '../composition.ts';
import { lineRange } from '../provenance/line-index.ts';
import { product } from '../provenance/origin.ts';
import { joinRopes, type Rope, ropeText, type SourceText, type Span, sliceRope } from '../provenance/rope.ts';
import { countTokens } from '../report/count-tokens.ts';

export const fitFiles: Stage = {
  name: 'budget',
  pure: true,
  summary: 'fit the budget: kept sections whole, the rest by declared priority',
  run(state: CompositionState): CompositionState {
    const { input } = state;
    const warnings: string[] = [];
    const absences: Absence[] = [];
    const candidates = state.layers.filter((layer) => {
      const absence = absenceOf(layer, state);
      if (absence) absences.push(absence);
      return absence === undefined || needsMarker(layer, state);
    });
    const fitted = fitLayers(candidates, input, warnings);

    const layers: Layer[] = [];
    const cuts: Cut[] = [];
    for (const layer of candidates) {
      const entry = fitted.get(layer);
      if (!entry) {
        absences.push(overBudget(layer, 'the kept sections leave no room for it'));
        continue;
      }
      cuts.push(...cutsOf(layer, entry));
      if (entry.dropped) {
        const detail = `${entry.rawChars} characters did not fit (${entry.causes.join(', ')})`;
        absences.push(overBudget(layer, detail));
      }
      if (entry.injectedChars > 0) layers.push({ ...layer, rope: piecesToRope(layer, entry) });
    }
    return {
      ...state,
      layers,
      cuts,
      absences: [...state.absences, ...absences],
      warnings: [...state.warnings, ...warnings],
    };
  },
};

/** How much of the total is set aside for text that changes by session or run, and the least total that is worth dividing. */
const PASSING_RESERVE = { share: 0.1, maxChars: 2_000, fromTotal: 100 };

/**
 * Files first, in a total that does not depend on what handlers add for this session or run; then those additions, in
 * what is left. Otherwise the length of a passing text would move the cuts of the files, and with them the cached prefix.
 */
function fitLayers(layers: readonly Layer[], input: ComposeInput, warnings: string[]): ReadonlyMap<Layer, FittedEntry> {
  const { policy } = input;
  const isDivided = policy.totalMaxChars >= PASSING_RESERVE.fromTotal && input.handlers.list().some(isPassing);
  const standing = isDivided ? layers.filter((layer) => !isPassingLayer(layer)) : layers;
  const passing = isDivided ? layers.filter(isPassingLayer) : [];
  const reserve = isDivided
    ? Math.min(PASSING_RESERVE.maxChars, Math.floor(policy.totalMaxChars * PASSING_RESERVE.share))
    : 0;

  const fittedStanding = fitStanding(
    standing,
    standing.map((layer) => toEntry(layer, input, warnings)),
    policy,
    reserve,
  );
  const left = {
    ...policy,
    totalMaxChars: policy.totalMaxChars - sumOf(fittedStanding.entries, (entry) => entry.injectedChars),
    maxTokens:
      policy.maxTokens === undefined
        ? undefined
        : Math.max(0, policy.maxTokens - countFitted(standing, fittedStanding)),
  };
  const passingEntries = passing.map((layer) => toEntry(layer, input, warnings));
  const fittedPassing =
    left.totalMaxChars > 0 ? fitEntries(passing, passingEntries, left) : { entries: [], warnings: [] };
  warnings.push(...fittedStanding.warnings, ...fittedPassing.warnings);
  return new Map([...pairUp(standing, fittedStanding), ...pairUp(passing, fittedPassing)]);
}

function isPassing({ stability }: { readonly stability?: string | undefined }): boolean {
  return stability === 'session' || stability === 'run';
}

/** A file on disk stands, even one that is rendered below the boundary; what only a handler brought may pass. */
function isPassingLayer(layer: Layer): boolean {
  return isPassing(layer) && layer.file?.source === undefined && !layer.file?.missing;
}

/** Sections that must be kept go before the reserve. */
function fitStanding(
  layers: readonly Layer[],
  entries: readonly BudgetEntry[],
  policy: ContextPolicy,
  reserve: number,
): FittedBudget {
  if (reserve === 0) return fitEntries(layers, entries, policy);
  const { totalMaxChars, maxTokens } = policy;
  const reservedTokens = maxTokens === undefined ? 0 : Math.floor(maxTokens * PASSING_RESERVE.share);
  const narrowed = {
    ...policy,
    totalMaxChars: totalMaxChars - reserve,
    maxTokens: maxTokens === undefined ? undefined : maxTokens - reservedTokens,
  };
  try {
    return fitEntries(layers, entries, narrowed);
  } catch (error) {
    if (error instanceof KeptSectionsOverBudgetError || error instanceof KeptSectionsOverTokenBudgetError) {
      return fitEntries(layers, entries, policy);
    }
    throw error;
  }
}

function pairUp(layers: readonly Layer[], { entries }: Pick<FittedBudget, 'entries'>): [Layer, FittedEntry][] {
  return layers.flatMap((layer, index) =>
    entries[index] ? [[layer, entries[index]] satisfies [Layer, FittedEntry]] : [],
  );
}

function sumOf<Item>(items: readonly Item[], measure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + measure(item), 0);
}

/** The report counts tokens span by span and so rounds up more often; what it shows has to keep the limit as well. */
function fitEntries(layers: readonly Layer[], entries: readonly BudgetEntry[], policy: ContextPolicy): FittedBudget {
  const { policyDigest, maxTokens } = policy;
  const fitted = fitBudget(entries, policy, { policyDigest });
  if (maxTokens === undefined) return fitted;
  let best = fitted;
  let limit = maxTokens;
  for (let over = countFitted(layers, best) - maxTokens; over > 0 && limit > over; ) {
    limit -= over;
    try {
      best = fitBudget(entries, { ...policy, maxTokens: limit }, { policyDigest });
    } catch (error) {
      if (error instanceof KeptSectionsOverTokenBudgetError) break;
      throw error;
    }
    over = countFitted(layers, best) - maxTokens;
  }
  return best;
}

function countFitted(layers: readonly Layer[], { entries }: FittedBudget): number {
  return layers.reduce((sum, layer, index) => {
    const entry = entries[index];
    return entry ? sum + countTokens(piecesToRope(layer, entry)) : sum;
  }, 0);
}

/** Why nothing of this layer can be shown; a file that is there and says something has no such reason. */
function absenceOf(layer: Layer, state: CompositionState): Absence | undefined {
  const { file } = layer;
  if (file?.missing) {
    const { reason = 'missing', detail = 'no such file' } = file.absence ?? {};
    const substitute = isProvided(layer, state) ? '; a handler provides this file instead' : '';
    return { what: file.name, path: file.path, reason, detail: detail + substitute };
  }
  if (layer.rope.some((span) => span.text.trim() !== '')) return undefined;
  return { what: layer.title, path: file?.path, reason: 'empty', detail: 'the file says nothing' };
}

function needsMarker(layer: Layer, state: CompositionState): boolean {
  const { file } = layer;
  if (!file?.missing) return false;
  if (state.input.policy.missingMarkers === 'all') return true;
  if (isProvided(layer, state)) return false;
  // Somebody wrote this file and counts on it, whether it is required or not.
  if (file.absence?.reason === 'unreadable') return true;
  return state.input.taxonomy.files.some((known) => known.name === file.name && known.required);
}

function isProvided(layer: Layer, state: CompositionState): boolean {
  return state.layers.some((other) => other.file && !other.file.missing && other.file.name === layer.file?.name);
}

function toEntry(layer: Layer, input: ComposeInput, warnings: string[]): BudgetEntry {
  const { policy } = input;
  const rank = policy.priority.indexOf(layer.file?.name ?? layer.liftedFrom?.file ?? layer.title);
  const base = {
    name: layer.file?.name ?? layer.title,
    path: layer.file?.path ?? layer.title,
    priority: rank === -1 ? undefined : rank,
  };
  if (layer.file?.missing) {
    const marker =
      layer.file.absence?.reason === 'unreadable'
        ? `[UNREADABLE] Present but not readable: ${layer.file.path}`
        : undefined;
    return { ...base, missing: true, marker };
  }
  const text = ropeText(layer.rope);
  return { ...base, text, keep: keptSections(layer, text, policy.keep, warnings) };
}

/** The first few tell enough. */
const MAX_STRAY_WARNINGS = 5;

/** Selectors name a file as the prompt does, so `AGENTS.md#Safety` means the one in the workspace and no nested one. */
function keptSections(
  layer: Layer,
  text: string,
  selectors: readonly string[],
  warnings: string[],
): readonly TextRange[] {
  const name = layer.title;
  // Looking for headings costs more than everything else here, and most files keep nothing.
  const isNamed = selectors.some((selector) => selector.toLowerCase().startsWith(`${name.toLowerCase()}#`));
  if (layer.liftedFrom || (!isNamed && !text.includes('<!--'))) return [];
  const found = findKeptSections(name, text, selectors);
  for (const selector of found.unmatchedSelectors)
    warnings.push(`bootstrap.keep names ${selector}, but ${name} has no such heading`);
  for (const line of found.strayKeepLines.slice(0, MAX_STRAY_WARNINGS))
    warnings.push(`${name} line ${line}: no heading follows this keep comment, so it keeps nothing`);
  return found.ranges;
}

function piecesToRope(layer: Layer, entry: FittedEntry): Rope {
  if (entry.pieces.length === 1 && entry.pieces[0]?.kind === 'kept')
    return sliceRope(layer.rope, entry.pieces[0].start, entry.pieces[0].end);
  return joinRopes(entry.pieces.flatMap((piece) => pieceToRope(layer, piece, entry.status === 'missing')));
}

function pieceToRope(layer: Layer, piece: TrimPiece, isMissing: boolean): Rope {
  if (piece.kind === 'kept') return sliceRope(layer.rope, piece.start, piece.end);
  if (piece.kind === 'marker')
    return [{ text: piece.text, origin: product(isMissing ? 'missing-marker' : 'trim-marker') }];
  return [digestSpan(layer, piece)];
}

/** A shortened line still has the author of the line, but is no longer that author's exact text. */
function digestSpan(layer: Layer, piece: Extract<TrimPiece, { kind: 'digest' }>): Span {
  const origin = sliceRope(layer.rope, piece.start, piece.start + 1)[0]?.origin ?? product('trim-marker');
  return { text: piece.text, origin: origin.kind === 'file' ? { ...origin, derived: true } : origin };
}

function cutsOf(layer: Layer, entry: FittedEntry): Cut[] {
  const cause = entry.causes.at(-1);
  if (!entry.truncated || entry.status !== 'present' || !cause) return [];
  const path = layer.file?.path ?? layer.title;
  const whole = { text: ropeText(layer.rope) };
  return entry.cuts.flatMap((range) => {
    let end = range.start;
    return groupBySource(sliceRope(layer.rope, range.start, range.end)).map((rope): Cut => {
      const start = end;
      const text = ropeText(rope);
      end += text.length;
      const place = placeInFile(rope) ?? { path, lines: lineRange(whole, start, end) };
      return {
        file: layer.title,
        stability: layer.stability,
        path,
        ...(place.path === path ? {} : { source: place.path }),
        lines: place.lines,
        chars: text.length,
        tokens: countTokens(rope),
        cause,
        text,
      };
    });
  });
}

/** Runs of spans that stand in one file; what stands in none goes with what is before it, or after it at the start. */
function groupBySource(rope: Rope): readonly Rope[] {
  const groups: { source: SourceText | undefined; spans: Span[] }[] = [];
  for (const span of rope) {
    const last = groups.at(-1);
    if (!last || (last.source && span.source && last.source !== span.source)) {
      groups.push({ source: span.source, spans: [span] });
    } else {
      last.source ??= span.source;
      last.spans.push(span);
    }
  }
  return groups.map((group) => group.spans);
}

function placeInFile(rope: Rope): { path: string; lines: readonly [number, number] } | undefined {
  let place: { path: string; source: SourceText; start: number; end: number } | undefined;
  for (const { text, origin, source, start } of rope) {
    if (!source || start === undefined || origin.kind === 'product' || origin.path === undefined) continue;
    place ??= { path: origin.path, source, start, end: start };
    place.start = Math.min(place.start, start);
    place.end = Math.max(place.end, start + text.length);
  }
  return place && { path: place.path, lines: lineRange(place.source, place.start, place.end) };
}

function overBudget(layer: Layer, detail: string): Absence {
  return { what: layer.title, path: layer.file?.path, reason: 'over-budget', detail, text: ropeText(layer.rope) };
}
