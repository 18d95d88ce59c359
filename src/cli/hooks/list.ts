// `atrium hooks list`: who steps in when a prompt is composed, in which order, and who does not and why.

import type { AddCommand } from '../commands.ts';
import { openContext } from '../context/situation-options.ts';
import { addHookOptions, type HookFlags, hooksGroup } from '../hooks-group.ts';
import { formatTable, oneLine, outputWidth } from '../output/format-table.ts';
import { writeWarnings } from '../output/warnings.ts';
import { type HookItem, listHookItems, MASTER_SWITCH_OFF } from './hook-inventory.ts';

export const addHooksList: AddCommand = (program, io) => {
  const command = hooksGroup(program)
    .command('list')
    .description('list every handler of an agent in calling order, and those that are not called')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks list                 the default agent
  $ atrium hooks list --agent ops     another agent
  $ atrium hooks list --json          for programs`,
    );
  addHookOptions(command).action(async (flags: HookFlags) => {
    const { engine, request, loaded } = await openContext(flags, io);
    const prepared = await engine.prepare(request);
    const items = listHookItems({ config: loaded.config, environment: io.environment, prepared });
    const { agentId, workspaceDir, registry } = prepared;
    if (flags.json) {
      const handlers = items.map(({ call, pack: _, hasSwitch: __, ...item }) => ({ ...item, ...pickCall(call) }));
      io.out(
        `${JSON.stringify({ agentId, workspaceDir, hook: 'agent:bootstrap', handlers, problems: registry.problems }, null, 2)}\n`,
      );
      return;
    }
    const on = items.filter((item) => item.state === 'on');
    const rest = items.filter((item) => item.state !== 'on');
    io.out(`Handlers on agent:bootstrap for the agent "${agentId}", in calling order:\n\n`);
    io.out(
      formatTable(
        on.map((item, index) => ({ item, number: index + 1 })),
        [
          { title: '#', cell: ({ number }) => number },
          { title: 'handler', cell: ({ item }) => item.id },
          { title: 'priority', cell: ({ item }) => item.call.priority },
          { title: 'stability', cell: ({ item }) => item.call.stability ?? '-' },
          { title: 'from', cell: ({ item }) => item.source },
        ],
        outputWidth(io),
      ),
    );
    if (rest.length > 0) io.out(`\nNot called:\n${rest.map(formatRest).join('')}`);
    if (rest.some((item) => item.state === 'off' && item.why !== MASTER_SWITCH_OFF))
      io.out('Switch one on with "atrium hooks enable <name>".\n');
    // What stands in the list already is not said twice.
    const shown = new Set(rest.map((item) => item.why));
    writeWarnings(loaded, { warnings: registry.problems.filter((problem) => !shown.has(problem)) }, io);
  });
};

/** Not a table row: a reason that is cut off explains nothing. */
function formatRest({ id, state, why = '' }: HookItem): string {
  const word = { on: 'on', off: 'off', blocked: 'blocked', failed: 'failed', elsewhere: 'other events' }[state];
  return `  ${oneLine(id)} (${word}): ${oneLine(why)}\n`;
}

function pickCall({ priority, stability, onError, timeoutMs }: HookItem['call']): HookItem['call'] {
  return { priority, stability, onError, timeoutMs };
}
