import { describe, expect, it } from 'vitest';
import { HookRunner } from '../hooks/runner.ts';
import { armHooks } from './arm-hooks.ts';
import type { PluginSetup } from './plugin-setup.ts';
import type { HookHandlerRegistration } from './registration.ts';

type Setup = Pick<PluginSetup, 'id' | 'origin' | 'hooks' | 'pluginConfig'>;
const setup = (over: Partial<Setup> = {}): Setup => ({
  id: 'nice',
  origin: 'config',
  hooks: {},
  pluginConfig: {},
  ...over,
});
const hook = (
  name: string,
  handler: (event: object, context: object) => unknown,
  id = 'nice',
): HookHandlerRegistration => ({ kind: 'hook', hook: name, id, handler });
const call = { toolName: 'exec', params: {} };

describe('arming the hooks of a plugin', () => {
  it('says that a handler of agent:bootstrap is not called when the plugin may add nothing to prompts', () => {
    const internal = { kind: 'internal-hook', name: 'notes', handler: async () => ({ messages: [] }) } as const;
    const registrations = [
      { ...internal, events: ['agent:bootstrap', 'command:new'] },
      { ...internal, events: ['command:reset'] },
    ];
    const notesFor = (allowPromptInjection: boolean) =>
      armHooks(new HookRunner(), setup({ hooks: { allowPromptInjection } }), registrations).notes;
    expect(notesFor(true)).toEqual([]);
    expect(notesFor(false)).toEqual([
      expect.objectContaining({ code: 'blocked-hook', message: expect.stringContaining('agent:bootstrap') }),
    ]);
  });

  it('lets them be asked, in the name of the plugin, until it is undone', async () => {
    const runner = new HookRunner();
    const block = () => ({ block: true, blockReason: 'no' });
    const { undo, statuses, notes } = armHooks(runner, setup(), [hook('before_tool_call', block)]);
    expect(statuses).toEqual([
      expect.objectContaining({
        hook: 'before_tool_call',
        id: 'nice',
        priority: 0,
        state: 'armed',
        timeoutMs: expect.any(Number),
      }),
    ]);
    expect(notes).toEqual([]);
    const { result, decidedBy } = await runner.run('before_tool_call', call, {});
    expect(result).toMatchObject({ block: true });
    expect(decidedBy).toEqual({ id: 'nice', owner: 'nice' });
    undo();
    undo();
    expect(runner.has('before_tool_call')).toBe(false);
  });

  it('says of every handler what became of it', () => {
    const runner = new HookRunner();
    const nothing = () => undefined;
    const { statuses, notes } = armHooks(runner, setup(), [
      hook('llm_input', nothing),
      hook('llm_input', nothing, 'nice#2'),
      hook('nonsense', nothing),
      hook('subagent_spawned', nothing),
      hook('message_sent', nothing),
    ]);
    expect(statuses.map(({ hook: name, state }) => `${name} ${state}`)).toEqual([
      'llm_input blocked',
      'llm_input blocked',
      'subagent_spawned armed',
      'message_sent armed',
    ]);
    expect(statuses[0]?.reason).toContain('allowConversationAccess');
    expect(notes.map(({ code }) => code)).toEqual(['blocked-hook', 'refused-hook']);
    expect(runner.has('llm_input')).toBe(false);
  });

  it('says so when the operator gives a deadline to a hook that there is not', () => {
    const timeouts = { before_prompt_bild: 5_000, message_sent: 5_000 };
    const { statuses, notes } = armHooks(new HookRunner(), setup({ hooks: { timeouts } }), [
      hook('message_sent', () => undefined),
    ]);
    expect(statuses).toMatchObject([{ hook: 'message_sent', timeoutMs: 5_000 }]);
    expect(notes).toEqual([
      {
        level: 'warn',
        code: 'settings',
        message:
          'plugins.entries.nice.hooks.timeouts.before_prompt_bild limits nothing: there is no such hook. Did you mean "before_prompt_build"?',
      },
    ]);
  });

  it('gives a run as long as the longest deadline that the operator set, and not what a plugin wants for itself', async () => {
    for (const [hooks, answered] of [
      [{ timeoutMs: 60_000 }, true],
      [{}, false],
    ] as const) {
      const runner = new HookRunner({ runBudgetMs: 1 });
      const answer = () => new Promise((resolve) => setTimeout(() => resolve({ appendContext: 'late' }), 30));
      armHooks(runner, setup({ hooks }), [{ ...hook('before_prompt_build', answer), timeoutMs: 50_000 }]);
      const { result } = await runner.run('before_prompt_build', { prompt: '', messages: [] }, { runId: 'r' });
      expect(result).toEqual(answered ? { appendContext: 'late' } : {});
    }
  });

  it('tells each handler its own configuration, and leaves the event alone', async () => {
    const runner = new HookRunner();
    const seen: unknown[] = [];
    const look = (event: object) =>
      void seen.push((event as { context?: { pluginConfig?: unknown } }).context?.pluginConfig);
    armHooks(runner, setup({ pluginConfig: { mood: 'calm' } }), [hook('before_tool_call', look)]);
    armHooks(runner, setup({ id: 'other', pluginConfig: { mood: 'wild' } }), [hook('before_tool_call', look, 'other')]);
    await runner.run('before_tool_call', call, {});
    expect(seen).toEqual([{ mood: 'calm' }, { mood: 'wild' }]);
    expect(call).not.toHaveProperty('context');
  });

  it('drops what a handler says for the prompt where it may not', async () => {
    const runner = new HookRunner();
    const answers = [
      { modelOverride: 'm', systemPrompt: 's' },
      Promise.resolve({ providerOverride: 'p', prependContext: 'c' }),
    ];
    const then = (resolve: (answer: object) => void) => resolve({ prependContext: 'from a thenable' });
    const later = Object.fromEntries([['then', then]]);
    const registrations = [...answers, later].map((answer, at) =>
      hook('before_agent_start', () => answer, `nice#${at}`),
    );
    armHooks(runner, setup({ hooks: { allowPromptInjection: false } }), registrations);
    const { result } = await runner.run('before_agent_start', { prompt: 'hi' }, {});
    expect(result).toEqual({ modelOverride: 'm', providerOverride: 'p' });
  });

  it('notes a handler that the runner does not take, and arms the others', () => {
    const runner = new HookRunner();
    const { statuses, notes } = armHooks(runner, setup(), [
      hook('message_sent', () => undefined),
      hook('message_sent', () => undefined),
    ]);
    expect(statuses).toHaveLength(1);
    expect(notes.map(({ code }) => code)).toEqual(['refused-hook']);
  });

  it('keeps a policy on hooks that know policies, and passes over the wish elsewhere', () => {
    const runner = new HookRunner();
    const policy = { policy: true } as const;
    armHooks(runner, setup(), [
      { ...hook('message_sending', () => undefined), ...policy },
      { ...hook('message_sent', () => undefined), ...policy },
    ]);
    expect(runner.list('message_sending')[0]?.policy).toBe(true);
    expect(runner.list('message_sent')[0]?.policy).toBe(false);
  });
});
