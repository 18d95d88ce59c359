// Says who wrote a piece of text, or why it is not in the prompt, as data. For text that is found neither in the prompt
// nor among what was left out, it offers near matches, and marks them as such.

import type { Composition } from '../compose.ts';
import type { Absence, AbsenceReason } from '../composition.ts';
import { type AbsentText, findAbsentText, findTornText } from './find-absent-text.ts';
import { exactFinder, otherCaseFinder, spacingFinder, type TextFinder } from './find-text.ts';
import { type PromptPlace, placeAt } from './prompt-place.ts';

export interface TextExplanation {
  readonly text: string;
  readonly present: boolean;
  /** Every place in the prompt. */
  readonly places: readonly PromptPlace[];
  /** Every copy that was left out, with the reason; copies may exist beside one that is present. */
  readonly absent: readonly AbsentText[];
  /** True when the text was found with other spacing than it was asked for. */
  readonly spacingDiffers: boolean;
  /** For text of several lines that stands nowhere as a whole: each line by itself. */
  readonly lines?: readonly TextExplanation[] | undefined;
  /** Only when nothing was found. */
  readonly help?: NearHelp | undefined;
}

export interface NearHelp {
  /** The same words in upper or lower case. */
  readonly otherCase?: PromptPlace | undefined;
  readonly absentInOtherCase: readonly AbsentText[];
  /** The line of the prompt that is most similar. */
  readonly closest?: PromptPlace | undefined;
  /** Handlers and rules that ran and wrote nothing in this situation; the text may be theirs. */
  readonly silent: readonly string[];
  /** What did not take part, so that its text is not known. */
  readonly unheard: readonly Absence[];
}

export function explainText(composition: Composition, text: string): TextExplanation {
  const exact = findEverywhere(composition, text, exactFinder(text));
  if (exact) return { ...exact, spacingDiffers: false };
  const loose = findEverywhere(composition, text, spacingFinder(text));
  if (loose) return { ...loose, spacingDiffers: true };

  const missing = { text, present: false, places: [], absent: [], spacingDiffers: false };
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 1) {
    const each = lines.map((line) => explainText(composition, line.trim()));
    if (each.some(isExplained)) return { ...missing, present: each.every((line) => line.present), lines: each };
  }
  return { ...missing, help: helpWith(composition, text) };
}

export function isExplained(explanation: TextExplanation): boolean {
  const { places, absent, lines } = explanation;
  return places.length > 0 || absent.length > 0 || (lines?.every(isExplained) ?? false);
}

function findEverywhere(
  composition: Composition,
  text: string,
  find: TextFinder,
): Omit<TextExplanation, 'spacingDiffers'> | undefined {
  const places = find(composition.prompt.text).map(({ start, end }) => placeAt(composition, start, end));
  const whole = findAbsentText(composition, find);
  const absent = places.length + whole.length > 0 ? whole : findTornText(composition, find);
  if (places.length === 0 && absent.length === 0) return undefined;
  return { text, present: places.length > 0, places, absent };
}

function helpWith(composition: Composition, text: string): NearHelp {
  const { prompt, report } = composition;
  const inOtherCase = otherCaseFinder(text)(prompt.text)[0];
  return {
    otherCase: inOtherCase && placeAt(composition, inOtherCase.start, inOtherCase.end),
    closest: inOtherCase ? undefined : closestLine(composition, text),
    absentInOtherCase: findAbsentText(composition, otherCaseFinder(text)),
    silent: silentHandlers(composition),
    unheard: report.absences.filter((absence) => absence.text === undefined && UNHEARD.includes(absence.reason)),
  };
}

/** The text of the other handlers is known and was already searched. */
function silentHandlers({ report }: Composition): string[] {
  const known = new Set(report.absences.filter(({ text }) => text !== undefined).map(({ by }) => by));
  return report.handlers
    .filter(({ id, outcome, changes }) => outcome === 'done' && changes.length === 0 && !known.has(id))
    .map(({ id }) => id);
}

/** Absences with these reasons had text that composition never saw. */
const UNHEARD: readonly AbsenceReason[] = [
  'handler-failed',
  'rule-condition-false',
  'disabled',
  'unreadable',
  'outside-workspace',
  'too-large',
];

/** A lower similarity is a coincidence. */
const LEAST_LIKENESS = 0.5;

function closestLine(composition: Composition, text: string): PromptPlace | undefined {
  const wanted = pairsOf(text);
  let best: { start: number; end: number } | undefined;
  let bestLikeness = LEAST_LIKENESS;
  let start = 0;
  for (const line of composition.prompt.text.split('\n')) {
    const likeness = likenessOf(wanted, pairsOf(line));
    if (likeness > bestLikeness) {
      best = { start, end: start + line.length };
      bestLikeness = likeness;
    }
    start += line.length + 1;
  }
  return best && placeAt(composition, best.start, best.end);
}

/** Counts pairs of neighbouring letters: two texts are similar when they share most of them. */
function pairsOf(text: string): ReadonlyMap<string, number> {
  const letters = text.toLowerCase().replace(/\s+/g, ' ').trim();
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < letters.length; at++) {
    const pair = letters.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function likenessOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let shared = 0;
  let total = 0;
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    total += count;
  }
  for (const count of b.values()) total += count;
  return total === 0 ? 0 : (2 * shared) / total;
}
