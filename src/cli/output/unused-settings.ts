// The block "found and not used, or used differently": settings of OpenClaw that a configuration has and Atrium does not
// use as they were meant, the most dangerous first. Settings with the same consequence share a line; those that do no
// harm are only named.

import { countOf } from '../../protocol/count-of.ts';
import type { UnusedSetting } from '../../protocol/unused-setting.ts';
import { visibleLine } from './text.ts';

/** The lines of the block, fit to be shown; none when everything is used. */
export function unusedLines(unused: readonly UnusedSetting[]): readonly string[] {
  if (unused.length === 0) return [];
  const open = unused.filter(({ isAccepted }) => !isAccepted);
  const namesOf = (settings: readonly UnusedSetting[]) => settings.map(({ path }) => path).join(', ');
  const harmless = namesOf(open.filter(({ danger }) => danger === 'harmless'));
  const accepted = namesOf(unused.filter(({ isAccepted }) => isAccepted));
  return [
    `found and ${titleOf(unused)}:`,
    ...groupUnused(open).map(({ danger, text }) => `  ${LABELS[danger].padEnd(10)}${text}`),
    ...(harmless === '' ? [] : [`  harmless  ${harmless}`]),
    ...(accepted === '' ? [] : [`  accepted  ${accepted}`]),
  ].map(visibleLine);
}

/** How many settings matter, in words, such as "2 settings that are not used and 1 that is used differently". */
export function countUnused(unused: readonly UnusedSetting[]): string {
  const open = unused.filter(({ isAccepted, danger }) => !isAccepted && danger !== 'harmless');
  const differing = open.filter(({ danger }) => danger === 'differs').length;
  const others = open.length - differing;
  const verb = (count: number) => (count === 1 ? 'is' : 'are');
  const notUsed = others === 0 ? '' : `${countOf(others, 'setting')} that ${verb(others)} not used`;
  if (differing === 0) return notUsed;
  const named = others === 0 ? countOf(differing, 'setting') : String(differing);
  return [notUsed, `${named} that ${verb(differing)} used differently`].filter((part) => part !== '').join(' and ');
}

const LABELS = { protects: 'danger', missing: 'missing', differs: 'differs', harmless: 'harmless' } as const;

function titleOf(unused: readonly UnusedSetting[]): string {
  const differing = unused.filter(({ danger }) => danger === 'differs').length;
  if (differing === 0) return 'not used';
  return differing === unused.length ? 'used differently' : 'not used, or used differently';
}

/** What matters, one text for each consequence. What was accepted and what does no harm is left out. */
export function groupUnused(
  unused: readonly UnusedSetting[],
): readonly (Pick<UnusedSetting, 'danger' | 'refuses'> & { readonly text: string })[] {
  const open = unused.filter(({ isAccepted, danger }) => !isAccepted && danger !== 'harmless');
  const groups = new Map<string, UnusedSetting[]>();
  for (const setting of open) {
    const key = JSON.stringify([setting.danger, setting.sentence, setting.refuses]);
    groups.set(key, [...(groups.get(key) ?? []), setting]);
  }
  return [...groups.values()].flatMap((settings) => {
    const names = settings.map(({ path }) => path).join(', ');
    return settings.slice(0, 1).map(({ danger, sentence, refuses }) => {
      return { danger, refuses, text: `${names}: ${sentence}${refuses === null ? '' : ` ${REFUSALS[refuses]}`}` };
    });
  });
}

const REFUSALS = {
  start: 'The gateway does not start until the setting is taken back, or named in acceptUnused.',
  tools: 'Such tools are refused until the setting is taken back, or named in acceptUnused.',
} as const;
