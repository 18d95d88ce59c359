import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { on } from '../testkit/on.ts';
import { InvalidHandlerError } from './errors.ts';
import { Hooks } from './fixtures/hooks.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import type { HookUserMessage } from './hook-message.ts';
import type { HookHandler } from './hook-types.ts';

const call = { toolName: 'write', params: { path: 'a.txt', text: 'hello' } };
const sending = { to: 'ana', content: 'one' };
const asked = { prompt: 'hi', messages: [] };
const user = (text: string): HookUserMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const throws = (): never => {
  throw new Error('boom');
};
const hangs = () => new Promise<never>(() => {});

/** An answer of a program without types. */
const raw = (answer: unknown) => () => answer as never;

describe('asking', () => {
  it('gives an empty result when there is no handler, and when no handler answers', async () => {
    const none = await new Hooks().run('before_tool_call', call, {});
    expect(none).toEqual({ result: {}, contributions: [], calls: [], skipped: [] });
    const silent = new Hooks().on('before_tool_call', 'a', () => {}).on('before_tool_call', 'b', raw(null));
    const answer = await silent.run('before_tool_call', call, {});
    expect(answer.result).toEqual({});
    expect(answer.calls.map(({ id, outcome, changed }) => [id, outcome, changed])).toEqual([
      ['a', 'done', []],
      ['b', 'done', []],
    ]);
  });

  it('asks the highest priority first and keeps the order of registration among equals', async () => {
    const order: string[] = [];
    const hooks = new Hooks();
    for (const [name, priority] of [
      ['first at 0', 0],
      ['low', -5],
      ['high', 9],
      ['second at 0', undefined],
    ] as const) {
      hooks.on('before_prompt_build', name, () => void order.push(name), { priority });
    }
    await hooks.run('before_prompt_build', asked, {});
    expect(order).toEqual(['high', 'first at 0', 'second at 0', 'low']);
  });

  it('knows cheaply whether there is a handler', () => {
    const hooks = new Hooks();
    expect(hooks.has('agent_end')).toBe(false);
    const undo = on(hooks, 'agent_end', 'a', () => {});
    expect(hooks.has('agent_end')).toBe(true);
    undo();
    expect(hooks.has('agent_end')).toBe(false);
  });

  it('tells a handler who and where, the trace whole and field by field', async () => {
    let seen: object = {};
    const hooks = new Hooks().on('before_tool_call', 'a', (_, context) => {
      seen = { ...context };
    });
    const trace = { traceId: 't1', spanId: 's1', callDepth: 2 };
    await hooks.run('before_tool_call', call, { runId: 'r1', sessionKey: 'k', toolName: 'write', trace });
    expect(seen).toMatchObject({ runId: 'r1', sessionKey: 'k', toolName: 'write', trace, traceId: 't1', callDepth: 2 });
    expect((seen as { signal: AbortSignal }).signal.aborted).toBe(false);
  });

  it('leaves out handlers that did not declare themselves pure, when only pure ones are wanted', async () => {
    const hooks = new Hooks()
      .on('before_prompt_build', 'clock', () => ({ appendContext: 'noon' }))
      .on('before_prompt_build', 'rules', () => ({ appendContext: 'be kind' }), { pure: true });
    const preview = await hooks.run('before_prompt_build', asked, {}, { pureOnly: true });
    expect(preview).toMatchObject({ result: { appendContext: 'be kind' }, skipped: ['clock'] });
    const real = await hooks.run('before_prompt_build', asked, {});
    expect(real).toMatchObject({ result: { appendContext: 'noon\n\nbe kind' }, skipped: [] });
  });

  it('says whose words are in the result', async () => {
    const hooks = new Hooks()
      .on('before_prompt_build', 'a', () => ({ systemPrompt: 'A', appendContext: 'one' }))
      .on('before_prompt_build', 'b', () => ({ systemPrompt: 'B', appendContext: 'two' }));
    const { contributions, decidedBy } = await hooks.run('before_prompt_build', asked, {});
    expect(contributions.map(({ field, value, owner }) => [field, value, owner])).toEqual([
      ['systemPrompt', 'A', 'a'],
      ['appendContext', 'one', 'a'],
      ['appendContext', 'two', 'b'],
    ]);
    expect(decidedBy).toEqual({ id: 'a', owner: 'a' });
  });
});

