// `atrium hooks check`: loads every handler of every agent and reports each problem in one sentence. Handlers are
// loaded, not called.

import { listAgentIds } from '../../config/agents.ts';
import type { PreparedAgent } from '../../gateway/composer/context-engine.ts';
import { formatUnmetNeed } from '../../hooks/packs/hook-eligibility.ts';
import type { HookPackFate } from '../../hooks/packs/load-internal-hooks.ts';
import { describeUnknownEvents } from '../../hooks/packs/unknown-events.ts';
import { countOf } from '../../protocol/count-of.ts';
import { command } from '../command.ts';
import { openContext } from '../context/situation-options.ts';
import { oneLine } from '../output/text.ts';
import { warningLines } from '../output/warnings.ts';
import { HOOK_OPTIONS } from './hook-inventory.ts';

export const hooksCheck = command({
  path: 'hooks check',
  summary: 'load every handler and say what is wrong; exits 1 when something is',
  options: { '--json': 'print JSON for programs', ...HOOK_OPTIONS },
  examples: ['hooks check                the handlers of every agent', 'hooks check --agent ops    of one agent'],
  notes: `What is switched off is not checked. Exit code: 0 when nothing is wrong, 1 when something is, 2 when the
configuration cannot be read.`,
  async run(flags, { io }) {
    const { engine, request, loaded } = await openContext(flags, io);
    const isOneAgent = flags.agent !== undefined || flags.workspace !== undefined;
    const agentIds = isOneAgent ? [request.agentId] : listAgentIds(loaded.config);
    /** The key is the sentence, because a problem that several agents share is one problem. */
    const found = new Map<string, string[]>();
    for (const agentId of agentIds) {
      const prepared = await engine.prepare({ ...request, agentId });
      for (const problem of listProblems(prepared)) {
        found.set(problem, [...(found.get(problem) ?? []), prepared.agentId]);
      }
    }
    const problems = [...found].map(([message, agents]) => ({ message: oneLine(message), agents }));
    const ok = problems.length === 0;
    const lines = problems.map(({ message, agents }) =>
      agents.length < agentIds.length ? `${message} (agent ${agents.join(', ')})\n` : `${message}\n`,
    );
    const everyone = agentIds.length === 1 ? 'one agent' : `${agentIds.length} agents`;
    const verdict = ok ? `All handlers of ${everyone} loaded.\n` : `${countOf(problems.length, 'problem')}.\n`;
    return {
      json: { ok, problems },
      text: lines.join('') + verdict,
      warnings: warningLines(loaded),
      ok,
    };
  },
});

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
      // An operator who switched a hook off does not need to know what else it would need.
      if (fate.unmet.some(({ code }) => code === 'disabled')) return [];
      return [`The hook "${pack.name}" is not loaded. ${fate.unmet.map(formatUnmetNeed).join(' ')}`];
    }
    case 'loaded':
      return describeUnknownEvents(pack);
  }
}
