import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InvalidHandlerResult } from '../protocol/handler.ts';
import { gate } from '../testkit/gate.ts';
import type { HookName } from './catalog.ts';
import { DuplicateHandlerError, HandlerAbortError, UnknownHookError } from './errors.ts';
import { type HandlerRegistration, HookRunner } from './runner.ts';

type Step = (value: string, signal: () => AbortSignal) => unknown;

/** Values are texts here; each handler appends to the text of the one before it. */
function runnerOf(handlers: Record<string, Step>, options: Partial<HandlerRegistration<Step>> = {}): HookRunner<Step> {
  const runner = new HookRunner<Step>();
  for (const [id, handler] of Object.entries(handlers))
    runner.register({ hook: 'agent:bootstrap', owner: 'test', id, handler, ...options });
  return runner;
}

function chain(runner: HookRunner<Step>, initial = '') {
  return runner.chain<string>(
    'agent:bootstrap',
    initial,
    (registered, value, deadline) => registered.handler(value, () => deadline.signal) as string | Promise<string>,
  );
}

const ids = (runner: HookRunner<Step>) => runner.list('agent:bootstrap').map(({ id }) => id);
const nothing: Step = (value) => value;

describe('registering', () => {
  it('fills in the defaults of the catalog', () => {
    const [registered] = runnerOf({ a: nothing }).list('agent:bootstrap');
    expect(registered).toMatchObject({ priority: 100, onError: 'skip', timeoutMs: 5_000, authorship: 'handler' });
  });

  it('returns its undo, which takes out this handler and no later one of the same id', () => {
    const runner = new HookRunner<Step>();
    const registration = { hook: 'agent:bootstrap', owner: 'test', id: 'a', handler: nothing } as const;
    const undo = runner.register(registration);
    undo();
    expect(ids(runner)).toEqual([]);
    runner.register(registration);
    undo();
    expect(ids(runner)).toEqual(['a']);
  });

  it('refuses a second handler of the same id and says whose the first is', () => {
    const runner = runnerOf({ a: nothing });
    const again = () => runner.register({ hook: 'agent:bootstrap', owner: 'other', id: 'a', handler: nothing });
    expect(again).toThrow(DuplicateHandlerError);
    expect(again).toThrow(/by test/);
    expect(ids(runner)).toEqual(['a']);
  });

  it('refuses a hook that is not in the catalog, with the likely name', () => {
    const register = () =>
      new HookRunner<Step>().register({ hook: 'agent:bootstrp' as HookName, owner: 't', id: 'a', handler: nothing });
    expect(register).toThrow(UnknownHookError);
    expect(register).toThrow('agent:bootstrap');
  });

  it('orders by priority, lowest first, and by registration among equals', () => {
    const runner = new HookRunner<Step>();
    const add = (id: string, priority?: number) =>
      runner.register({ hook: 'agent:bootstrap', owner: 'test', id, handler: nothing, priority });
    add('default');
    add('late', 200);
    add('early', 10);
    add('default too');
    add('late too', 200);
    add('negative', -1);
    expect(ids(runner)).toEqual(['negative', 'early', 'default', 'default too', 'late', 'late too']);
  });

  it('lets a handler that keeps its place come back to it', () => {
    const runner = new HookRunner<Step>();
    const add = (id: string, keepsPlace?: boolean) =>
      runner.register({ hook: 'agent:bootstrap', owner: 'test', id, handler: nothing, keepsPlace });
    const undo = add('a', true);
    const other = add('b');
    add('c', true);
    const fork = runner.fork();
    undo();
    other();
    add('b');
    add('a', true);
    expect(ids(runner)).toEqual(['a', 'c', 'b']);
    fork.unregister('agent:bootstrap', 'a');
    fork.register({ hook: 'agent:bootstrap', owner: 'test', id: 'a', handler: nothing, keepsPlace: true });
    expect(ids(fork)).toEqual(['a', 'b', 'c']);
  });

  it('takes handlers out by id and says whether there was one', () => {
    const runner = runnerOf({ a: nothing, b: nothing });
    expect(runner.unregister('agent:bootstrap', 'a')).toBe(true);
    expect(runner.unregister('agent:bootstrap', 'a')).toBe(false);
    expect(ids(runner)).toEqual(['b']);
  });

  it('never changes a list that a caller is reading', () => {
    const runner = runnerOf({ a: nothing });
    const before = runner.list('agent:bootstrap');
    runner.register({ hook: 'agent:bootstrap', owner: 'test', id: 'b', handler: nothing });
    runner.unregister('agent:bootstrap', 'a');
    expect(before.map(({ id }) => id)).toEqual(['a']);
    expect(runner.list('agent:bootstrap')).toBe(runner.list('agent:bootstrap'));
  });

  it('forks into a runner that goes its own way', () => {
    const runner = runnerOf({ a: nothing });
    const fork = runner.fork();
    fork.register({ hook: 'agent:bootstrap', owner: 'test', id: 'b', handler: nothing });
    runner.unregister('agent:bootstrap', 'a');
    expect(ids(fork)).toEqual(['a', 'b']);
    expect(ids(runner)).toEqual([]);
  });
});

