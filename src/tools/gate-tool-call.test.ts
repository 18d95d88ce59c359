import { describe, expect, it } from 'vitest';
import { type HandlerFor, HookRunner } from '../hooks/runner.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { on } from '../testkit/on.ts';
import { toolContextForTest } from '../testkit/tool-context.ts';
import { toolForTest } from '../testkit/tool-for-test.ts';
import { type GateVeto, gateToolCall, vetoOutput } from './gate-tool-call.ts';
import { createReadTool } from './read.ts';

const tool = (name: string) => toolForTest(name, async () => ({ content: '' }));
const TOOLS = [tool('read'), tool('exec'), tool('apply_patch')];

const caller = toolContextForTest({ workspaceDir: '/nowhere' });

type Handler = HandlerFor<'before_tool_call', never>;

/** A gate with these handlers before it, in this order, each a plugin of its own. */
function gate(...handlers: Handler[]) {
  const hooks = new HookRunner();
  handlers.forEach((handler, at) => {
    on(hooks, 'before_tool_call', { owner: `plugin-${at + 1}`, id: `h${at + 1}`, timeoutMs: 50 }, handler);
  });
  return (name: string, params: JsonValue = { path: 'a' }, tools = TOOLS) =>
    gateToolCall(
      { id: 'call_1', name, params },
      { tools, hooks, caller, context: { agentId: 'main', sessionKey: 'agent:main:main', runId: 'run_1' } },
    );
}

