// The block "found and not used": settings of OpenClaw that a configuration has and Atrium does not use, the most
// dangerous first. Settings with the same consequence share a line; those that do no harm are only named.

import type { UnusedSetting } from '../../config/list-unused-settings.ts';
import { visibleLine } from './text.ts';

/** The lines of the block, fit to be shown; none when everything is used. */
export function unusedLines(unused: readonly UnusedSetting[]): readonly string[] {
  if (unused.length === 0) return [];
  const lines = new Map<string, { readonly word: string; readonly paths: string[]; readonly sentence: string }>();
  for (const setting of unused) {
    const word = setting.isAccepted ? 'accepted' : WORDS[setting.danger];
    const sentence = setting.isAccepted || setting.danger === 'harmless' ? '' : unusedSentence(setting);
    const key = JSON.stringify([word, sentence]);
    const line = lines.get(key) ?? { word, paths: [], sentence };
    line.paths.push(setting.path);
    lines.set(key, line);
  }
  const rows = [...lines.values()].sort((a, b) => Number(a.word === 'accepted') - Number(b.word === 'accepted'));
  return [
    'found and not used:',
    ...rows.map(({ word, paths, sentence }) => {
      const names = paths.join(', ');
      return visibleLine(`  ${word.padEnd(9)} ${sentence === '' ? names : `${names}: ${sentence}`}`);
    }),
  ];
}

/** The consequence, and what is refused because of it. */
export function unusedSentence({ sentence, refuses }: Pick<UnusedSetting, 'sentence' | 'refuses'>): string {
  return refuses === null ? sentence : `${sentence} ${REFUSALS[refuses]}`;
}

const WORDS = { protects: 'danger', missing: 'missing', harmless: 'harmless' } as const;

const REFUSALS = {
  start: 'The gateway does not start until the setting is taken back, or named in acceptUnused.',
  tools: 'Such tools are refused until the setting is taken back, or named in acceptUnused.',
} as const;
