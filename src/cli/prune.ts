// `atrium prune`: removes old records now, by the configured limits or by an age.

import { BadFlagError } from '../gateway/errors.ts';
import { ALWAYS_KEPT_MS, PRUNABLE, type Prunable, type Pruned } from '../gateway/upkeep/retention.ts';
import { formatDuration, parseDuration } from '../protocol/duration.ts';
import { command } from './command.ts';
import { type Columns, listText } from './output/format-table.ts';
import { formatList } from './output/text.ts';

export const prune = command({
  path: 'prune',
  summary: 'remove old records: requests, trajectories, rows of ended work',
  options: {
    '--dry-run': 'say what would be removed, and remove nothing',
    '--older-than <time>': { text: 'such as 30d; without it, the limits under "recorder" decide', parse: parseAge },
    '--what <name>': { text: `only this: ${PRUNABLE.join(', ')}; may be given several times`, isList: true },
  },
  examples: ['prune --dry-run', 'prune --older-than 30d', 'prune --older-than 90d --what transcripts'],
  notes:
    'What is still owed is never removed. Transcripts are removed only when they are named or recorder.transcripts is set, and only of sessions that have ended.',
  needs: 'gateway',
  async run({ dryRun = false, olderThan, what }, { client }) {
    const asked = { what: what?.map(parseWhat), olderThanMs: olderThan, isDryRun: dryRun };
    const { pruned } = await client.post<{ pruned: readonly Pruned[] }>('/api/prune', asked);
    const columns: Columns<Pruned> = {
      what: (row) => row.what,
      [dryRun ? 'would be removed' : 'removed']: ({ removed }: Pruned) => removed,
    };
    const kept = olderThan === undefined ? [] : pruned.flatMap(({ what }) => alwaysKept(what, olderThan));
    const list = listText(pruned, columns, 'No limit is set for this.');
    return { json: { pruned, isDryRun: dryRun }, text: (width) => `${list(width)}${formatList('Always kept', kept)}` };
  },
});

/** An age that is asked for may be lower than what Atrium needs for its own work. */
function alwaysKept(what: Prunable, olderThanMs: number): readonly string[] {
  const leastMs = ALWAYS_KEPT_MS[what];
  return leastMs === undefined || olderThanMs >= leastMs ? [] : [`${what} of the last ${formatDuration(leastMs)}`];
}

function parseAge(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new BadFlagError({ flag: '--older-than', value: text, expected: 'a time such as 30d or 12h' });
}

function parseWhat(word: string): Prunable {
  const name = PRUNABLE.find((each) => each === word);
  if (name) return name;
  throw new BadFlagError({ flag: '--what', value: word, expected: `one of ${PRUNABLE.join(', ')}` });
}