describe('a tool call at the gate', () => {
  it('runs when nobody objects', async () => {
    expect(await gate()('read')).toEqual({ kind: 'run', tool: TOOLS[0], params: { path: 'a' } });
    expect(
      await gate(
        () => undefined,
        () => ({ block: false }),
      )('read'),
    ).toMatchObject({ kind: 'run' });
  });

  it('is known by every spelling of its name', async () => {
    expect(await gate()(' Bash ')).toMatchObject({ kind: 'run', tool: { name: 'exec' } });
    expect(await gate()('apply-patch')).toMatchObject({ kind: 'run', tool: { name: 'apply_patch' } });
  });

  it('to a tool that was not offered is vetoed without asking anybody, and told what there is', async () => {
    let asked = 0;
    const counted = gate(() => void asked++);
    expect(await counted('raed')).toEqual({
      kind: 'veto',
      cause: 'unknown-tool',
      by: 'policy',
      reason: 'There is no tool "raed". Did you mean read? The tools are: apply_patch, exec, read.',
      params: { path: 'a' },
    });
    expect(await counted('')).toMatchObject({ kind: 'veto', reason: expect.stringContaining('There is no tool "".') });
    expect(await counted('x'.repeat(10_000))).toMatchObject({ reason: expect.stringMatching(/^.{100,200}$/) });
    expect(asked).toBe(0);
  });

  it('is shown to handlers with its names and ids', async () => {
    const seen: unknown[] = [];
    await gate((event, { signal: _, ...context }) => void seen.push(event, context))('BASH', { cmd: 'ls' });
    expect(seen).toEqual([
      { toolName: 'exec', params: { cmd: 'ls' }, runId: 'run_1', toolCallId: 'call_1' },
      { agentId: 'main', sessionKey: 'agent:main:main', runId: 'run_1', toolName: 'exec', toolCallId: 'call_1' },
    ]);
  });

  it('runs with the parameters that handlers laid over the written ones, each seeing the last', async () => {
    const rewriting = gate(
      () => ({ params: { extra: 1 } }),
      ({ params }) => ({ params: { extra: Number(params.extra) + 1 } }),
    );
    expect(await rewriting('read')).toMatchObject({ kind: 'run', params: { path: 'a', extra: 2 } });
  });

  it('with parameters that are no object shows handlers an empty one, and is refused unless they give one', async () => {
    const seen: unknown[] = [];
    const looked = await gate((event) => void seen.push(event.params))('read', 'str');
    expect(seen).toEqual([{}]);
    expect(looked).toMatchObject({ kind: 'veto', cause: 'no-object', params: 'str' });
    expect(await gate(() => ({ params: { a: 1 } }))('read', 'str')).toMatchObject({ kind: 'run', params: { a: 1 } });
  });

  it('is vetoed by a handler, with its reason or a plain one, and by its name', async () => {
    expect(await gate(() => ({ block: true, blockReason: 'nope' }))('read')).toMatchObject({
      kind: 'veto',
      cause: 'blocked',
      reason: 'nope',
      by: 'plugin-1',
    });
    const plain = await gate(
      () => undefined,
      () => ({ block: true }),
    )('read');
    expect(plain).toMatchObject({ reason: 'Tool call blocked by plugin hook', by: 'plugin-2' });
    expect(vetoOutput(plain as GateVeto)).toEqual({
      content: 'Tool call blocked by plugin hook',
      details: { status: 'blocked', deniedReason: 'plugin-before-tool-call', by: 'plugin-2' },
    });
  });

  it.each<[string, Handler]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('boom'))],
    ['hangs', () => new Promise(() => undefined)],
    ['answers nonsense', () => ({ block: 'yes' }) as never],
    ['asks nonsense', () => ({ requireApproval: { title: '', description: '', allowedDecisions: 'deny' } }) as never],
  ])('is vetoed when a handler %s', async (_, handler) => {
    const outcome = await gate(handler)('read');
    expect(outcome).toMatchObject({
      kind: 'veto',
      cause: 'hook-failed',
      reason: 'Tool call blocked because before_tool_call hook failed',
      by: 'plugin-1',
    });
    expect(vetoOutput(outcome as GateVeto)).toMatchObject({ isError: true, details: { status: 'blocked' } });
  });

  it('is vetoed when the runner itself fails', async () => {
    const hooks = { run: () => Promise.reject(new Error('gone')) };
    const outcome = await gateToolCall(
      { id: 'c', name: 'read', params: {} },
      { tools: TOOLS, hooks, caller, context: {} },
    );
    expect(outcome).toMatchObject({ kind: 'veto', cause: 'hook-failed' });
  });

  it('shows handlers the paths that a call names, in full', async () => {
    const seen: unknown[] = [];
    const looking: Handler = ({ derivedPaths }) => void seen.push(derivedPaths);
    const patches = { ...tool('apply_patch'), derivedPaths: ({ input }: JsonObject) => [`from ${input}`] };
    await gate(looking)('apply_patch', { input: 'a patch' }, [patches]);
    await gate(looking)('apply_patch', 'no object', [patches]);
    await gate(looking)('read');
    expect(seen).toEqual([['/nowhere/from a patch'], ['/nowhere/from undefined'], undefined]);
  });

  it('shows handlers the paths of the parameters that somebody rewrote', async () => {
    const seen: unknown[] = [];
    const looking: Handler = ({ derivedPaths }) => void seen.push(derivedPaths);
    const moves: Handler = () => ({ params: { path: '../b' } });
    await gate(looking, moves, looking)('read', { path: '~/a' }, [createReadTool({ home: '/home/ana' })]);
    expect(seen).toEqual([['/home/ana/a'], ['/b']]);
    await gate(looking)('read', { path: 7 }, [createReadTool()]);
    // Where there is no path, there is no list of them.
    expect(seen.at(-1)).toBeUndefined();
  });

  it('waits for a person when a handler wants their word', async () => {
    const asking: Handler = () => ({ requireApproval: { title: 'Delete all', description: 'Really?' } });
    expect(await gate(asking)('read')).toMatchObject({
      kind: 'ask',
      askedBy: 'plugin-1',
      title: 'Delete all',
      // Whatever the handler says about it, the person sees what would run.
      description: 'Really?\n\nread {\n  "path": "a"\n}',
      severity: 'warning',
      allowedDecisions: ['allow-once', 'allow-always', 'deny'],
      rule: null,
      params: { path: 'a' },
    });
  });

  it('lets no handler allow for lack of an answer what the tool itself asks about', async () => {
    const asking =
      (timeoutBehavior: 'allow' | 'deny'): Handler =>
      () => ({ requireApproval: { title: 'Touch it', description: 'Really?', timeoutBehavior } });
    const question = {
      kind: 'ask',
      title: 'Run it',
      description: '$ touch a',
      severity: 'warning',
      rule: null,
    } as const;
    const asks = { ...tool('read'), decide: async () => question };
    expect(await gate(asking('allow'))('read')).toMatchObject({ timeoutBehavior: 'allow' });
    expect(await gate(asking('allow'))('read', {}, [asks])).toMatchObject({ kind: 'ask', timeoutBehavior: undefined });
    expect(await gate(asking('deny'))('read', {}, [asks])).toMatchObject({ kind: 'ask', timeoutBehavior: 'deny' });
  });

  it('leaves the person a way to say no, whatever the handler offers', async () => {
    const offering = (...allowedDecisions: never[]) =>
      gate(() => ({ requireApproval: { title: 'Sure', description: '', allowedDecisions } }))('read');
    expect(await offering('allow-always' as never)).toMatchObject({ allowedDecisions: ['allow-always', 'deny'] });
    expect(await offering('deny' as never, 'allow-once' as never)).toMatchObject({
      allowedDecisions: ['allow-once', 'deny'],
    });
    expect(await offering('perhaps' as never)).toMatchObject({
      allowedDecisions: ['allow-once', 'allow-always', 'deny'],
    });
  });

  it('shows the person what all of them say who ask, and tells each the answer', async () => {
    const told: string[] = [];
    const asking =
      (name: string, more: object = {}): Handler =>
      () => ({
        requireApproval: {
          title: `Ask ${name}`,
          description: `because of ${name}`,
          onResolution: (resolution) => void told.push(`${name}: ${resolution}`),
          ...more,
        },
      });
    const outcome = await gate(
      asking('cost', { severity: 'info', timeoutMs: 5_000, allowedDecisions: ['allow-once', 'allow-always'] }),
      asking('risk', { severity: 'critical', timeoutMs: 2_000, allowedDecisions: ['allow-once', 'deny'] }),
      asking('bug', {
        onResolution: () => {
          throw new Error('its own affair');
        },
      }),
    )('read');
    expect(outcome).toMatchObject({
      kind: 'ask',
      askedBy: 'plugin-1, plugin-2, plugin-3',
      title: 'Ask cost',
      description: [
        'plugin-1: because of cost',
        'plugin-2: Ask risk: because of risk',
        'plugin-3: Ask bug: because of bug',
        'read {\n  "path": "a"\n}',
      ].join('\n\n'),
      severity: 'critical',
      timeoutMs: 2_000,
      allowedDecisions: ['allow-once', 'deny'],
    });
    if (outcome.kind === 'ask') await outcome.onResolution?.('cancelled');
    expect(told).toEqual(['cost: cancelled', 'risk: cancelled']);
  });

  it('asks for the first of two handlers, and silence is a yes only where both wish so', async () => {
    const asking =
      (title: string, timeoutBehavior?: 'allow' | 'deny'): Handler =>
      () => ({ requireApproval: { title, description: '', ...(timeoutBehavior ? { timeoutBehavior } : {}) } });
    const silence = async (...wishes: ('allow' | 'deny' | undefined)[]) => {
      const outcome = await gate(...wishes.map((wish, at) => asking(`Question ${at + 1}`, wish)))('read');
      expect(outcome).toMatchObject({ kind: 'ask', title: 'Question 1' });
      return outcome.kind === 'ask' ? outcome.timeoutBehavior : 'run';
    };
    expect(await silence('allow', 'allow')).toBe('allow');
    expect(await silence('allow', 'deny')).toBe('deny');
    expect(await silence('deny', 'allow')).toBe('deny');
    // The operator's setting decides.
    expect(await silence('allow', undefined)).toBeUndefined();
    expect(await silence(undefined, 'allow')).toBeUndefined();
    expect(await silence(undefined, 'deny')).toBe('deny');
    expect(await silence('allow', undefined, 'deny', 'allow')).toBe('deny');
  });
});