describe('a handler alone with its event', () => {
  it('may change it without effect on others', async () => {
    const event = { toolName: 'write', params: { path: 'a.txt', deep: { list: [1] } } };
    const seen: unknown[] = [];
    const spoil: HookHandler<'before_tool_call'> = (given) => {
      seen.push(structuredClone(given));
      const mine = given as unknown as { toolName: string; params: { path: string; deep: { list: number[] } } };
      mine.toolName = 'spoilt';
      mine.params.path = '/etc/passwd';
      mine.params.deep.list.push(2);
    };
    const hooks = new Hooks().on('before_tool_call', 'a', spoil).on('before_tool_call', 'b', spoil);
    const { result } = await hooks.run('before_tool_call', event, {});
    const untouched = { toolName: 'write', params: { path: 'a.txt', deep: { list: [1] } } };
    expect(result).toEqual({});
    expect(event).toEqual(untouched);
    expect(seen).toEqual([untouched, untouched]);
  });

  it('cannot change its answer afterwards', async () => {
    const params = { path: 'b.txt' };
    const hooks = new Hooks()
      .on('before_tool_call', 'a', () => ({ params }))
      .on('before_tool_call', 'b', () => {
        params.path = 'c.txt';
      });
    const { result } = await hooks.run('before_tool_call', call, {});
    params.path = 'd.txt';
    expect(result.params).toEqual({ path: 'b.txt', text: 'hello' });
  });

  it('cannot change the context of others', async () => {
    let seen: string | undefined;
    const hooks = new Hooks()
      .on('before_prompt_build', 'a', (_, context) => {
        (context as { agentId: string }).agentId = 'other';
      })
      .on('before_prompt_build', 'b', (_, context) => {
        seen = context.agentId;
      });
    const { calls } = await hooks.run('before_prompt_build', asked, { agentId: 'main' });
    expect(seen).toBe('main');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['threw', 'done']);
  });

  it.each<[string, (context: { readonly trace?: object | undefined }) => object | undefined]>([
    ['read', (context) => context.trace],
    ['described', (context) => Object.getOwnPropertyDescriptor(context, 'trace')?.value],
    ['copied', (context) => ({ ...context }).trace],
  ])('cannot change an object in the context of others, %s', async (_, traceIn) => {
    const trace = { traceId: 't', spanId: 's' };
    const seen: unknown[] = [];
    const hooks = new Hooks()
      .on('before_prompt_build', 'a', (_event, context) => {
        (traceIn(context) as { spanId: string }).spanId = 'other';
      })
      .on('before_prompt_build', 'b', (_event, context) => {
        seen.push(context.trace, context.spanId);
      });
    const { calls } = await hooks.run('before_prompt_build', asked, { trace });
    expect(seen).toEqual([{ traceId: 't', spanId: 's' }, 's']);
    expect(trace.spanId).toBe('s');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['threw', 'done']);
  });

  it('has no effect once its deadline has passed', async () => {
    let aborted = false;
    const hooks = new Hooks()
      .on(
        'message_sending',
        'slow',
        async (event, { signal }) => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          await sleep(40);
          (event as { content: string }).content = 'late';
          return { content: 'late', cancel: true };
        },
        { timeoutMs: 10 },
      )
      .on('message_sending', 'next', ({ content }) => ({ content: `${content}, two` }));
    const { result, calls } = await hooks.run('message_sending', sending, {});
    await sleep(60);
    expect(result).toEqual({ content: 'one, two' });
    expect(calls.map(({ outcome }) => outcome)).toEqual(['timed-out', 'done']);
    expect(aborted).toBe(true);
  });
});

