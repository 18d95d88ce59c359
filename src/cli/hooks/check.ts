// `atrium hooks check`: loads every handler of every agent and says, a sentence each, what is wrong. Handlers are
// loaded, not called.

import { listAgentIds } from '../../config/agents.ts';
import type { PreparedAgent } from '../../gateway/composer/context-engine.ts';
import { formatUnmetNeed } from '../../hooks/packs/hook-eligibility.ts';
import type { HookPackFate } from '../../hooks/packs/load-internal-hooks.ts';
import { describeUnknownEvents } from '../../hooks/packs/unknown-events.ts';
import type { AddCommand } from '../commands.ts';
import { openContext } from '../context/situation-options.ts';
import { EXIT } from '../exit-code.ts';
import { addHookOptions, type HookFlags, hooksGroup } from '../hooks-group.ts';
import { oneLine } from '../output/format-table.ts';
import { writeWarnings } from '../output/warnings.ts';

export const addHooksCheck: AddCommand = (program, io, exit) => {
  const command = hooksGroup(program)
    .command('check')
    .description('load every handler and say what is wrong; exits 1 when something is')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium hooks check                the handlers of every agent
  $ atrium hooks check --agent ops    of one agent

What is switched off is not checked. Exit code: 0 when nothing is wrong, 1 when something is, 2 when the
configuration cannot be read.`,
    );
  addHookOptions(command).action(async (flags: HookFlags) => {
    const { engine, request, loaded } = await openContext(flags, io);
    const isOneAgent = flags.agent !== undefined || flags.workspace !== undefined;
    const agentIds = isOneAgent ? [request.agentId] : listAgentIds(loaded.config);
    /** By sentence: what several agents share is one problem. */
    const found = new Map<string, string[]>();
    for (const agentId of agentIds) {
      const prepared = await engine.prepare({ ...request, agentId });
      for (const problem of listProblems(prepared)) {
        found.set(problem, [...(found.get(problem) ?? []), prepared.agentId]);
      }
    }
    const problems = [...found].map(([message, agents]) => ({ message: oneLine(message), agents }));
    if (problems.length > 0) exit(EXIT.finding);
    if (flags.json) {
      io.out(`${JSON.stringify({ ok: problems.length === 0, problems }, null, 2)}\n`);
      return;
    }
    for (const { message, agents } of problems) {
      io.out(`${message}${agents.length < agentIds.length ? ` (agent ${agents.join(', ')})` : ''}\n`);
    }
    const agents = agentIds.length === 1 ? 'one agent' : `${agentIds.length} agents`;
    io.out(
      problems.length === 0
        ? `All handlers of ${agents} loaded.\n`
        : `${problems.length === 1 ? '1 problem' : `${problems.length} problems`}.\n`,
    );
    writeWarnings(loaded, { warnings: [] }, io);
  });
};

export function listProblems({ registry }: Pick<PreparedAgent, 'registry'>): string[] {
  return [...registry.problems, ...registry.packs.flatMap(packProblems)];
}

function packProblems(fate: HookPackFate): string[] {
  const { pack } = fate;
  switch (fate.kind) {
    case 'not-selected':
      return [];
    case 'failed':
      return [fate.error.message];
    case 'ineligible': {
      // Whoever switched a hook off does not want to hear what else it would need.
      if (fate.unmet.some(({ code }) => code === 'disabled')) return [];
      return [`The hook "${pack.name}" is not loaded. ${fate.unmet.map(formatUnmetNeed).join(' ')}`];
    }
    case 'loaded':
      return describeUnknownEvents(pack);
  }
}