describe('a chain', () => {
  it('gives each handler what the one before it left, and records every call', async () => {
    const runner = runnerOf({ a: (value) => `${value}a`, b: async (value) => `${value}b` });
    const { value, calls } = await chain(runner, '-');
    expect(value).toBe('-ab');
    expect(calls).toMatchObject([
      { hook: 'agent:bootstrap', id: 'a', owner: 'test', outcome: 'done' },
      { id: 'b', outcome: 'done' },
    ]);
    for (const { ms } of calls) expect(ms).toBeGreaterThanOrEqual(0);
  });

  it('waits for a slow handler before the next one begins', async () => {
    const order: string[] = [];
    const runner = runnerOf({
      slow: async (value) => {
        await sleep(15);
        order.push('slow');
        return value;
      },
      fast: (value) => {
        order.push('fast');
        return value;
      },
    });
    const { calls } = await chain(runner);
    expect(order).toEqual(['slow', 'fast']);
    expect(calls[0]?.ms).toBeGreaterThan(10);
  });

  it('is not disturbed by a handler that registers or removes others on the way', async () => {
    const runner: HookRunner<Step> = runnerOf({
      a: (value) => {
        runner.unregister('agent:bootstrap', 'b');
        runner.register({ hook: 'agent:bootstrap', owner: 'test', id: 'c', handler: (v) => `${v}c` });
        return `${value}a`;
      },
      b: (value) => `${value}b`,
    });
    expect((await chain(runner)).value).toBe('ab');
    expect((await chain(runnerOf({}))).value).toBe('');
  });
});

describe('a handler that fails', () => {
  const broken: Record<string, [Step, string, string | RegExp]> = {
    throws: [() => fail(new Error('boom')), 'threw', 'boom'],
    rejects: [() => Promise.reject(new Error('boom')), 'threw', 'boom'],
    'throws null': [() => fail(null), 'threw', 'null'],
    'throws nothing': [() => fail(undefined), 'threw', 'undefined'],
    'throws a text': [() => fail('just text'), 'threw', 'just text'],
    'throws a symbol': [() => fail(Symbol('odd')), 'threw', 'Symbol(odd)'],
    'throws an object without a prototype': [() => fail(Object.create(null)), 'threw', 'an error that cannot be shown'],
    'throws what cannot be turned into text': [
      () =>
        fail({
          toString() {
            throw new Error('no');
          },
        }),
      'threw',
      'an error that cannot be shown',
    ],
    'throws an error whose message is no text': [
      () => fail(Object.assign(new Error(), { message: 42 })),
      'threw',
      '42',
    ],
    'throws an error whose message throws': [
      () =>
        fail(
          Object.defineProperty(new Error(), 'message', {
            get() {
              throw new Error('no');
            },
          }),
        ),
      'threw',
      'an error that cannot be shown',
    ],
    'throws something that may not be looked at': [
      () =>
        fail(
          new Proxy(
            {},
            {
              getPrototypeOf() {
                throw new Error('no');
              },
            },
          ),
        ),
      'threw',
      'an error that cannot be shown',
    ],
    'throws several lines with control characters': [
      () => fail(new Error('a\nb\u001b[31mc\u009bd')),
      'threw',
      'a bc d',
    ],
    'leaves nonsense': [() => fail(new InvalidHandlerResult('no list')), 'invalid', 'no list'],
    'never settles': [() => new Promise(() => {}), 'timed-out', /timed out after 30ms/],
    // biome-ignore lint/suspicious/noThenProperty: the point of the test
    'returns a thenable that never settles': [() => ({ then: () => {} }), 'timed-out', /timed out/],
    'returns a thenable that throws': [
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: the point of the test
        then() {
          throw new Error('then threw');
        },
      }),
      'threw',
      'then threw',
    ],
  };

  it.each(Object.entries(broken))('%s: is recorded, its change dropped, and the others go on', async (_, row) => {
    const [handler, outcome, error] = row;
    const runner = new HookRunner<Step>();
    const add = (id: string, step: Step) =>
      runner.register({ hook: 'agent:bootstrap', owner: 'test', id, handler: step, timeoutMs: 30 });
    add('before', (value) => `${value}1`);
    add('broken', handler);
    add('after', (value) => `${value}2`);
    const { value, calls } = await chain(runner);
    expect(value).toBe('12');
    expect(calls.map((call) => call.outcome)).toEqual(['done', outcome, 'done']);
    expect(calls[1]?.error).toMatch(error);
  });

  it('gets at most 500 characters for its words', async () => {
    const { calls } = await chain(runnerOf({ chatty: () => fail(new Error('x'.repeat(10_000))) }));
    expect(calls[0]?.error).toHaveLength(500);
  });

  it('fails the whole chain when it is set to abort, and the cause is kept', async () => {
    const cause = new Error('boom');
    let reached = false;
    const runner = runnerOf({ broken: () => fail(cause) }, { onError: 'abort' });
    runner.register({
      hook: 'agent:bootstrap',
      owner: 'test',
      id: 'next',
      handler: (value) => {
        reached = true;
        return value;
      },
    });
    const failure = await chain(runner).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HandlerAbortError);
    expect(failure).toMatchObject({ id: 'broken', reason: 'boom', cause });
    expect(reached).toBe(false);
  });

  it('aborts on a deadline and on nonsense as well', async () => {
    const hangs = runnerOf({ hangs: () => new Promise(() => {}) }, { onError: 'abort', timeoutMs: 10 });
    await expect(chain(hangs)).rejects.toThrow(/timed out after 10ms/);
    const odd = runnerOf({ odd: () => fail(new InvalidHandlerResult('no list')) }, { onError: 'abort' });
    await expect(chain(odd)).rejects.toThrow(/no list/);
  });
});

