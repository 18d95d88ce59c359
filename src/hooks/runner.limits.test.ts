import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { on } from '../testkit/on.ts';
import type { HookName } from './catalog.ts';
import { HandlerAbortError } from './errors.ts';
import { Hooks } from './fixtures/hooks.ts';
import { hookMessageOf } from './hook-message.ts';
import type { HookHandler } from './hook-types.ts';
import type { HandlerRegistration, HookRunner } from './runner.ts';

const asked = { prompt: 'hi', messages: [] };
const call = { toolName: 'write', params: { path: 'a.txt' } };
const sending = { to: 'ana', content: 'one' };
const hangs = () => new Promise<never>(() => {});
const build = (hooks: HookRunner, runId?: string) =>
  hooks.run('before_prompt_build', asked, runId === undefined ? {} : { runId });

describe('the configuration of a plugin', () => {
  const configOf = (event: object) => (event as { context?: { pluginConfig?: object } }).context?.pluginConfig;

  it('is in the event of its own handlers, and in no other', async () => {
    const seen: unknown[] = [];
    const look: HookHandler<'before_prompt_build'> = (event) => void seen.push(configOf(event));
    const event = { ...asked, context: { channel: 'web' } };
    const hooks = new Hooks()
      .on('before_prompt_build', 'a', look, { pluginConfig: { limit: 1 } })
      .on('before_prompt_build', 'b', look, { pluginConfig: { limit: 2 } })
      .on('before_prompt_build', 'c', (given) => void seen.push(structuredClone(given)));
    await hooks.run('before_prompt_build', event, {});
    expect(seen).toEqual([{ limit: 1 }, { limit: 2 }, event]);
    expect(event).toEqual({ ...asked, context: { channel: 'web' } });
  });

  it('reaches observers, and handlers in another thread', async () => {
    const seen: unknown[] = [];
    const pluginConfig = { limit: 1 };
    const hooks = new Hooks()
      .on('message_received', 'a', (event) => void seen.push(configOf(event)), { pluginConfig })
      .on('before_prompt_build', 'b', (event) => void seen.push(configOf(event)), { pluginConfig, isRemote: true });
    hooks.observe('message_received', { from: 'ana', content: 'hi' }, {});
    await hooks.drain(1_000);
    await build(hooks);
    expect(seen).toEqual([pluginConfig, pluginConfig]);
  });

  it('is not listed, since it may hold secrets', () => {
    const hooks = new Hooks().on('before_prompt_build', 'a', () => {}, { pluginConfig: { token: 's3cret' } });
    expect(JSON.stringify(hooks.list('before_prompt_build'))).not.toContain('s3cret');
  });
});

describe('a handler in another thread', () => {
  it('may take its time where a plain value is due', async () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'hi' }] } as const;
    const later = (async () => ({ message: { ...message, content: 'ho' } })) as never;
    const hooks = new Hooks()
      .on('before_message_write', 'far', later, { isRemote: true })
      .on('before_message_write', 'near', later);
    const { result } = await hooks.run('before_message_write', { message }, {});
    expect(result.message).toEqual({ role: 'user', content: [{ type: 'text', text: 'ho' }] });
    expect(hooks.outcomes).toEqual(['far done', 'near invalid']);
  });
});

