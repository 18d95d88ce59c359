// A child of another agent is bound by the protections of both agents: that of its own and that of its parent.

import { describe, expect, it } from 'vitest';
import type { Config } from '../../config/schema.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { saying, settled, toolResults } from './fixtures/children-talk.ts';

type Agent = NonNullable<NonNullable<Config['agents']>['list']>[number];

/** What the tools tell a child that runs these commands, one after the other. */
async function runAsChild(parent: Partial<Agent>, helper: Partial<Agent>, commands: readonly string[], depth = 1) {
  const subagents = { allowAgents: ['*'], maxSpawnDepth: 2 };
  const scratch = await gatewayForTest({
    config: {
      agents: {
        defaults: { model: 'fake/small', subagents },
        list: [
          { id: 'main', default: true, ...parent },
          { id: 'helper', ...helper },
        ],
      },
    },
  });
  const spawn = (task: string) =>
    toolCall('sessions_spawn', { task, agentId: 'helper', expectsCompletionMessage: false });
  const rest = [...commands];
  const next = () => {
    const command = rest.shift();
    return command === undefined ? reply('Done.') : toolCall('exec', { command });
  };
  scratch.model.script(
    saying({
      Go: spawn(depth === 1 ? 'Run.' : 'Pass on.'),
      'Pass on.': spawn('Run.'),
      '{"status":"accepted"': reply('Under way.'),
      'Run.': next,
      '': next,
    }),
  );
  await scratch.channel.asks({}, 'Go', 'Under way.');
  await settled(scratch, depth);
  return toolResults(scratch).filter((text) => !text.startsWith('{"status":"accepted"'));
}

const FULL = { tools: { exec: { security: 'full' } } } as const;

const allowing = (rule: string) => ({
  tools: { exec: { security: 'allowlist' as const, ask: 'off' as const, allow: [rule] } },
});

describe('the commands of a child', () => {
  it('are denied when the agent of its parent may run none, at any depth', async () => {
    const parent = { tools: { exec: { security: 'deny' } } } as const;
    for (const depth of [1, 2]) {
      const [told] = await runAsChild(parent, FULL, ['echo out; echo side'], depth);
      expect(told).toContain('Commands are switched off here');
    }
  });

  it('must be on the lists of both agents, and are then not run by a shell', async () => {
    const parent = allowing('echo *');
    const told = await runAsChild(parent, FULL, ['echo one', 'echo two; id', 'id']);
    // The second and the third are told the same.
    expect(told).toEqual([expect.stringContaining('one\n'), expect.stringContaining('No rule allows this command')]);
    const both = await runAsChild(parent, allowing('id'), ['echo one', 'id']);
    expect(both).toEqual([expect.stringContaining('No rule allows this command')]);
  });

  it('run when nothing of both agents is against it', async () => {
    const [told] = await runAsChild(FULL, FULL, ['echo out; echo side']);
    expect(told).toContain('out\nside');
  });

  it('are refused when the parent should have worked in a sandbox', async () => {
    const [told] = await runAsChild({ sandbox: { mode: 'all' } }, FULL, ['echo out']);
    expect(told).toContain('Atrium has no sandbox');
  });
});