describe('before_tool_call', () => {
  it('shows each handler the parameters that the one before it left, and gives all of them', async () => {
    const seen: unknown[] = [];
    const hooks = new Hooks()
      .on('before_tool_call', 'a', () => ({ params: { path: 'b.txt' } }))
      .on('before_tool_call', 'b', ({ params }) => {
        seen.push(params);
        return { params: { mode: 'append' } };
      });
    const { result, decidedBy } = await hooks.run('before_tool_call', call, {});
    expect(seen).toEqual([{ path: 'b.txt', text: 'hello' }]);
    expect(result).toEqual({ params: { path: 'b.txt', text: 'hello', mode: 'append' } });
    expect(decidedBy).toEqual({ id: 'b', owner: 'b' });
  });

  it('ends with a block: true, and takes block: false for no decision', async () => {
    let reached = false;
    const hooks = new Hooks()
      .on('before_tool_call', 'unsure', () => ({ block: false }), { priority: 3 })
      .on('before_tool_call', 'guard', () => ({ block: true, blockReason: 'not here' }), { priority: 2 })
      .on('before_tool_call', 'next', () => {
        reached = true;
      });
    const answer = await hooks.run('before_tool_call', call, {});
    expect(answer.result).toEqual({ block: true, blockReason: 'not here' });
    expect(answer.decidedBy).toEqual({ id: 'guard', owner: 'guard' });
    expect(answer.refusal).toEqual({ id: 'guard', owner: 'guard', reason: 'not here', cause: 'decision' });
    expect(reached).toBe(false);
  });

  it('keeps the first approval, in the name of the handler that asked, until a handler blocks', async () => {
    const onResolution = () => {};
    const hooks = new Hooks()
      .on('before_tool_call', 'a', () => ({
        requireApproval: { title: 'Write', description: 'a file', pluginId: 'somebody else', onResolution },
      }))
      .on('before_tool_call', 'b', () => ({ requireApproval: { title: 'Other', description: 'other' } }));
    const asking = await hooks.run('before_tool_call', call, {});
    expect(asking.result).toEqual({
      requireApproval: { title: 'Write', description: 'a file', pluginId: 'a', onResolution },
      alsoAsked: [{ title: 'Other', description: 'other', pluginId: 'b' }],
    });
    expect(asking.decidedBy?.owner).toBe('a');
    expect(asking.refusal).toBeUndefined();

    hooks.on('before_tool_call', 'c', () => ({ block: true }), { priority: -1 });
    const blocked = await hooks.run('before_tool_call', call, {});
    expect(blocked.result).toMatchObject({ block: true, requireApproval: { title: 'Write' } });
    expect(blocked.decidedBy?.owner).toBe('c');
    expect(blocked.refusal).toMatchObject({ owner: 'c', cause: 'decision' });
  });

  it('lets only the handler that asked change what a person is asked about', async () => {
    const hooks = new Hooks()
      .on('before_tool_call', 'a', () => ({
        params: { path: 'b.txt' },
        requireApproval: { title: 'Write', description: 'to b.txt' },
      }))
      .on('before_tool_call', 'b', () => ({ params: { path: '/etc/passwd' } }));
    on(hooks, 'before_tool_call', { owner: 'a', id: 'a again' }, () => ({ params: { text: 'bye' } }));
    const { result } = await hooks.run('before_tool_call', call, {});
    expect(result.params).toEqual({ path: 'b.txt', text: 'bye' });
  });

  const failing: Record<string, [HookHandler<'before_tool_call'>, string, RegExp]> = {
    throws: [throws, 'threw', /threw an error/],
    hangs: [hangs, 'timed-out', /did not answer within 10 ms/],
    'answers with a text': [raw('ok'), 'invalid', /made no sense/],
    'answers with a list': [raw([]), 'invalid', /made no sense/],
    'answers with a map': [raw(new Map([['block', true]])), 'invalid', /made no sense/],
    'answers with a date': [raw(new Date()), 'invalid', /made no sense/],
    'has a block that is neither true nor false': [raw({ block: 'yes' }), 'invalid', /made no sense/],
    'has parameters that are no object': [raw({ params: 'x' }), 'invalid', /made no sense/],
    'has parameters that cannot be written': [raw({ params: { n: 1n } }), 'invalid', /made no sense/],
    'asks without saying what': [raw({ requireApproval: {} }), 'invalid', /made no sense/],
  };

  it.each(Object.entries(failing))('stays closed when a handler %s', async (_, [handler, outcome, reason]) => {
    let reached = false;
    const hooks = new Hooks()
      .on('before_tool_call', 'broken', handler, { timeoutMs: 10, priority: 1 })
      .on('before_tool_call', 'next', () => {
        reached = true;
      });
    const answer = await hooks.run('before_tool_call', call, {});
    expect(answer.refusal).toMatchObject({ id: 'broken', owner: 'broken', cause: 'failure' });
    expect(answer.refusal?.reason).toMatch(reason);
    expect(answer.refusal?.reason).not.toContain('boom');
    expect(answer.result).toMatchObject({ block: true, blockReason: answer.refusal?.reason });
    expect(answer.calls.map((each) => each.outcome)).toEqual([outcome]);
    expect(reached).toBe(false);
  });
});