describe('the time that the handlers of a run have together', () => {
  const slow = (ms: number) => async () => {
    await sleep(ms);
  };

  it('is shared over all hooks of the run, and what is left limits who comes next', async () => {
    const hooks = new Hooks({ runBudgetMs: 150 })
      .on('before_model_resolve', 'first', slow(20))
      .on('before_prompt_build', 'second', hangs)
      .on('before_prompt_build', 'third', () => ({ appendContext: 'never' }), { owner: 'second' });
    await hooks.run('before_model_resolve', { prompt: 'hi' }, { runId: 'r' });
    const { result, calls } = await build(hooks, 'r');
    expect(result).toEqual({});
    expect(calls).toMatchObject([
      { id: 'second', outcome: 'timed-out', error: expect.stringContaining('had left of 150ms') },
      { id: 'third', outcome: 'skipped', error: expect.stringContaining('used up their part of the 150 ms') },
    ]);
    expect(hooks.outcomes).toEqual(['first done', 'second timed-out', 'third skipped']);
  });

  it('is separate for every run, and does not exist outside of one', async () => {
    const hooks = new Hooks({ runBudgetMs: 20 }).on('before_prompt_build', 'slow', slow(30));
    await build(hooks, 'r1');
    await build(hooks, 'r1');
    await build(hooks, 'r2');
    await build(hooks);
    expect(hooks.outcomes).toEqual(['slow timed-out', 'slow skipped', 'slow timed-out', 'slow done']);
  });

  it('is not less than the longest deadline that the operator set', async () => {
    const hooks = new Hooks({ runBudgetMs: 10 }).on('before_prompt_build', 'slow', slow(30), {
      timeoutMs: 500,
      timeoutFrom: 'operator',
    });
    await build(hooks, 'r');
    expect(hooks.outcomes).toEqual(['slow done']);
    hooks.unregister('before_prompt_build', 'slow');
    hooks.on('before_prompt_build', 'slow', slow(30), { timeoutMs: 500 });
    await build(hooks, 'other');
    expect(hooks.outcomes.at(-1)).toBe('slow timed-out');
  });

  it('has nothing to do with gates, policies and observers', async () => {
    const hooks = new Hooks({ runBudgetMs: 10 })
      .on('before_tool_call', 'gate', slow(20))
      .on('message_sending', 'policy', slow(20), { policy: true })
      .on('agent_end', 'observer', slow(20))
      .on('before_prompt_build', 'last', () => ({ appendContext: 'still time' }));
    await hooks.run('before_tool_call', call, { runId: 'r' });
    await hooks.run('message_sending', sending, { runId: 'r' });
    await hooks.observeAndWait('agent_end', { messages: [], success: true }, { runId: 'r' });
    expect((await build(hooks, 'r')).result).toEqual({ appendContext: 'still time' });
    expect(hooks.outcomes).toEqual(['gate done', 'policy done', 'observer done', 'last done']);
  });

  it('counts bootstrap handlers, unless a composition cannot do without them', async () => {
    const hooks = new Hooks({ runBudgetMs: 20 });
    const add = (id: string, onError?: 'abort') =>
      on(hooks, 'agent:bootstrap', { owner: 'one', id, onError }, () => {});
    add('slow');
    add('skipped');
    add('needed', 'abort');
    const { calls } = await hooks.chain(
      'agent:bootstrap',
      '',
      async ({ id }, value) => {
        if (id === 'slow') await sleep(30);
        return value;
      },
      { runId: 'r' },
    );
    expect(calls.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'slow timed-out',
      'skipped threw',
      'needed done',
    ]);
    expect(hooks.outcomes).toEqual(['slow timed-out', 'skipped skipped', 'needed done']);
  });

  it('is not spent by a preview, which is not limited by it either', async () => {
    const hooks = new Hooks({ runBudgetMs: 10 }).on('before_prompt_build', 'slow', slow(20));
    const preview = () => hooks.run('before_prompt_build', asked, { runId: 'p' }, { record: false });
    expect((await preview()).calls.map(({ outcome }) => outcome)).toEqual(['done']);
    expect((await preview()).calls.map(({ outcome }) => outcome)).toEqual(['done']);
  });
});

