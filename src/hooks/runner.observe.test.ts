import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { gate } from '../testkit/gate.ts';
import { on } from '../testkit/on.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import type { HookContext } from './hook-context.ts';
import { hookMessageOf } from './hook-message.ts';
import { MAX_WAITING } from './observer-queue.ts';
import { HookRunner } from './runner.ts';

const received = (content: string) => ({ from: 'ana', content });
const session = (sessionKey: string) => ({ sessionKey });

describe('observing', () => {
  it('does not hold up the run, and happens all the same', async () => {
    const hooks = new HookRunner();
    const seen: string[] = [];
    on(hooks, 'message_received', 'a', ({ content }) => seen.push(content));
    hooks.observe('message_received', received('hi'), {});
    expect(seen).toEqual([]);
    expect(await hooks.drain(1_000)).toBe(0);
    expect(seen).toEqual(['hi']);
  });

  it('is waited for by a drain from the moment in which it was announced', async () => {
    const hooks = new HookRunner();
    const seen: string[] = [];
    on(hooks, 'message_received', 'a', ({ content }) => seen.push(content));
    const isTold = hooks.expectObservation();
    expect(await hooks.drain(10)).toBe(1);
    const drained = hooks.drain(5_000);
    hooks.observe('message_received', received('hi'), {});
    isTold();
    expect(await drained).toBe(0);
    expect(seen).toEqual(['hi']);
  });

  it('shows a frozen snapshot of what it was then', async () => {
    const hooks = new HookRunner();
    const seen: unknown[] = [];
    on(hooks, 'agent_end', 'a', ({ messages }) => {
      seen.push(structuredClone(messages));
      (messages as unknown[]).push('spoilt');
    });
    on(hooks, 'agent_end', 'b', ({ messages }) => seen.push([...messages]));
    const messages = [hookMessageOf({ role: 'user', content: 'hi' })];
    hooks.observe('agent_end', { messages, success: true }, {});
    messages.push(hookMessageOf({ role: 'user', content: 'later' }));
    await hooks.drain(1_000);
    const hi = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    expect(seen).toEqual([hi, hi]);
  });

  it('keeps the order within a session, across hooks, and lets other sessions and observers go on', async () => {
    const hooks = new HookRunner();
    const { opened, open } = gate();
    const slow: string[] = [];
    const fast: string[] = [];
    const follow = async (hook: string, { sessionKey }: HookContext) => {
      slow.push(`${sessionKey} ${hook}`);
      if (sessionKey === 'one' && hook === 'message_received') await opened;
    };
    const owner = 'slow';
    on(hooks, 'message_received', { owner, id: 'a' }, (_, context) => follow('message_received', context));
    on(hooks, 'session_start', { owner, id: 'b' }, (_, context) => follow('session_start', context));
    on(hooks, 'session_start', 'fast', (_, { sessionKey }) => fast.push(`${sessionKey} session_start`));
    hooks.observe('message_received', received('hi'), session('one'));
    hooks.observe('session_start', { sessionId: 's' }, session('one'));
    hooks.observe('message_received', received('hi'), session('two'));
    expect(await hooks.drain(50)).toBe(2);
    expect(slow).toEqual(['one message_received', 'two message_received']);
    expect(fast).toContain('one session_start');
    open();
    expect(await hooks.drain(1_000)).toBe(0);
    expect(slow).toEqual(['one message_received', 'two message_received', 'one session_start']);
  });

  it('starts observers by priority', async () => {
    const hooks = new HookRunner();
    const order: string[] = [];
    for (const [id, priority] of [
      ['low', -3],
      ['middle', 0],
      ['high', 3],
    ] as const) {
      on(hooks, 'gateway_start', { owner: id, priority }, () => order.push(id));
    }
    await hooks.observeAndWait('gateway_start', { port: 1 }, {});
    expect(order).toEqual(['high', 'middle', 'low']);
  });

  it('records failures and deadlines and goes on', async () => {
    const records: HookCallRecord[] = [];
    const hooks = new HookRunner({ record: (record) => records.push(record) });
    const add = (id: string, handler: () => unknown) =>
      on(hooks, 'message_sent', { owner: 'a', id, timeoutMs: 10 }, handler);
    add('throws', () => {
      throw new Error('boom');
    });
    add('hangs', () => new Promise(() => {}));
    add('works', () => 'ignored');
    hooks.observe('message_sent', { to: 'ana', content: 'hi', success: true }, { sessionKey: 'k', runId: 'r' });
    expect(await hooks.drain(1_000)).toBe(0);
    expect(records.map(({ id, outcome, runId }) => [id, outcome, runId])).toEqual([
      ['throws', 'threw', 'r'],
      ['hangs', 'timed-out', 'r'],
      ['works', 'done', 'r'],
    ]);
  });

  it('drops what an observer is too slow for, says so, and spares the others', async () => {
    const records: HookCallRecord[] = [];
    const hooks = new HookRunner({ record: (record) => records.push(record) });
    const { opened, open } = gate();
    let told = 0;
    on(hooks, 'message_received', 'stuck', () => opened);
    on(hooks, 'message_received', 'fine', () => ++told);
    for (let index = 0; index < MAX_WAITING; index++) hooks.observe('message_received', received('hi'), session('k'));
    await vi.waitFor(() => expect(told).toBe(MAX_WAITING));
    hooks.observe('message_received', received('one too many'), session('k'));
    const dropped = records.filter(({ outcome }) => outcome === 'dropped');
    expect(dropped).toMatchObject([{ id: 'stuck', owner: 'stuck', sessionKey: 'k' }]);
    open();
    expect(await hooks.drain(5_000)).toBe(0);
    expect(told).toBe(MAX_WAITING + 1);
  });
});

