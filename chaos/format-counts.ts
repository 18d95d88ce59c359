// The conservation table, for people.

import { addCounts, type Counts, type KeptCounts, type ToolCounts } from './count-outcomes.ts';
import type { PluginCounts } from './counting-plugin.ts';

const COLUMNS: readonly [keyof Counts, string][] = [
  ['said', 'said'],
  ['accepted', 'accepted'],
  ['answered', 'answered'],
  ['failed', 'failed visibly'],
  ['lost', 'lost'],
  ['duplicates', 'duplicates'],
  ['outOfOrder', 'out of order'],
];

export function formatCounts({
  web,
  api,
  tools,
  kept,
  plugin,
  ends,
}: {
  readonly web: Counts;
  readonly api: Counts;
  readonly tools: ToolCounts;
  readonly kept: KeptCounts;
  readonly plugin: PluginCounts;
  readonly ends: Readonly<Record<string, number>>;
}): string {
  const all = addCounts(web, api);
  return [
    `ended by ${Object.entries(ends)
      .map(([how, count]) => `${how}: ${count}`)
      .join(', ')}\n\n`,
    formatTable([
      ['web', web],
      ['api', api],
      ['all', all],
    ]),
    `tool calls: ${tools.marks} took effect, ${tools.cut} were cut and said so, ${tools.repeated} ran twice, ${tools.missing} left no mark\n`,
    `approvals: ${kept.asked} asked, ${kept.allowed} allowed, ${kept.askedTwice} asked twice, ${kept.disobeyed} not kept to\n`,
    `jobs: ${kept.slots} slots ran, ${kept.slotsWrong} not exactly once\n`,
    `children: ${kept.children} spawned (${endsOf(kept.childEnds)}), ${kept.childrenWrong} not exactly once\n`,
    `conversations: ${kept.compactions} times made shorter\n`,
    `plugin: ${plugin.calls} calls of its tool, ${plugin.repeated} twice; ${plugin.ends} ends told, ${plugin.endsMissed} missed; ${plugin.injections} texts shown, ${plugin.shownTwice} in two runs\n`,
    `usage: ${kept.usageWrong} runs do not add up; left over: ${kept.leftOver}\n`,
  ].join('');
}

function endsOf(ends: Readonly<Record<string, number>>): string {
  const told = Object.entries(ends).map(([outcome, count]) => `${count} ${outcome}`);
  return told.length === 0 ? 'none' : told.join(', ');
}

/** The last row is the one that must add up. */
export function formatTable(rows: readonly (readonly [name: string, of: Counts])[]): string {
  const row = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(6)}${cells.map((cell, index) => String(cell).padStart((COLUMNS[index]?.[1].length ?? 0) + 2)).join('')}\n`;
  const titles = row(
    '',
    COLUMNS.map(([, title]) => title),
  );
  const counted = rows.map(([name, of]) =>
    row(
      name,
      COLUMNS.map(([key]) => of[key]),
    ),
  );
  const { accepted = 0, answered = 0, failed = 0 } = rows.at(-1)?.[1] ?? {};
  const isKept = accepted === answered + failed;
  const sum = `accepted = answered + failed visibly: ${accepted} = ${answered} + ${failed}${isKept ? '' : ', which is wrong'}`;
  return `${titles}${counted.join('')}\n${sum}\n`;
}
