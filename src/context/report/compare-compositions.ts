// Compares two prompts section by section, with the author of every line that was added or removed. Neither side counts
// as better or newer: left and right are two situations, or two moments.

import type { Stability } from '../../protocol/handler.ts';
import type { Composition } from '../compose.ts';
import type { Rope } from '../provenance/rope.ts';
import { countTokens } from './count-tokens.ts';
import { diffLines } from './diff-lines.ts';
import { type AbsentText, findAbsentText } from './find-absent-text.ts';
import { exactFinder } from './find-text.ts';
import { type LocatedOrigin, originsOf } from './located-origin.ts';
import { type Section, sectionsOf } from './sections-of.ts';
import { splitRope } from './split-rope.ts';

export interface CompositionComparison {
  readonly same: boolean;
  readonly chars: Pair;
  readonly tokens: Pair;
  /** The part that is the same for every session, on each side. */
  readonly stableChars: Pair;
  /** Every section of either side, in prompt order. */
  readonly sections: readonly SectionComparison[];
}

export interface Pair {
  readonly left: number;
  readonly right: number;
}

export interface SectionComparison {
  readonly id: string;
  readonly title: string;
  readonly change: 'same' | 'added' | 'removed' | 'changed' | 'moved';
  /** The stability on the right side, or on the left where there is no right side. */
  readonly stability: Stability;
  readonly chars: Pair;
  readonly tokens: Pair;
  /** The list is empty unless the text differs. */
  readonly lines: readonly ComparedLine[];
}

export interface ComparedLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  readonly origins: readonly LocatedOrigin[];
  /** For a removed line that the right side had and left out: the reason, and who is responsible. */
  readonly why?: AbsentText | undefined;
}

export function compareCompositions(left: Composition, right: Composition): CompositionComparison {
  const before = new Map(sectionsOf(left).map((section) => [section.id, section]));
  const after = new Map(sectionsOf(right).map((section) => [section.id, section]));
  const ids = [[...before.keys()], [...after.keys()]] as const;
  const sections: SectionComparison[] = [];
  for (const difference of diffLines(...ids)) {
    const id = (difference.kind === 'removed' ? ids[0][difference.left] : ids[1][difference.right]) ?? '';
    // A section that moved is reported at its new place, not at its old one.
    if (difference.kind === 'removed' && after.has(id)) continue;
    sections.push(compareSection(before.get(id), after.get(id), difference.kind !== 'same', right));
  }
  return {
    same: left.prompt.text === right.prompt.text,
    chars: { left: left.prompt.text.length, right: right.prompt.text.length },
    tokens: { left: left.report.prompt.tokens, right: right.report.prompt.tokens },
    stableChars: { left: left.prompt.cacheBoundary, right: right.prompt.cacheBoundary },
    sections,
  };
}

function compareSection(
  left: Section | undefined,
  right: Section | undefined,
  hasMoved: boolean,
  after: Composition,
): SectionComparison {
  const { id = '', title = '', stability = 'static' } = right ?? left ?? {};
  const isSame = left?.text === right?.text;
  const moved = hasMoved || left?.stability !== right?.stability;
  return {
    id,
    title,
    stability,
    change: !left ? 'added' : !right ? 'removed' : !isSame ? 'changed' : moved ? 'moved' : 'same',
    chars: { left: left?.text.length ?? 0, right: right?.text.length ?? 0 },
    tokens: { left: countTokens(left?.rope ?? []), right: countTokens(right?.rope ?? []) },
    lines: isSame ? [] : compareLines(left?.rope ?? [], right?.rope ?? [], after),
  };
}

function compareLines(left: Rope, right: Rope, composition: Composition): ComparedLine[] {
  const [before, after] = [splitRope(left), splitRope(right)];
  return diffLines(
    before.map((line) => line.text),
    after.map((line) => line.text),
  ).map((difference) => {
    const line = difference.kind === 'removed' ? before[difference.left] : after[difference.right];
    const text = line?.text ?? '';
    const why = difference.kind === 'removed' ? whyRemoved(composition, text) : undefined;
    return { kind: difference.kind, text, origins: originsOf(line?.rope ?? []), ...(why && { why }) };
  });
}

/** The author of a line is not always the one who removed it: a handler, a rule or a limit may have. */
function whyRemoved(composition: Composition, text: string): AbsentText | undefined {
  if (text.trim() === '') return undefined;
  const found = findAbsentText(composition, exactFinder(text.trim()));
  return found.find(({ by }) => by !== undefined) ?? found[0];
}