describe('a deadline', () => {
  it('drops what comes late, also when it is a rejection', async () => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', listen);
    const { opened, open } = gate();
    const late = (settle: () => unknown): Step => {
      return async () => {
        await opened;
        return settle();
      };
    };
    const runner = runnerOf(
      { text: late(() => 'late'), failure: late(() => fail(new Error('late'))) },
      { timeoutMs: 5 },
    );
    const { value, calls } = await chain(runner, 'kept');
    open();
    await sleep(20);
    process.off('unhandledRejection', listen);
    expect(value).toBe('kept');
    expect(calls.map((call) => call.outcome)).toEqual(['timed-out', 'timed-out']);
    expect(rejections).toEqual([]);
  });

  it('fires the abort signal, for handlers that ask for it in time', async () => {
    let aborted: unknown;
    const runner = runnerOf(
      {
        listens: (_, signal) =>
          new Promise(() => {
            signal().addEventListener('abort', (event) => {
              aborted = (event.target as AbortSignal).reason;
            });
          }),
      },
      { timeoutMs: 10 },
    );
    await chain(runner);
    expect(String(aborted)).toContain('timed out after 10ms');
  });

  it('shows an aborted signal to a handler that asks too late, and an open one before', async () => {
    let early: boolean | undefined;
    let late: boolean | undefined;
    const runner = runnerOf(
      {
        asks: async (value, signal) => {
          early = signal().aborted;
          await sleep(20);
          late = signal().aborted;
          return value;
        },
      },
      { timeoutMs: 5 },
    );
    await chain(runner);
    await sleep(30);
    expect([early, late]).toEqual([false, true]);
  });

  it('counts the time of a handler that never pauses, too', async () => {
    const spin: Step = (value) => {
      const end = performance.now() + 15;
      while (performance.now() < end);
      return `${value}spun`;
    };
    const runner = runnerOf(
      { spin, spinThenAnswer: async (value) => spin(value, () => fail(new Error())) },
      { timeoutMs: 5 },
    );
    const { value, calls } = await chain(runner);
    expect(value).toBe('');
    expect(calls.map((call) => call.outcome)).toEqual(['timed-out', 'timed-out']);
  });

  it('may be longer than the longest timer', async () => {
    const slow: Step = async (value) => {
      await sleep(10);
      return `${value}done`;
    };
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 40])
      expect((await chain(runnerOf({ slow }, { timeoutMs }))).value).toBe('done');
  });

  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await chain(runnerOf({ a: async (value) => value, b: () => Promise.reject(new Error()) }, { timeoutMs: 60_000 }));
    expect(timers()).toBe(before);
  });
});

describe('a thenable', () => {
  it('counts once, however often it settles', async () => {
    const twice: Step = (value) => ({
      // biome-ignore lint/suspicious/noThenProperty: the point of the test
      then(resolve: (text: string) => void, reject: (error: unknown) => void) {
        resolve(`${value}first`);
        resolve(`${value}second`);
        reject(new Error('third'));
      },
    });
    const { value, calls } = await chain(runnerOf({ twice }));
    expect(value).toBe('first');
    expect(calls).toMatchObject([{ outcome: 'done' }]);
  });
});

it('runs two chains at once without mixing their values', async () => {
  const runner = runnerOf({
    a: async (value) => {
      await sleep(value === 'x' ? 20 : 1);
      return `${value}a`;
    },
    b: (value) => `${value}b`,
  });
  const [x, y] = await Promise.all([chain(runner, 'x'), chain(runner, 'y')]);
  expect([x.value, y.value]).toEqual(['xab', 'yab']);
});

function fail(reason: unknown): never {
  throw reason;
}