describe('observers that are waited for', () => {
  it('are told after what came before them', async () => {
    const hooks = new HookRunner();
    const order: string[] = [];
    on(hooks, 'agent_end', { owner: 'a', id: 'end' }, async () => {
      await sleep(10);
      order.push('agent_end');
    });
    on(hooks, 'session_end', { owner: 'a', id: 'session' }, () => order.push('session_end'));
    hooks.observe('agent_end', { messages: [], success: true }, session('k'));
    const calls = await hooks.observeAndWait('session_end', { sessionId: 's', messageCount: 0 }, session('k'));
    expect(order).toEqual(['agent_end', 'session_end']);
    expect(calls).toMatchObject([{ id: 'session', outcome: 'done' }]);
  });

  it('are waited for no longer than their deadline', async () => {
    const hooks = new HookRunner();
    on(hooks, 'gateway_stop', { owner: 'a', timeoutMs: 20 }, () => new Promise(() => {}));
    const { opened, open } = gate();
    on(hooks, 'message_sent', 'b', () => opened);
    on(hooks, 'gateway_stop', { owner: 'b', timeoutMs: 20 }, () => {});
    hooks.observe('message_sent', { to: 'a', content: '', success: true }, {});
    const calls = await hooks.observeAndWait('gateway_stop', {}, {});
    expect(calls.filter(({ outcome }) => outcome === 'done')).toEqual([]);
    open();
    expect(await hooks.drain(1_000)).toBe(0);
  });

  it('are waited for longer while others keep them from working', async () => {
    const hooks = new HookRunner();
    const slow = () => new Promise<void>((done) => setTimeout(done, 1_500));
    on(hooks, 'gateway_start', { owner: 'a', timeoutMs: 1_000, isHeldUp: () => true }, slow);
    expect(await hooks.observeAndWait('gateway_start', { port: 1 }, {})).toMatchObject([{ outcome: 'done' }]);
  });

  it('take no time when there are none', async () => {
    const hooks = new HookRunner();
    expect(await hooks.observeAndWait('gateway_stop', {}, {})).toEqual([]);
    expect(await hooks.drain(1_000)).toBe(0);
  });

  it('leave no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const hooks = new HookRunner();
    on(hooks, 'gateway_start', 'a', async () => {});
    await hooks.observeAndWait('gateway_start', { port: 1 }, {});
    expect(timers()).toBe(before);
  });
});
