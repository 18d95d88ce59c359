// `atrium hooks check`: loads every handler of every agent and reports each problem in one sentence. Handlers are
// loaded, not called.

import { countOf } from '../../protocol/count-of.ts';
import { command } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { askHooks, HOOK_OPTIONS } from './ask-hooks.ts';

export const hooksCheck = command({
  path: 'hooks check',
  summary: 'load every handler and say what is wrong; exits 1 when something is',
  options: { '--json': 'print JSON for programs', ...HOOK_OPTIONS },
  examples: ['hooks check                the handlers of every agent', 'hooks check --agent ops    of one agent'],
  notes: `What is switched off is not checked. Exit code: 0 when nothing is wrong, 1 when something is, 2 when the
configuration cannot be read.`,
  async run(flags, { io }) {
    const { all, warnings } = await askHooks(flags, io);
    /** The key is the sentence, because a problem that several agents share is one problem. */
    const found = new Map<string, string[]>();
    for (const { agentId, faults } of all) {
      for (const fault of faults) found.set(fault, [...(found.get(fault) ?? []), agentId]);
    }
    const problems = [...found].map(([message, agents]) => ({ message: oneLine(message), agents }));
    const ok = problems.length === 0;
    const lines = problems.map(({ message, agents }) =>
      agents.length < all.length ? `${message} (agent ${agents.join(', ')})\n` : `${message}\n`,
    );
    const everyone = all.length === 1 ? 'one agent' : `${all.length} agents`;
    const verdict = ok ? `All handlers of ${everyone} loaded.\n` : `${countOf(problems.length, 'problem')}.\n`;
    return {
      json: { ok, problems },
      text: lines.join('') + verdict,
      warnings,
      ok,
    };
  },
});
