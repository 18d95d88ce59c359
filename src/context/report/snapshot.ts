// A prompt in the form that is committed and compared: machine paths by name, and a short index of its sections, so
// that a difference can be named by section and author. It is pure: where snapshots are kept is not known here.

import type { Stability } from '../../protocol/handler.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import type { Composition } from '../compose.ts';
import { formatOrigin } from '../provenance/origin.ts';
import type { Rope } from '../provenance/rope.ts';
import { diffLines } from './diff-lines.ts';
import { originsOf } from './located-origin.ts';
import { type MachineFolder, pathNormaliser } from './path-normaliser.ts';
import type { RequestSection } from './request-sections.ts';
import { type Section, sectionsOf } from './sections-of.ts';
import { splitRope } from './split-rope.ts';

/** What is committed: the text for people and the index for the comparison. */
export interface Snapshot {
  readonly text: string;
  readonly sections: readonly SnapshotSection[];
}

export interface SnapshotSection {
  readonly title: string;
  readonly stability: Stability;
  /** Length of the section in the snapshot's text. */
  readonly chars: number;
  /** Of the section with paths named only where Atrium or a handler wrote them, not in text that stands in a file. */
  readonly hash: string;
  /** Who wrote the lines, from the first to the last: an author and for how many lines. */
  readonly authors: readonly (readonly [author: string, lines: number])[];
}

export interface SnapshotDifference {
  readonly title: string;
  readonly change: 'added' | 'removed' | 'changed' | 'moved';
  readonly stability: Stability;
  readonly chars: { readonly left: number; readonly right: number };
  /** Of the lines that came or went; of the whole section where single lines cannot be told. */
  readonly authors: readonly string[];
  /** Empty when the text is the same, or when the committed text no longer fits its index. */
  readonly lines: readonly SnapshotLine[];
}

export interface SnapshotLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  readonly author: string;
}

/** `others` are the sections of the request beside the prompt: what plugins add, and the tools. */
export function takeSnapshot(
  composition: Composition,
  folders: readonly MachineFolder[],
  others: readonly RequestSection[] = [],
): Snapshot {
  const namePaths = pathNormaliser(folders);
  const normalise = (text: string) => toBytesAndBack(namePaths(text));
  const bodies = others.map(({ title, text }) => `\n## ${normalise(title)}\n\n${normalise(text)}`);
  return {
    text: normalise(composition.prompt.text) + bodies.join(''),
    sections: [
      ...sectionsOf(composition).map((section) => takeSection(section, normalise)),
      ...others.map((other) => takeOther(other, normalise)),
    ],
  };
}

function takeOther({ title, author, text }: RequestSection, normalise: Normalise): SnapshotSection {
  const body = normalise(text);
  const lines = body.split('\n').length - (body.endsWith('\n') ? 1 : 0);
  return {
    title: normalise(title),
    stability: 'static',
    chars: body.length,
    hash: hashOf(body),
    authors: [[normalise(author), lines]],
  };
}

/** It stands between the authors of one line. */
const AUTHOR_SEPARATOR = ' + ';

type Normalise = (text: string) => string;

function takeSection({ title, stability, text, rope }: Section, normalise: Normalise): SnapshotSection {
  const authors: [string, number][] = [];
  for (const line of splitRope(rope)) {
    const author = originsOf(line.rope)
      .map((origin) => normalise(formatOrigin(origin)))
      .join(AUTHOR_SEPARATOR);
    const last = authors.at(-1);
    if (last?.[0] === author) last[1]++;
    else authors.push([author, 1]);
  }
  const hash = hashOf(normaliseGenerated(rope, normalise));
  return { title: normalise(title), stability, chars: normalise(text).length, hash, authors };
}

