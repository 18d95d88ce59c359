// Makes the layers fit the budget. Kept sections survive whole or composing fails; everything else gives way by
// declared priority, and each range that is gone is named with its lines and its cause.

import { type BudgetEntry, type FittedEntry, fitBudget } from '../budget/fit-budget.ts';
import { findKeptSections } from '../budget/keep-sections.ts';
import type { TextRange, TrimPiece } from '../budget/trim-piece.ts';
import type { Absence, ComposeInput, CompositionState, Cut, Layer, Stage } from '../composition.ts';
import { lineRange } from '../provenance/line-index.ts';
import { product } from '../provenance/origin.ts';
import { joinRopes, type Rope, ropeText, type Span, sliceRope } from '../provenance/rope.ts';
import { countTokens } from '../report/count-tokens.ts';

export const fitFiles: Stage = {
  name: 'budget',
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
    const entries = candidates.map((layer) => toEntry(layer, input, warnings));
    const fitted = fitBudget(entries, input.policy, { policyDigest: input.policy.policyDigest });

    const layers: Layer[] = [];
    const cuts: Cut[] = [];
    candidates.forEach((layer, index) => {
      const entry = fitted.entries[index];
      if (!entry) return;
      cuts.push(...cutsOf(layer, entry));
      if (entry.dropped) absences.push(overBudget(layer, entry));
      if (entry.injectedChars > 0) layers.push({ ...layer, rope: piecesToRope(layer, entry) });
    });
    return {
      ...state,
      layers,
      cuts,
      absences: [...state.absences, ...absences],
      warnings: [...state.warnings, ...warnings, ...fitted.warnings],
    };
  },
};

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
  const name = layer.file?.name ?? layer.liftedFrom?.file ?? layer.title;
  const rank = policy.priority.indexOf(name);
  const base = { name, path: layer.file?.path ?? layer.title, priority: rank === -1 ? undefined : rank };
  if (layer.file?.missing) {
    const marker =
      layer.file.absence?.reason === 'unreadable'
        ? `[UNREADABLE] Present but not readable: ${layer.file.path}`
        : undefined;
    return { ...base, missing: true, marker };
  }
  const text = ropeText(layer.rope);
  return { ...base, text, keep: keptSections(layer, name, text, policy.keep, warnings) };
}

function keptSections(
  layer: Layer,
  name: string,
  text: string,
  selectors: readonly string[],
  warnings: string[],
): readonly TextRange[] {
  // Looking for headings costs more than everything else here, and most files keep nothing.
  const isNamed = selectors.some((selector) => selector.toLowerCase().startsWith(`${name.toLowerCase()}#`));
  if (layer.liftedFrom || (!isNamed && !text.includes('<!--'))) return [];
  const found = findKeptSections(name, text, selectors);
  for (const selector of found.unmatchedSelectors)
    warnings.push(`bootstrap.keep names ${selector}, but ${name} has no such heading`);
  for (const line of found.strayKeepLines)
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
  const text = ropeText(layer.rope);
  const whole = { text };
  return entry.cuts.map((range) => ({
    file: layer.title,
    path: layer.file?.path ?? layer.title,
    lines: linesOfCut(layer, whole, range),
    chars: range.end - range.start,
    tokens: countTokens(sliceRope(layer.rope, range.start, range.end)),
    cause,
    text: text.slice(range.start, range.end),
  }));
}

/** Lines of the file on disk where the cut lies in one file, else lines of the text as the handlers left it. */
function linesOfCut(layer: Layer, whole: { text: string }, range: TextRange): readonly [number, number] {
  const spans = sliceRope(layer.rope, range.start, range.end);
  const first = spans[0];
  const last = spans.at(-1);
  if (first?.source && last && first.source === last.source && first.start !== undefined && last.start !== undefined) {
    return lineRange(first.source, first.start, last.start + last.text.length);
  }
  return lineRange(whole, range.start, range.end);
}

function overBudget(layer: Layer, entry: FittedEntry): Absence {
  return {
    what: layer.title,
    path: layer.file?.path,
    reason: 'over-budget',
    detail: `${entry.rawChars} characters did not fit (${entry.causes.join(', ')})`,
    text: ropeText(layer.rope),
  };
}