describe('before_agent_run', () => {
  it('passes when no handler objects, and says which one passed it', async () => {
    const hooks = new Hooks()
      .on('before_agent_run', 'a', () => ({ outcome: 'pass' }))
      .on('before_agent_run', 'b', () => {});
    const { result, decidedBy, refusal } = await hooks.run('before_agent_run', asked, {});
    expect(result).toEqual({ outcome: 'pass' });
    expect(decidedBy?.owner).toBe('a');
    expect(refusal).toBeUndefined();
  });

  it('ends with the first block', async () => {
    const decision = { outcome: 'block', reason: 'secrets', message: 'Please rephrase.', category: 'dlp' } as const;
    const hooks = new Hooks()
      .on('before_agent_run', 'a', () => ({ outcome: 'pass' }))
      .on('before_agent_run', 'b', () => decision)
      .on('before_agent_run', 'c', throws);
    const { result, refusal, calls } = await hooks.run('before_agent_run', asked, {});
    expect(result).toEqual(decision);
    expect(refusal).toEqual({ id: 'b', owner: 'b', reason: 'secrets', cause: 'decision' });
    expect(calls).toHaveLength(2);
  });

  it.each([
    null,
    'pass',
    true,
    [],
    {},
    { outcome: 'ask' },
    { outcome: 'pass', note: 'but' },
    { outcome: 'block' },
    { outcome: 'block', reason: '  ' },
    { outcome: 'block', reason: 'r', message: '' },
    { outcome: 'block', reason: 'r', severity: 'high' },
    { outcome: 'block', reason: 'r', metadata: [1] },
    { block: true },
  ])('blocks on %j', async (answer) => {
    const hooks = new Hooks().on('before_agent_run', 'a', raw(answer));
    const { result, refusal } = await hooks.run('before_agent_run', asked, {});
    expect(result).toEqual({ outcome: 'block', reason: refusal?.reason });
    expect(refusal).toMatchObject({ owner: 'a', cause: 'failure' });
  });
});

