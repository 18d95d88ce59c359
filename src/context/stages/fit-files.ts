// Makes the layers fit the budget. Kept sections survive whole or composing fails; everything else gives way by
// declared priority, and each range that is gone is named with its lines and its cause.

import type { Absence, CompositionState, Cut, Layer, Stage } from '../composition.ts';
import { fitLayers } from '../fit-layers.ts';
import { fittedRope } from '../fitted-rope.ts';
import { nameCuts } from '../name-cuts.ts';
import { type Contribution, type Rope, ropeText } from '../provenance/rope.ts';

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
        absences.push(overBudget(layer, 'what stands before it leaves no room for it'));
        continue;
      }
      cuts.push(...nameCuts(layer, entry));
      if (entry.dropped) {
        const detail = `${entry.rawChars} characters did not fit (${entry.causes.join(', ')})`;
        absences.push(overBudget(layer, detail));
      }
      if (entry.injectedChars > 0) layers.push({ ...layer, rope: fittedRope(layer, entry) });
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

/** Returns why nothing of this layer can be shown, or undefined for a file that exists and is not empty. */
function absenceOf(layer: Layer, state: CompositionState): Absence | undefined {
  const { file } = layer;
  if (file?.missing) {
    const { detail, ...why } = file.absence ?? { reason: 'missing', detail: 'no such file' };
    const substitute = isProvided(layer, state) ? '; a handler provides this file instead' : '';
    const unused = layer.rope.some((span) => span.text.trim() !== '');
    if (unused) return { what: file.name, path: file.path, ...why, detail: MARKED_MISSING, text: ropeText(layer.rope) };
    return { what: file.name, path: file.path, ...why, detail: detail + substitute };
  }
  if (layer.rope.some((span) => span.text.trim() !== '')) return undefined;
  return { what: layer.title, path: file?.path, reason: 'empty', detail: 'the file says nothing' };
}

const MARKED_MISSING =
  'a handler gave it a text and left it marked as missing; one that provides a file sets "missing" to false';

function needsMarker(layer: Layer, state: CompositionState): boolean {
  const { file } = layer;
  if (!file?.missing) return false;
  if (state.input.policy.missingMarkers === 'all') return true;
  if (isProvided(layer, state)) return false;
  // A person wrote this file and relies on it, whether it is required or not.
  if (file.absence?.reason === 'unreadable') return true;
  return state.input.taxonomy.files.some((known) => known.name === file.name && known.required);
}

function isProvided(layer: Layer, state: CompositionState): boolean {
  return state.layers.some(
    (other) =>
      other.file && !other.file.missing && other.file.name === layer.file?.name && !isAddition(other.file.rope),
  );
}

/** Text that handlers appended or prepended to a missing file adds to it and does not stand for it. */
function isAddition(rope: Rope): boolean {
  const isAdded = (each: Contribution | undefined) => each !== undefined && each.at !== 'whole';
  return (
    rope.some(({ contribution }) => contribution?.addsToMissing) && rope.every((span) => isAdded(span.contribution))
  );
}

function overBudget(layer: Layer, detail: string): Absence {
  return { what: layer.title, path: layer.file?.path, reason: 'over-budget', detail, text: ropeText(layer.rope) };
}
