// Two compositions side by side for people: which sections differ, the authors of the lines that do, and what that means for
// a provider's prompt cache.

import type { Composition } from '../../context/compose.ts';
import type { CompositionComparison, Pair, SectionComparison } from '../../context/report/compare-compositions.ts';
import type { AbsentText } from '../../context/report/find-absent-text.ts';
import { type ContextChange, findChange } from '../../context/report/find-change.ts';
import { countOf } from '../../protocol/count-of.ts';
import { formatTable } from '../output/format-table.ts';
import { oneLine, wrapText } from '../output/text.ts';
import type { RestComparison } from './compare-rest.ts';
import { describeOrigin, describeOrigins, describeSituation, type KnownPlaces } from './describe-origin.ts';
import { type AuthoredLine, formatComparedLines } from './format-compared-lines.ts';

export interface ComparisonText {
  readonly comparison: CompositionComparison;
  readonly rest: readonly RestComparison[];
  /** The configuration of each side, where they differ in it. */
  readonly configs?: readonly string[] | undefined;
  readonly home: string;
  readonly width: number;
}

export function formatComparison(left: Composition, right: Composition, told: ComparisonText): string {
  const { comparison, rest, configs = [], home, width } = told;
  const placesOf = ({ report }: Composition): KnownPlaces => ({
    workspaceDir: report.situation.workspaceDir,
    home,
  });
  const side = (name: string, text: string) =>
    `${name.padEnd(7)}${wrapText(text, width - 7).join(`\n${' '.repeat(7)}`)}\n`;
  const sides =
    side('left', describeSide(left, right, configs[0])) + side('right', describeSide(right, left, configs[1]));
  if (comparison.same) return `${sides}\nThe two prompts are the same, byte for byte.\n`;

  const changed = comparison.sections.filter((section) => section.change !== 'same');
  const rows = [
    ...changed.map((section) => ({ ...section, change: section.change as string })),
    ...rest.map((each) => ({ ...each, stability: '' })),
    { title: 'whole prompt', change: '', stability: '', chars: comparison.chars, tokens: comparison.tokens },
  ];
  const table = formatTable(
    rows,
    {
      section: (row) => row.title,
      change: (row) => row.change,
      left: (row) => row.chars.left,
      right: (row) => row.chars.right,
      chars: { right: (row) => signed(row.chars) },
      tokens: { right: (row) => signed(row.tokens) },
      stability: (row) => row.stability,
    },
    width,
  );
  const places = placesOf(right);
  const details = changed
    .filter((section) => section.lines.length > 0)
    .map(
      (section) =>
        `\n${describeSection(section)}\n${formatComparedLines(authored(section, placesOf(left), places), width)}`,
    );
  const others = rest.map(
    ({ title, change, lines }) => `\n${oneLine(title)}: ${change}\n${formatComparedLines(lines, width)}`,
  );
  return `${sides}\n${table}${details.join('')}${others.join('')}\n${describeCache(comparison, right, placesOf(left), places, width)}`;
}

/** `taken out by ci-mode`, or the reason why it is not on the right side. */
function describeRemoval({ by, reason }: AbsentText): string {
  return by === undefined ? reason : `taken out by ${by}`;
}

/** A removed line is named in the way in which the left side names its files. */
function authored({ lines }: SectionComparison, left: KnownPlaces, right: KnownPlaces): AuthoredLine[] {
  return lines.map(({ kind, text, origins, why }) => ({
    kind,
    text,
    author: `${describeOrigins(origins, kind === 'removed' ? left : right)}${why ? ` (${describeRemoval(why)})` : ''}`,
  }));
}

/** The workspace and the configuration are part of a situation only where the two sides differ in them. */
function describeSide({ report }: Composition, other: Composition, config: string | undefined): string {
  const { workspaceDir } = report.situation;
  return [
    describeSituation(report),
    ...(workspaceDir === other.report.situation.workspaceDir ? [] : [`workspace ${oneLine(workspaceDir)}`]),
    ...(config === undefined ? [] : [`configuration ${oneLine(config)}`]),
  ].join(', ');
}

function describeSection({ title, change, stability }: SectionComparison): string {
  return `${title}: ${change} (${stability === 'static' ? 'before' : 'behind'} the cache boundary)`;
}

function describeCache(
  { stableChars }: CompositionComparison,
  { report }: Composition,
  left: KnownPlaces,
  right: KnownPlaces,
  width: number,
): string {
  const { change } = report;
  if (!change?.changed) return '';
  const at = change.firstChangedChar ?? 0;
  const cached = stableChars.left;
  const cache = change.breaksCache
    ? `The cached prefix is lost from there on: ${at.toLocaleString('en-US')} of its ${countOf(cached, 'character')} stay usable.`
    : `The cached prefix survives: the right side begins with the same ${countOf(cached, 'character')}.`;
  const broken = change.brokenPromises.map(
    (id) => `The handler ${id} declares itself static, and wrote something else.`,
  );
  const boundary = `Cache boundary: character ${stableChars.left.toLocaleString('en-US')} on the left, ${stableChars.right.toLocaleString('en-US')} on the right.`;
  return [describeFirstChange(change, left, right), boundary, cache, ...broken]
    .flatMap((sentence) => wrapText(sentence, width))
    .map((line) => `${line}\n`)
    .join('');
}

function describeFirstChange(change: ContextChange, left: KnownPlaces, right: KnownPlaces): string {
  const { firstChangedChar: at = 0, breaksCache, author, kind = 'text' } = change;
  const isGone = kind === 'text-gone' || kind === 'layer-gone';
  const whose = author ? describeOrigin(author, isGone ? left : right) : 'an unknown author';
  const place = {
    text: `in ${whose}`,
    heading: `in the heading before ${whose}`,
    'text-gone': `where the left side goes on with ${whose}`,
    'layer-gone': `where the right side ends and the left goes on with ${whose}`,
  }[kind];
  const side = breaksCache ? 'before the cache boundary' : 'behind the cache boundary';
  return `First change: character ${at.toLocaleString('en-US')}, ${side}, ${place}.`;
}

function signed({ left, right }: Pair): string {
  const change = right - left;
  return `${change > 0 ? '+' : ''}${change.toLocaleString('en-US')}`;
}

/** The right side, with what has changed since the left one. */
export function withChange(composition: Composition, previous: Composition): Composition {
  const { report, prompt } = composition;
  const change = findChange(prompt, report.prompt.hash, previous, report.handlers);
  return { ...composition, report: { ...report, change } };
}