describe('before_agent_finalize', () => {
  const event = { sessionId: 's', stopHookActive: false };

  it('asks every handler; finalize wins over revise over continue', async () => {
    const hooks = new Hooks()
      .on('before_agent_finalize', 'a', () => ({ action: 'continue', reason: 'fine' }))
      .on('before_agent_finalize', 'b', () => ({ action: 'revise', reason: 'too long' }))
      .on('before_agent_finalize', 'c', () => ({ action: 'finalize', reason: 'enough' }))
      .on('before_agent_finalize', 'd', () => ({ action: 'revise', reason: 'too short' }));
    const { result, decidedBy, calls } = await hooks.run('before_agent_finalize', event, {});
    expect(result).toEqual({ action: 'finalize', reason: 'enough' });
    expect(decidedBy?.owner).toBe('c');
    expect(calls).toHaveLength(4);
  });

  it('joins the reasons of all revisions and keeps every retry, the first in front', async () => {
    const hooks = new Hooks()
      .on('before_agent_finalize', 'a', () => ({ action: 'revise', reason: 'one', retry: { instruction: ' do ' } }))
      .on('before_agent_finalize', 'b', () => ({ action: 'revise', retry: { instruction: '  ' } }))
      .on('before_agent_finalize', 'c', () => ({ action: 'continue' }))
      .on('before_agent_finalize', 'd', () => ({
        action: 'revise',
        reason: 'two',
        retry: { instruction: 'more', idempotencyKey: 'k', maxAttempts: 2 },
      }));
    const { result } = await hooks.run('before_agent_finalize', event, {});
    const more = { instruction: 'more', idempotencyKey: 'k', maxAttempts: 2 };
    expect(result).toEqual({
      action: 'revise',
      reason: 'one\n\ntwo',
      retry: { instruction: 'do' },
      retryCandidates: [{ instruction: 'do' }, more],
    });
  });

  it('passes over nonsense', async () => {
    const hooks = new Hooks().on('before_agent_finalize', 'a', raw({ action: 'again' }));
    const { result, calls } = await hooks.run('before_agent_finalize', event, {});
    expect(result).toEqual({});
    expect(calls[0]?.outcome).toBe('invalid');
  });
});

describe('message_sending', () => {
  it('hands rewritten content on, until a handler cancels', async () => {
    const hooks = new Hooks()
      .on('message_sending', 'a', ({ content }) => ({ content: `${content} two` }))
      .on('message_sending', 'b', ({ content }) => ({ content: `${content} three`, cancel: false }));
    expect((await hooks.run('message_sending', sending, {})).result).toEqual({ content: 'one two three' });
    hooks.on('message_sending', 'c', () => ({ cancel: true, cancelReason: 'quiet hours', metadata: { until: 7 } }));
    hooks.on('message_sending', 'd', throws);
    const { result, refusal, calls } = await hooks.run('message_sending', sending, {});
    expect(result).toMatchObject({ cancel: true, cancelReason: 'quiet hours', metadata: { until: 7 } });
    expect(refusal).toEqual({ id: 'c', owner: 'c', reason: 'quiet hours', cause: 'decision' });
    expect(calls).toHaveLength(3);
  });

  it('passes over a broken handler, unless the handler is a policy', async () => {
    const hooks = new Hooks()
      .on('message_sending', 'broken', throws)
      .on('message_sending', 'next', ({ content }) => ({ content: `${content}!` }));
    expect((await hooks.run('message_sending', sending, {})).result).toEqual({ content: 'one!' });

    const strict = new Hooks().on('message_sending', 'policy', throws, { policy: true });
    const { result, refusal } = await strict.run('message_sending', sending, {});
    expect(result).toMatchObject({ cancel: true, cancelReason: refusal?.reason });
    expect(refusal).toMatchObject({ owner: 'policy', cause: 'failure' });
  });

  it('refuses the registration of a policy where a policy means nothing', () => {
    expect(() => new Hooks().on('before_prompt_build', 'a', () => {}, { policy: true })).toThrow(InvalidHandlerError);
    expect(() => new Hooks().on('before_prompt_build', 'a', () => {}, { onError: 'abort' })).toThrow(
      InvalidHandlerError,
    );
  });
});

describe('claims', () => {
  it('give the message to the first handler that claims it, and ask no handler after it', async () => {
    const hooks = new Hooks()
      .on('before_agent_reply', 'a', () => ({ handled: false, reply: { text: 'no' } }))
      .on('before_agent_reply', 'broken', throws)
      .on('before_agent_reply', 'b', () => ({ handled: true, reply: { text: 'yes' } }))
      .on('before_agent_reply', 'c', () => ({ handled: true, reply: { text: 'late' } }));
    const { result, decidedBy, calls } = await hooks.run('before_agent_reply', { cleanedBody: 'hi' }, {});
    expect(result).toEqual({ handled: true, reply: { text: 'yes' } });
    expect(decidedBy?.owner).toBe('b');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['done', 'threw', 'done']);
  });

  it('leave an outbound dispatch open to be rewritten, then stopped', async () => {
    const dispatch = { content: 'one', body: 'one', channel: 'web' };
    const hooks = new Hooks().on('before_dispatch', 'a', ({ content }) => ({ text: `${content} two` }));
    hooks.on('before_dispatch', 'b', ({ content, body }) => ({ text: `${content}|${body}` }));
    expect((await hooks.run('before_dispatch', dispatch, {})).result).toEqual({ text: 'one two|one two' });
    hooks.on('before_dispatch', 'c', () => ({ handled: true }));
    expect((await hooks.run('before_dispatch', dispatch, {})).result).toEqual({ handled: true });
  });
});

