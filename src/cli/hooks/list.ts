// `atrium hooks list`: which handlers are called when a prompt is composed, in which order, and which are not and why.

import { type HookItem, MASTER_SWITCH_OFF } from '../../gateway/services/hook-inventory.ts';
import { command } from '../command.ts';
import { type Columns, formatTable } from '../output/format-table.ts';
import { formatList, oneLine } from '../output/text.ts';
import { askHooks, HOOK_OPTIONS } from './ask-hooks.ts';

export const hooksList = command({
  path: 'hooks list',
  summary: 'list every handler of an agent in calling order, and those that are not called',
  options: { '--json': 'print JSON for programs', ...HOOK_OPTIONS },
  examples: [
    'hooks list                 the default agent',
    'hooks list --agent ops     another agent',
    'hooks list --json          for programs',
  ],
  async run(flags, { io }) {
    const { inventory, warnings } = await askHooks(flags, io);
    const { agentId, workspaceDir, items, problems } = inventory;
    const handlers = items.map(({ call, pack: _, hasSwitch: __, ...item }) => ({ ...item, ...pickCall(call) }));
    // A reason that is in the list already is not printed twice.
    const shown = new Set(items.map((item) => item.why));
    return {
      json: { agentId, workspaceDir, hook: 'agent:bootstrap', handlers, problems },
      text: (width) => formatItems(agentId, items, width),
      warnings: [
        ...warnings,
        ...problems.filter((problem) => !shown.has(problem)).map((problem) => `warning: ${oneLine(problem)}`),
      ],
    };
  },
});

function formatItems(agentId: string, items: readonly HookItem[], width: number): string {
  const on = items.filter((item) => item.state === 'on').map((item, index) => ({ item, number: index + 1 }));
  const rest = items.filter((item) => item.state !== 'on');
  const columns: Columns<(typeof on)[number]> = {
    '#': ({ number }) => number,
    handler: ({ item }) => item.id,
    priority: ({ item }) => item.call.priority,
    stability: ({ item }) => item.call.stability ?? '-',
    from: ({ item }) => item.source,
  };
  return [
    `Handlers on agent:bootstrap for the agent "${agentId}", in calling order:\n\n`,
    formatTable(on, columns, width),
    formatList('Not called', rest.map(describeRest)),
    rest.some((item) => item.state === 'off' && item.why !== MASTER_SWITCH_OFF)
      ? 'Switch one on with "atrium hooks enable <name>".\n'
      : '',
  ].join('');
}

function describeRest({ id, state, why = '' }: HookItem): string {
  const word = { on: 'on', off: 'off', blocked: 'blocked', failed: 'failed', elsewhere: 'other events' }[state];
  return `${oneLine(id)} (${word}): ${oneLine(why)}`;
}

function pickCall({ priority, stability, onError, timeoutMs }: HookItem['call']): HookItem['call'] {
  return { priority, stability, onError, timeoutMs };
}
