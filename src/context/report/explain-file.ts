// Says what happened to one file, or to one line of it: that it is in the prompt, and where; or that it is not, and
// why. The file may be a workspace file, a global one, an override, or any other file.

import type { Composition } from '../compose.ts';
import { offsetsOfLine } from '../provenance/line-index.ts';
import type { SourceText, Span } from '../provenance/rope.ts';
import type { FileReport } from './build-report.ts';
import { type AbsentText, absentText, cutText, findAbsentText, findTornText } from './find-absent-text.ts';
import { exactFinder } from './find-text.ts';
import { type PromptPlace, placeAt } from './prompt-place.ts';

export interface FileExplanation {
  readonly path: string;
  /** The lines that were asked for; absent when the whole file was. */
  readonly lines?: readonly [number, number] | undefined;
  /** The text of those lines, as far as it could be read. */
  readonly text?: string | undefined;
  /** Whether all of it, some of it, or none of it is in the prompt. */
  readonly presence: 'whole' | 'part' | 'none';
  readonly places: readonly PromptPlace[];
  readonly absent: readonly AbsentText[];
  /** Sizes, when the file is one that composition knows. */
  readonly file?: FileReport | undefined;
}

/** `source` is the file's text, for files that composition did not read. */
export function explainFile(composition: Composition, path: string, source?: SourceText): FileExplanation {
  const { report } = composition;
  const text = sourceIn(composition, path) ?? source;
  const exact = placesOf(composition, path, 0, Number.POSITIVE_INFINITY);
  const file = report.files.find((candidate) => candidate.path === path);
  const made = exact.length === 0 ? madePlaces(composition, file) : [];
  const places = [...exact, ...made, ...derivedPlaces(composition, path, () => true)];
  const cuts = report.cuts.filter((cut) => (cut.source ?? cut.path) === path).map((cut) => cutText(cut, report));
  const absences = absencesOf(composition, path);
  const absent = cuts.length > 0 ? cuts : absences.length > 0 ? absences : whyNot(composition, path, text?.text ?? '');
  const isWhole = exact.length + made.length > 0 && cuts.length === 0;
  return {
    path,
    presence: isWhole ? 'whole' : places.length > 0 ? 'part' : 'none',
    places,
    absent: isWhole ? [] : absent,
    ...(file ? { file } : {}),
  };
}

/** Undefined when the file has no such lines. */
export function explainLines(
  composition: Composition,
  path: string,
  lines: readonly [number, number],
  source?: SourceText,
): FileExplanation | undefined {
  const file = composition.report.files.find((candidate) => candidate.path === path);
  const known = sourceIn(composition, path) ?? source ?? madeText(composition, path);
  const facts = { path, lines, ...(file ? { file } : {}) };
  if (!known) return { ...facts, presence: 'none', places: [], absent: absencesOf(composition, path) };

  const first = offsetsOfLine(known, lines[0]);
  const last = offsetsOfLine(known, lines[1]);
  if (!first || !last) return undefined;
  const [start, end] = [first[0], first[0] + known.text.slice(first[0], last[1]).trimEnd().length];
  const text = known.text.slice(start, end);
  const exact = placesOf(composition, path, start, Math.max(end, start + 1));
  const places = exact.length > 0 ? exact : madePlaces(composition, file, text);
  const shown = places.reduce((sum, place) => sum + place.end - place.start, 0);
  if (shown >= end - start && places.length > 0) return { ...facts, text, presence: 'whole', places, absent: [] };

  const shortened = derivedPlaces(composition, path, (derived) => isAbout(derived.trim(), text.trim()));
  return {
    ...facts,
    text,
    presence: places.length + shortened.length > 0 ? 'part' : 'none',
    places: [...places, ...shortened],
    absent: whyNot(composition, path, text, lines),
  };
}

/** The text that composition itself read from this path. */
function sourceIn({ prompt }: Composition, path: string): SourceText | undefined {
  return prompt.rope.find((span) => isFrom(span, path) && span.source)?.source;
}

function isFrom({ origin }: Span, path: string): boolean {
  return origin.kind !== 'product' && origin.path === path;
}

/** Where characters `start` to `end` of the file stand in the prompt. */
function placesOf(composition: Composition, path: string, start: number, end: number): PromptPlace[] {
  const places: PromptPlace[] = [];
  let at = 0;
  for (const span of composition.prompt.rope) {
    if (isFrom(span, path) && span.start !== undefined) {
      const from = Math.max(start, span.start);
      const to = Math.min(end, span.start + span.text.length);
      if (from < to) places.push(placeAt(composition, at + from - span.start, at + to - span.start));
    }
    at += span.text.length;
  }
  return places;
}

/**
 * A file that a rule or a handler made stands in no file on disk. Its words are found by the layer that has its name:
 * all of them, or one piece.
 */
function madePlaces(composition: Composition, file: FileReport | undefined, piece?: string): PromptPlace[] {
  if (!file || file.diskChars !== undefined || file.status === 'absent') return [];
  return composition.report.layers
    .filter(({ title }) => title === file.name)
    .flatMap(({ start, end }) => {
      if (piece === undefined) return [placeAt(composition, start, end)];
      const found = exactFinder(piece)(composition.prompt.text.slice(start, end));
      return found.map((at) => placeAt(composition, start + at.start, start + at.end));
    });
}

function madeText({ files }: Composition, path: string): SourceText | undefined {
  const text = files.find((file) => file.path === path)?.content;
  return text === undefined ? undefined : { text };
}

/** Text that was reworded for a digest or a catalogue is not an exact copy, but it comes from the file. */
function derivedPlaces(composition: Composition, path: string, isMeant: (text: string) => boolean): PromptPlace[] {
  const places: PromptPlace[] = [];
  let at = 0;
  for (const span of composition.prompt.rope) {
    const isDerived = span.origin.kind === 'file' && span.origin.derived === true;
    if (isDerived && isFrom(span, path) && isMeant(span.text))
      places.push(placeAt(composition, at, at + span.text.length));
    at += span.text.length;
  }
  return places;
}

function isAbout(derived: string, text: string): boolean {
  return derived !== '' && text !== '' && (derived.includes(text) || text.includes(derived));
}

function absencesOf({ report }: Composition, path: string): AbsentText[] {
  return report.absences.filter((absence) => absence.path === path || absence.what === path).map(absentText);
}

/** A piece that was left out of this very file counts before equal text from elsewhere. */
function whyNot(
  composition: Composition,
  path: string,
  text: string,
  lines: readonly [number, number] = [1, Number.POSITIVE_INFINITY],
): readonly AbsentText[] {
  const find = exactFinder(text.trim());
  const whole = text.trim() === '' ? [] : findAbsentText(composition, find);
  const found = text.trim() === '' || whole.length > 0 ? whole : findTornText(composition, find);
  const own = found.filter((absent) => absent.path === path);
  const there = own.filter((absent) => absent.lines && absent.lines[0] <= lines[1] && absent.lines[1] >= lines[0]);
  if (there.length > 0) return there;
  if (own.length > 0) return own;
  const ofFile = absencesOf(composition, path);
  return ofFile.length > 0 ? ofFile : found;
}