describe('a plugin with many handlers that hang', () => {
  const stuck = (hooks: Hooks, count = 20) => {
    for (let index = 0; index < count; index++) {
      hooks.on('before_prompt_build', `stuck-${index}`, hangs, { owner: 'stuck', timeoutMs: 15, priority: 10 });
    }
    return hooks;
  };
  const runs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

  it("never keeps another's from being called, and is suspended as a whole", async () => {
    const hooks = stuck(new Hooks({ runBudgetMs: 30 })).on('before_prompt_build', 'fine', () => ({
      appendContext: 'x',
    }));
    for (const runId of runs) expect((await build(hooks, runId)).result).toEqual({ appendContext: 'x' });
    expect(hooks.outcomes.filter((each) => each === 'fine done')).toHaveLength(runs.length);
    expect(hooks.suspended()).toHaveLength(20);
    expect(hooks.warnings.filter((each) => each.endsWith('atrium hooks rearm stuck'))).toHaveLength(1);
    // From then on it costs nothing.
    expect(hooks.outcomes.filter((each) => each.endsWith('timed-out')).length).toBeLessThanOrEqual(9);
    expect(hooks.rearm({ owner: 'stuck' })).toBe(20);
  });

  it('keeps its gates, which do not use the budget', async () => {
    const hooks = stuck(new Hooks({ runBudgetMs: 30 })).on('before_tool_call', 'guard', () => ({ block: true }), {
      owner: 'stuck',
    });
    for (const runId of runs) await build(hooks, runId);
    expect((await hooks.run('before_tool_call', call, { runId: 'z' })).refusal).toMatchObject({ cause: 'decision' });
  });
});