describe('hooks that take plain values only', () => {
  it('chain the message', async () => {
    const text = (each: string) => [{ type: 'text', text: each }] as const;
    const known = { role: 'toolResult', toolCallId: 'c', toolName: 'read', isError: false } as const;
    const message = { ...known, content: text('one') };
    const add = (text: string): HookHandler<'tool_result_persist'> => {
      return (event) => ({ message: { ...event.message, content: `${event.message.content[0]?.text} ${text}` } });
    };
    const hooks = new Hooks().on('tool_result_persist', 'a', add('two')).on('tool_result_persist', 'b', add('three'));
    const { result } = await hooks.run('tool_result_persist', { message }, {});
    expect(result.message).toEqual({ ...message, content: text('one two three') });
  });

  it('do not accept a promise, however it settles', async () => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', listen);
    const hooks = new Hooks()
      .on('before_message_write', 'a', raw(Promise.resolve({ block: true })))
      .on('before_message_write', 'b', raw(Promise.reject(new Error('late'))));
    const { result, calls } = await hooks.run('before_message_write', { message: user('hi') }, {});
    await sleep(5);
    process.off('unhandledRejection', listen);
    expect(result).toEqual({});
    expect(calls.map(({ outcome }) => outcome)).toEqual(['invalid', 'invalid']);
    expect(rejections).toEqual([]);
  });

  it('keep a message out, and do not let a handler replace it by another kind', async () => {
    const swaps = new Hooks().on('before_message_write', 'a', raw({ message: { role: 'assistant', content: [] } }));
    const swapped = await swaps.run('before_message_write', { message: user('hi') }, {});
    expect(swapped.result).toEqual({});
    expect(swapped.calls[0]).toMatchObject({ outcome: 'invalid', error: expect.stringContaining('user') });

    const blocks = new Hooks()
      .on('before_message_write', 'a', () => ({ message: user('ho') }))
      .on('before_message_write', 'b', () => ({ block: true, message: user('hu') }));
    const blocked = await blocks.run('before_message_write', { message: user('hi') }, {});
    expect(blocked.result).toEqual({ block: true });
    expect(blocked.refusal).toMatchObject({ owner: 'b', cause: 'decision' });
  });
});

describe('subagents and installs', () => {
  const spawning = { childSessionKey: 'c', agentId: 'main', mode: 'run', threadRequested: true } as const;

  it('refuse a child for the first error, although every handler is asked', async () => {
    const hooks = new Hooks()
      .on('subagent_spawning', 'a', () => ({ status: 'ok', threadBindingReady: true }))
      .on('subagent_spawning', 'b', () => ({ status: 'error', error: 'no thread' }))
      .on('subagent_spawning', 'c', () => ({ status: 'error', error: 'later' }));
    const { result, refusal, calls } = await hooks.run('subagent_spawning', spawning, {});
    expect(result).toEqual({ status: 'error', error: 'no thread' });
    expect(refusal).toMatchObject({ owner: 'b', reason: 'no thread' });
    expect(calls).toHaveLength(3);
  });

  it('are ready when one handler made them ready, with the first origin', async () => {
    const hooks = new Hooks()
      .on('subagent_spawning', 'a', () => ({ status: 'ok', threadBindingReady: true }))
      .on('subagent_spawning', 'b', () => ({ status: 'ok', deliveryOrigin: { channel: 'b' } }))
      .on('subagent_spawning', 'c', () => ({ status: 'ok', deliveryOrigin: { channel: 'c' } }));
    const { result } = await hooks.run('subagent_spawning', spawning, {});
    expect(result).toEqual({ status: 'ok', threadBindingReady: true, deliveryOrigin: { channel: 'b' } });
  });

  it('collect findings up to the block', async () => {
    const finding = (ruleId: string) => ({ ruleId, severity: 'warn', file: 'f', line: 1, message: 'm' }) as const;
    const hooks = new Hooks()
      .on('before_install', 'a', () => ({ findings: [finding('a')] }))
      .on('before_install', 'b', () => ({ findings: [finding('b')], block: true, blockReason: 'no' }))
      .on('before_install', 'c', () => ({ findings: [finding('c')] }));
    const event = { targetType: 'plugin', targetName: 'x', sourcePath: '/x', sourcePathKind: 'directory' } as const;
    const { result } = await hooks.run('before_install', event, {});
    expect(result).toEqual({ findings: [finding('a'), finding('b')], block: true, blockReason: 'no' });
  });
});

