// `atrium subagents`: what sessions have handed to others: how it stands, what came of it, and how to stop it.

import { describeChild, formatChildren } from '../commands/format-children.ts';
import type { ChildView } from '../protocol/child-view.ts';
import { checkFilter } from './check-filter.ts';
import { type CliCommand, command } from './command.ts';
import { limitOption } from './common-options.ts';
import { path } from './gateway/gateway-client.ts';
import { formatFacts } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { oneLine, visibleLine, visibleText } from './output/text.ts';

const NAMES = 'its session key, the beginning of its last part, a task name, a label, or "last"';

export const SUBAGENT_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'subagents list',
    summary: 'list the subagents with state, time, tokens and cost',
    options: {
      '--session <key>': 'only those of this session',
      '--active': 'only those that have not ended',
      '--limit <number>': limitOption(50),
    },
    examples: ['subagents list', 'subagents list --active', 'subagents list --session agent:main:main --json'],
    needs: 'reading',
    async run({ session, active, limit }, { client, io }) {
      const query = { session, active: active ? true : undefined, limit };
      const { subagents } = await client.get<{ subagents: readonly ChildView[] }>('/api/subagents', query);
      if (subagents.length === 0) await checkFilter({ session }, client, io);
      const parents = [...new Set(subagents.map(({ parentKey }) => parentKey))];
      const lines = parents.flatMap((parent) => [
        oneLine(parent),
        ...formatChildren(
          subagents.filter(({ parentKey }) => parentKey === parent),
          '  ',
        ),
      ]);
      const text = lines.map((each) => `${visibleLine(each)}\n`).join('');
      return { json: { subagents }, text: text || 'There are no subagents.\n' };
    },
  }),
  command({
    path: 'subagents show',
    summary: 'show a subagent: its task, how it stands and what it answered',
    args: { '<subagent>': NAMES },
    examples: ['subagents show last', 'subagents show read_logs --json'],
    needs: 'reading',
    async run({ subagent: name }, { client, io }) {
      const { subagent } = await client.get<{ subagent: ChildView }>(path`/api/subagents/${name}`);
      return { json: subagent, text: (width) => formatSubagent(subagent, io.environment.timezone, width) };
    },
  }),
  command({
    path: 'subagents kill',
    summary: 'stop subagents, each with all that it has started',
    args: { '<subagents...>': `for each ${NAMES}` },
    examples: ['subagents kill last', 'subagents kill 3f2a91c0'],
    needs: 'gateway',
    async run({ subagents }, { client, say }) {
      const killed: string[] = [];
      for (const name of subagents) {
        const answer = await client.post<{ sessionKey: string; killed: boolean }>(path`/api/subagents/${name}/kill`);
        if (answer.killed) killed.push(answer.sessionKey);
        say(answer.killed ? `${answer.sessionKey} is stopped.` : `${answer.sessionKey} was over already.`);
      }
      return { json: { killed } };
    },
  }),
];

function formatSubagent(child: ChildView, timezone: string, width: number): string {
  const facts = formatFacts(
    [
      ['subagent', child.label ?? child.taskName ?? undefined],
      ['session', child.sessionKey],
      ['agent', child.agentId],
      ['parent', child.parentKey],
      ['spawned', `${formatTime(child.createdAt, timezone)}, by ${child.parentRunId}`],
      ['state', describeChild(child)],
      ['error', child.error ?? undefined],
    ],
    { width },
  );
  const result = child.result === null ? '' : `\nResult:\n${visibleText(child.result).trimEnd()}\n`;
  const below = formatChildren(child.children, '  ').map((each) => `${visibleLine(each)}\n`);
  return `${facts}\nTask:\n${visibleText(child.task).trimEnd()}\n${result}${below.length === 0 ? '' : `\nSubagents:\n${below.join('')}`}`;
}
