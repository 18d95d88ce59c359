// What two requests differ in beside their prompts: what plugins add to the system prompt, and the tools. What was said is
// not compared.

import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import { diffLines } from '../../context/report/diff-lines.ts';
import { pathNormaliser } from '../../context/report/path-normaliser.ts';
import { type RequestSection, requestSections } from '../../context/report/request-sections.ts';
import type { AuthoredLine } from './format-compared-lines.ts';
import type { Look } from './look-at-context.ts';

export interface RestComparison {
  readonly title: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly chars: { readonly left: number; readonly right: number };
  readonly tokens: { readonly left: number; readonly right: number };
  readonly lines: readonly AuthoredLine[];
}

/** A composition with the request around it. */
export interface RequestLook extends Pick<Look, 'composition'> {
  readonly request: Pick<NonNullable<Look['request']>, 'spans'> | null;
}

/** Only sections that differ. A side without a request cannot be compared. */
export function compareRest(left: RequestLook, right: RequestLook): readonly RestComparison[] {
  if (!left.request || !right.request) return [];
  const [before, after] = [sectionsOf(left), sectionsOf(right)];
  const titles = new Set([...before.keys(), ...after.keys()]);
  return [...titles].flatMap((title) => {
    const [old, now] = [before.get(title), after.get(title)];
    return old?.text === now?.text ? [] : [compareSection(title, old, now)];
  });
}

function sectionsOf({ request, composition }: RequestLook): ReadonlyMap<string, RequestSection> {
  const { workspaceDir } = composition.report.situation;
  const rename = pathNormaliser([{ path: workspaceDir, name: '<workspace>' }]);
  const sections = requestSections(request?.spans ?? [], composition);
  return new Map(sections.map((section) => [section.title, { ...section, text: rename(section.text) }]));
}

function compareSection(
  title: string,
  old: RequestSection | undefined,
  now: RequestSection | undefined,
): RestComparison {
  const [before, after] = [linesOf(old), linesOf(now)];
  const lines = diffLines(before, after).map((each): AuthoredLine => {
    const isRemoved = each.kind === 'removed';
    const text = (isRemoved ? before[each.left] : after[each.right]) ?? '';
    return { kind: each.kind, text, author: (isRemoved ? old : now)?.author ?? '' };
  });
  const sizes = (measure: (text: string) => number) => ({
    left: measure(old?.text ?? ''),
    right: measure(now?.text ?? ''),
  });
  return {
    title,
    change: !old ? 'added' : !now ? 'removed' : 'changed',
    chars: sizes((text) => text.length),
    tokens: sizes(estimateTokens),
    lines,
  };
}

function linesOf(section: RequestSection | undefined): readonly string[] {
  return section === undefined ? [] : section.text.replace(/\n$/, '').split('\n');
}