describe('the caller', () => {
  it('goes away: the handler is told, and the caller gets its own reason', async () => {
    const records: HookCallRecord[] = [];
    const hooks = new Hooks({ record: (record) => records.push(record) });
    const caller = new AbortController();
    let told: unknown;
    hooks.on('before_prompt_build', 'a', (_, { signal }) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      caller.abort(new Error('stopped'));
      return hangs();
    });
    hooks.on('before_prompt_build', 'b', throws);
    await expect(hooks.run('before_prompt_build', asked, {}, { signal: caller.signal })).rejects.toThrow('stopped');
    expect(told).toBe(caller.signal.reason);
    expect(records.map(({ id, outcome }) => [id, outcome])).toEqual([['a', 'aborted']]);
    await expect(hooks.run('before_prompt_build', asked, {}, { signal: caller.signal })).rejects.toThrow('stopped');
  });

  it('is not mistaken for a failing gate', async () => {
    const caller = new AbortController();
    const hooks = new Hooks().on('before_tool_call', 'a', () => {
      caller.abort(new Error('stopped'));
      return hangs();
    });
    await expect(hooks.run('before_tool_call', call, {}, { signal: caller.signal })).rejects.toThrow('stopped');
  });
});

describe('records', () => {
  it('tell of every call who, when, how it went and what it changed', async () => {
    const records: HookCallRecord[] = [];
    const hooks = new Hooks({ record: (record) => records.push(record), now: () => 1_000 })
      .on('before_tool_call', 'a', () => ({ params: { path: 'b' } }))
      .on('before_tool_call', 'b', throws);
    await hooks.run('before_tool_call', call, { runId: 'r', sessionKey: 'k' });
    expect(records).toMatchObject([
      { hook: 'before_tool_call', id: 'a', owner: 'a', at: 1_000, outcome: 'done', changed: ['params'], runId: 'r' },
      { id: 'b', outcome: 'threw', error: 'boom', changed: [], runId: 'r', sessionKey: 'k' },
    ]);
    expect(records[0]?.ms).toBeGreaterThanOrEqual(0);
  });

  it('are common to a runner and its forks, bootstrap calls included', async () => {
    const records: HookCallRecord[] = [];
    const fork = new Hooks({ record: (record) => records.push(record) }).fork();
    fork.register({ hook: 'agent:bootstrap', id: 'a', owner: 'a', handler: () => {} });
    await fork.chain('agent:bootstrap', 1, (_, value) => value + 1, { runId: 'r' });
    expect(records).toMatchObject([{ hook: 'agent:bootstrap', id: 'a', changed: ['bootstrapFiles'], runId: 'r' }]);
  });

  it('are left out on demand, and a sink that throws disturbs no call', async () => {
    let told = 0;
    const hooks = new Hooks({
      record: () => {
        told += 1;
        throw new Error('disk full');
      },
    }).on('before_prompt_build', 'a', () => ({ appendContext: 'x' }));
    expect((await hooks.run('before_prompt_build', asked, {})).result).toEqual({ appendContext: 'x' });
    await hooks.run('before_prompt_build', asked, {}, { record: false });
    expect(told).toBe(1);
  });
});