describe('a handler that overruns its deadline again and again', () => {
  const once = { timeoutMs: 5 };
  const times = async (count: number, ask: () => Promise<unknown>) => {
    for (let time = 0; time < count; time++) await ask();
  };

  it('is suspended, which is recorded and said once, with the way back', async () => {
    const hooks = new Hooks({ now: () => 7 })
      .on('before_prompt_build', 'stuck', hangs, once)
      .on('before_prompt_build', 'fine', () => ({ appendContext: 'x' }));
    await times(5, () => build(hooks));
    expect(hooks.outcomes.filter((each) => each.startsWith('stuck'))).toEqual([
      'stuck timed-out',
      'stuck timed-out',
      'stuck timed-out',
      'stuck suspended',
    ]);
    expect(hooks.outcomes.filter((each) => each === 'fine done')).toHaveLength(5);
    expect(hooks.warnings).toHaveLength(1);
    expect(hooks.warnings[0]).toMatch(/stuck .* on before_prompt_build .*atrium hooks rearm stuck$/);
    const reason = 'it timed out 3 times without an answer in between';
    expect(hooks.suspended()).toEqual([{ hook: 'before_prompt_build', id: 'stuck', owner: 'stuck', reason, at: 7 }]);
  });

  it('keeps its gate closed, each time, without being called', async () => {
    let calls = 0;
    const hooks = new Hooks().on(
      'before_tool_call',
      'guard',
      () => {
        calls += 1;
        return hangs();
      },
      once,
    );
    await times(4, () => hooks.run('before_tool_call', call, {}));
    const { result, refusal } = await hooks.run('before_tool_call', call, {});
    expect(calls).toBe(3);
    expect(refusal).toMatchObject({ id: 'guard', cause: 'failure', reason: expect.stringContaining('is suspended') });
    expect(result).toEqual({ block: true, blockReason: refusal?.reason });
    expect(hooks.outcomes.slice(3)).toEqual(['guard suspended', 'guard suspended']);
  });

  it('is not suspended when it answers now and then', async () => {
    let turn = 0;
    const hooks = new Hooks().on(
      'before_prompt_build',
      'moody',
      () => {
        turn += 1;
        return turn % 3 === 0 ? undefined : hangs();
      },
      { timeoutMs: 25 },
    );
    await times(9, () => build(hooks));
    expect(hooks.suspended()).toEqual([]);
    expect(turn).toBe(9);
  });

  it('has nothing to answer for when others used up the time of the run', async () => {
    let turn = 0;
    const patient = () => {
      turn += 1;
      return turn % 2 === 0 ? { appendContext: 'here' } : hangs();
    };
    const hooks = new Hooks({ runBudgetMs: 30 })
      .on('before_prompt_build', 'greedy', hangs, { timeoutMs: 1_000 })
      .on('before_prompt_build', 'patient', patient, { timeoutMs: 1_000 });
    for (const runId of ['a', 'b', 'c', 'd']) await build(hooks, runId);
    expect(hooks.suspended()).toMatchObject([{ id: 'greedy' }]);
    expect(turn).toBe(4);
  });

  it('is rearmed by hook, id or owner, and then has three deadlines again', async () => {
    const hooks = new Hooks()
      .on('before_prompt_build', 'a', hangs, once)
      .on('before_model_resolve', 'a', hangs, once)
      .on('before_model_resolve', 'b', hangs, once);
    await times(3, () => build(hooks));
    await times(3, () => hooks.run('before_model_resolve', { prompt: 'hi' }, {}));
    expect(hooks.suspended()).toHaveLength(3);
    expect(hooks.rearm({ id: 'nobody' })).toBe(0);
    expect(hooks.rearm({ id: 'a', hook: 'before_prompt_build' })).toBe(1);
    await times(2, () => build(hooks));
    expect(hooks.suspended()).toHaveLength(2);
    await build(hooks);
    expect(hooks.suspended()).toHaveLength(3);
    expect(hooks.rearm({ owner: 'a' })).toBe(2);
    expect(hooks.rearm()).toBe(1);
    expect(hooks.suspended()).toEqual([]);
  });

  it('starts anew when it is registered anew', async () => {
    const hooks = new Hooks().on('before_prompt_build', 'a', hangs, once);
    await times(3, () => build(hooks));
    hooks.unregister('before_prompt_build', 'a');
    expect(hooks.suspended()).toEqual([]);
    hooks.on('before_prompt_build', 'a', () => ({ appendContext: 'back' }));
    expect((await build(hooks)).result).toEqual({ appendContext: 'back' });
  });

  it('is not told any more when it observes', async () => {
    const hooks = new Hooks().on('agent_end', 'a', hangs, once);
    await times(5, () => hooks.observeAndWait('agent_end', { messages: [], success: true }, {}));
    await hooks.drain(1_000);
    expect(hooks.outcomes).toEqual(['a timed-out', 'a timed-out', 'a timed-out', 'a suspended']);
  });

  it('is suspended in every fork, and ends a composition that cannot do without it', async () => {
    const hooks = new Hooks();
    const fork = hooks.fork();
    const options = { owner: 'a', timeoutMs: 5, onError: 'abort' } as const;
    fork.register({ hook: 'agent:bootstrap', id: 'a', handler: () => {}, ...options });
    const compose = () => fork.chain('agent:bootstrap', '', hangs).catch((error: unknown) => error);
    await times(3, compose);
    expect(hooks.suspended()).toMatchObject([{ id: 'a' }]);
    const failure = await compose();
    expect(failure).toBeInstanceOf(HandlerAbortError);
    expect(failure).toMatchObject({ reason: expect.stringContaining('suspended') });
    expect(hooks.rearm({ owner: 'a' })).toBe(1);
    expect((await fork.chain('agent:bootstrap', '', (_, value) => value)).calls[0]?.outcome).toBe('done');
  });
});

describe('a plugin that is suspended as a whole', () => {
  it('is not called on any hook, keeps its gates closed, and cannot register its way back', async () => {
    const hooks = new Hooks();
    const add = (hook: HookName, id: string, answer?: object) =>
      hooks.register({ hook, id, owner: 'wild', handler: () => answer } as HandlerRegistration<never>);
    add('before_prompt_build', 'adds', { appendContext: 'x' });
    hooks.suspend('wild', 'its worker stopped answering');
    add('before_tool_call', 'guards');
    expect((await build(hooks)).result).toEqual({});
    expect((await hooks.run('before_tool_call', call, {})).result).toMatchObject({ block: true });
    expect(hooks.suspended()).toMatchObject([
      { id: 'adds', owner: 'wild', reason: 'its worker stopped answering' },
      { id: 'guards', owner: 'wild' },
    ]);
    expect(hooks.records[0]).toMatchObject({
      outcome: 'suspended',
      error: 'suspended, because its worker stopped answering',
    });
    expect(hooks.rearm({ id: 'adds' })).toBe(0);
    expect(hooks.rearm({ owner: 'wild' })).toBe(2);
    expect((await build(hooks)).result).toEqual({ appendContext: 'x' });
    expect((await hooks.run('before_tool_call', call, {})).refusal).toBeUndefined();
  });
});