export function compareSnapshots(committed: Snapshot, fresh: Snapshot): readonly SnapshotDifference[] {
  const [before, after] = [readSections(committed), readSections(fresh)];
  const ids = [[...before.keys()], [...after.keys()]] as const;
  const differences: SnapshotDifference[] = [];
  for (const difference of diffLines(...ids)) {
    const id = (difference.kind === 'removed' ? ids[0][difference.left] : ids[1][difference.right]) ?? '';
    // A section that moved is reported at its new place, not at its old one.
    if (difference.kind === 'removed' && after.has(id)) continue;
    const found = compareSection(before.get(id), after.get(id), difference.kind !== 'same');
    if (found) differences.push(found);
  }
  return differences;
}

interface ReadSection extends SnapshotSection {
  /** Undefined when the text does not fit the index. */
  readonly body: string | undefined;
}

function compareSection(
  left: ReadSection | undefined,
  right: ReadSection | undefined,
  hasMoved: boolean,
): SnapshotDifference | undefined {
  const section = right ?? left;
  if (!section) return undefined;
  // A file that contains a person's folder has the same bytes in every checkout; a file that was generated on this
  // machine contains this machine's folder. Either comparison may match.
  const isSame = left && right && (left.hash === right.hash || (left.body !== undefined && left.body === right.body));
  if (isSame && !hasMoved && left.stability === right.stability) return undefined;
  const lines = isSame ? [] : compareLines(left, right);
  const changed = lines.filter(({ kind }) => kind !== 'same').map(({ author }) => author);
  const authors = changed.length > 0 ? changed : section.authors.map(([author]) => author);
  return {
    title: section.title,
    stability: section.stability,
    change: !left ? 'added' : !right ? 'removed' : isSame ? 'moved' : 'changed',
    chars: { left: left?.chars ?? 0, right: right?.chars ?? 0 },
    authors: [...new Set(authors.flatMap((author) => author.split(AUTHOR_SEPARATOR)))],
    lines,
  };
}

function compareLines(left: ReadSection | undefined, right: ReadSection | undefined): SnapshotLine[] {
  if ((left && left.body === undefined) || (right && right.body === undefined)) return [];
  const [before, after] = [linesOf(left), linesOf(right)];
  return diffLines(
    before.map((line) => line.text),
    after.map((line) => line.text),
  ).map((difference) => {
    const line = difference.kind === 'removed' ? before[difference.left] : after[difference.right];
    return { kind: difference.kind, text: line?.text ?? '', author: line?.author ?? '' };
  });
}

/** The same lines as `splitRope` gives, with their authors. */
function linesOf(section: ReadSection | undefined): { text: string; author: string }[] {
  const texts = (section?.body ?? '').split('\n');
  if (texts.at(-1) === '') texts.pop();
  const authors = section?.authors.flatMap(([author, lines]) => new Array<string>(lines).fill(author)) ?? [];
  return texts.map((text, index) => ({ text, author: authors[index] ?? '' }));
}

/** Finds the sections by title; the second section of a title has a name of its own. Each body stands behind its heading in the text. */
function readSections({ text, sections }: Snapshot): ReadonlyMap<string, ReadSection> {
  const named = new Map<string, ReadSection>();
  let at = 0;
  for (const section of sections) {
    const heading = named.size === 0 ? '' : `\n## ${section.title}\n\n`;
    const found = text.indexOf(heading, at);
    const start = found + heading.length;
    const isThere = found !== -1 && start + section.chars <= text.length;
    if (isThere) at = start + section.chars;
    let name = section.title;
    for (let count = 2; named.has(name); count++) name = `${section.title}\n${count}`;
    named.set(name, { ...section, body: isThere ? text.slice(start, at) : undefined });
  }
  return named;
}

function normaliseGenerated(rope: Rope, normalise: Normalise): string {
  return rope.map((span) => (span.source && span.start !== undefined ? span.text : normalise(span.text))).join('');
}

/** Characters that cannot be written to a file must not look like a difference when the file is read again. */
function toBytesAndBack(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

function hashOf(text: string): string {
  return sha256Of(text).slice(0, 16);
}
