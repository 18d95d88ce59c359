import { describe, expect, it } from 'vitest';
import { HookRunner } from '../hooks/runner.ts';
import { on } from '../testkit/on.ts';
import { toolContextForTest } from '../testkit/tool-context.ts';
import { gateToolCall, vetoOutput } from './gate-tool-call.ts';
import { createReadTool } from './read.ts';
import { askTrustedPolicies, type TrustedPolicy } from './trusted-policy.ts';

const policy = (id: string, evaluate: TrustedPolicy['evaluate']): TrustedPolicy => ({
  id,
  pluginId: `of-${id}`,
  evaluate,
});

function gate(policies: readonly TrustedPolicy[], hooks = new HookRunner()) {
  return gateToolCall(
    { id: 'call_1', name: 'read', params: { path: 'a' } },
    {
      tools: [createReadTool()],
      trustedPolicies: () => policies,
      hooks,
      context: { runId: 'run_1' },
      caller: toolContextForTest({ workspaceDir: '/ws' }),
    },
  );
}

describe('trusted policies', () => {
  it('come before any hook, in their order, each on what the one before it left', async () => {
    const seen: unknown[] = [];
    const hooks = new HookRunner();
    on(
      hooks,
      'before_tool_call',
      { owner: 'plugin', priority: 1_000 },
      (event) => void seen.push(['hook', event.params, event.derivedPaths]),
    );
    const outcome = await gate(
      [
        policy('first', (event, context) => {
          seen.push(['first', event.params, event.derivedPaths, context.toolCallId]);
          return { params: { path: 'b' } };
        }),
        policy('second', (event) => {
          seen.push(['second', event.params, event.derivedPaths]);
          return { allow: true };
        }),
      ],
      hooks,
    );
    expect(seen).toEqual([
      ['first', { path: 'a' }, ['/ws/a'], 'call_1'],
      ['second', { path: 'b' }, ['/ws/b']],
      ['hook', { path: 'b' }, ['/ws/b']],
    ]);
    expect(outcome).toMatchObject({ kind: 'run', params: { path: 'b' } });
  });

  it.each([
    [{ allow: false, reason: 'over budget' }, 'over budget'],
    [{ allow: false }, 'blocked by budget'],
    [{ block: true, blockReason: 'closed' }, 'closed'],
    [{ block: true }, 'blocked by budget'],
  ])('say no with %j, and nobody else is asked', async (answer, reason) => {
    let asked = 0;
    const hooks = new HookRunner();
    on(hooks, 'before_tool_call', { owner: 'plugin', id: 'h' }, () => void asked++);
    const later = policy('later', () => void asked++);
    const outcome = await gate([policy('budget', () => answer), later], hooks);
    expect(outcome).toMatchObject({ kind: 'veto', cause: 'blocked', by: 'of-budget', reason });
    expect(asked).toBe(0);
  });

  it.each<[string, TrustedPolicy['evaluate']]>([
    [
      'throw',
      () => {
        throw new Error('boom');
      },
    ],
    ['reject', () => Promise.reject(new Error('boom'))],
    ['answer nonsense', () => 'yes'],
    ['ask nonsense', () => ({ requireApproval: { title: 1 } })],
  ])('that %s refuse', async (_, evaluate) => {
    const outcome = await gate([policy('broken', evaluate)]);
    expect(outcome).toMatchObject({ kind: 'veto', cause: 'hook-failed', by: 'of-broken' });
    expect(outcome.kind === 'veto' && vetoOutput(outcome).isError).toBe(true);
  });

  it('that hang refuse when their time is over, and are told so', async () => {
    let signal: AbortSignal | undefined;
    const hangs = policy('slow', (_, context) => {
      signal = context.signal;
      return new Promise(() => {});
    });
    const question = { eventOf: (params: object) => ({ toolName: 'read', params }), params: {}, context: {} };
    expect(await askTrustedPolicies([hangs], question as never, 20)).toEqual({ kind: 'failed', by: 'of-slow' });
    expect(signal?.aborted).toBe(true);
  });

  it('may want a person, who reads what the hooks say as well, and a hook may still say no', async () => {
    const told: string[] = [];
    const asking = policy('money', () => ({
      requireApproval: { title: 'Spend', description: 'ten euros', onResolution: (how: string) => void told.push(how) },
    }));
    const hooks = new HookRunner();
    on(hooks, 'before_tool_call', 'guard', () => ({ requireApproval: { title: 'Read', description: 'a secret' } }));
    const outcome = await gate([asking], hooks);
    expect(outcome).toMatchObject({ kind: 'ask', title: 'Spend', askedBy: 'of-money, guard' });
    expect(outcome.kind === 'ask' && outcome.description).toContain('of-money: ten euros\n\nguard: Read: a secret');
    if (outcome.kind === 'ask') await outcome.onResolution?.('deny');
    expect(told).toEqual(['deny']);

    on(hooks, 'before_tool_call', { owner: 'lock', id: 'no', priority: -1 }, () => ({
      block: true,
      blockReason: 'never',
    }));
    expect(await gate([asking], hooks)).toMatchObject({ kind: 'veto', by: 'lock', reason: 'never' });
  });
});