describe('the record of a call', () => {
  it('shows what was added to a text, and what was rewritten', async () => {
    const hooks = new Hooks()
      .on('message_sending', 'greets', ({ content }) => ({ content: `Hello, ${content}` }))
      .on('message_sending', 'shouts', ({ content }) => ({ content: content.replace('Hello', 'HELLO') }))
      .on('message_sending', 'silent', () => {});
    await hooks.run('message_sending', sending, {});
    expect(hooks.records.map(({ diff }) => diff?.())).toEqual([
      [{ field: 'content', at: 0, added: 'Hello, ' }],
      [{ field: 'content', at: 1, removed: 'ello', added: 'ELLO' }],
      undefined,
    ]);
  });

  it('shows each parameter that changed, and the decision', async () => {
    const hooks = new Hooks()
      .on('before_tool_call', 'moves', () => ({ params: { path: 'b.txt', mode: 1 } }))
      .on('before_tool_call', 'blocks', () => ({ block: true, blockReason: 'no' }));
    await hooks.run('before_tool_call', call, {});
    expect(hooks.records.map(({ diff }) => diff?.())).toEqual([
      [
        { field: 'params.path', at: 0, removed: 'a', added: 'b' },
        { field: 'params.mode', after: '1' },
      ],
      [
        { field: 'blockReason', at: 0, added: 'no' },
        { field: 'block', after: 'true' },
      ],
    ]);
  });

  it('says of the gate that it passed or blocked, and never why', async () => {
    const hooks = new Hooks()
      .on('before_agent_run', 'passes', () => ({ outcome: 'pass' }))
      .on('before_agent_run', 'blocks', () => ({ outcome: 'block', reason: 'said hi', message: 'hi?' }));
    await hooks.run('before_agent_run', asked, {});
    expect(hooks.records.map(({ diff }) => diff?.())).toEqual([
      [{ field: 'outcome', at: 0, added: 'pass' }],
      [{ field: 'outcome', at: 0, removed: 'pass', added: 'block' }],
    ]);
  });
});

describe('a handler that was given up', () => {
  it('cannot affect those after it, even if it keeps the objects', async () => {
    const messages = Array.from({ length: 100 }, (_, index) => hookMessageOf({ role: 'user', content: `${index}` }));
    let late: Promise<void> | undefined;
    let context: { signal: AbortSignal; agentId?: string | undefined } | undefined;
    const hooks = new Hooks()
      .on(
        'before_prompt_build',
        'late',
        (event, given) => {
          context = given;
          late = sleep(20).then(() => {
            (event.messages as unknown[]).length = 0;
            (event as { prompt: string }).prompt = 'spoilt';
          });
          return late.then(() => ({ appendContext: 'spoilt' }));
        },
        { timeoutMs: 5 },
      )
      .on('before_prompt_build', 'next', async (event) => {
        await late;
        return { appendContext: `${event.prompt} ${event.messages.length}` };
      });
    const { result } = await hooks.run('before_prompt_build', { prompt: 'hi', messages }, { agentId: 'main' });
    expect(result).toEqual({ appendContext: 'hi 100' });
    expect(messages).toHaveLength(100);
    expect(context?.signal.aborted).toBe(true);
    expect(() => Object.assign(context ?? {}, { agentId: 'other' })).toThrow(TypeError);
    expect(context?.agentId).toBe('main');
  });
});
