import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { PluginGoneError } from '../errors.ts';
import type { AnyFunction } from './crossing-value.ts';
import { Wire } from './wire.ts';

const open: Wire[] = [];

afterEach(() => {
  for (const wire of open.splice(0)) wire.end(() => new PluginGoneError({ pluginId: 'p' }));
});

function wires(root: AnyFunction, maxCalls = 100): { near: Wire; far: Wire } {
  const { port1, port2 } = new MessageChannel();
  const common = { pluginId: 'p', maxBytes: 1024 * 1024, maxCalls };
  const near = new Wire({ ...common, port: port1 });
  const far = new Wire({ ...common, port: port2, root });
  open.push(near, far);
  return { near, far };
}

it('calls there, and calls back', async () => {
  const { near } = wires(async (name, shout) => `${await (shout as AnyFunction)(name)}!`);
  expect(await near.callRoot(['ana', (name: unknown) => String(name).toUpperCase()])).toBe('ANA!');
});

it('rejects with what was thrown, an error or not', async () => {
  const { near } = wires((what) => {
    throw what === 'text' ? 'plain' : new RangeError('far');
  });
  await expect(near.callRoot(['text'])).rejects.toBe('plain');
  await expect(near.callRoot([])).rejects.toMatchObject({ name: 'RangeError', message: 'far' });
});

it('says what cannot cross, on the way there and back', async () => {
  const { near } = wires(() => ({ later: Promise.resolve() }));
  await expect(near.callRoot([Symbol('x')])).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_CROSSING' });
  await expect(near.callRoot([])).rejects.toThrow('later is a promise');
});

it('aborts over there, with the reason, and forgets the signal with the call', async () => {
  const { near } = wires((signal) => {
    return new Promise((resolve) => {
      (signal as AbortSignal).addEventListener('abort', () => resolve(String((signal as AbortSignal).reason)));
    });
  });
  const controller = new AbortController();
  const asked = near.callRoot([controller.signal]);
  controller.abort(new Error('too late'));
  expect(await asked).toContain('too late');
});

it('lets no more than so many calls wait', async () => {
  const { near } = wires(() => new Promise(() => {}), 3);
  const waiting = [1, 2, 3].map(() => near.callRoot([]));
  for (const each of waiting) each.catch(() => {});
  await expect(near.callRoot([])).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_REFUSED' });
});

it('ends with a reason for every call that waits, and for those that come', async () => {
  const { near } = wires(() => new Promise(() => {}));
  const asked = near.named('its hook x', () => near.callRoot([]));
  near.end((call) => new Error(call ? `${call.label} was lost` : 'over'));
  near.end(() => new Error('never'));
  await expect(asked).rejects.toThrow('its hook x was lost');
  await expect(near.callRoot([])).rejects.toThrow('over');
});

it('lets go of functions that nobody holds any more', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { near, far } = wires(() => ({ call: () => 1 }));
  for (let round = 0; round < 50; round += 1) await near.callRoot([]);
  expect(far.held).toBeGreaterThan(50);
  for (let round = 0; round < 100 && far.held > 1; round += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // What it began with stays.
  expect(far.held).toBeLessThan(5);
});

it('is not harmed by messages that nobody sends', async () => {
  const { port1, port2 } = new MessageChannel();
  const near = new Wire({ pluginId: 'p', maxBytes: 1024, maxCalls: 10, port: port1, root: () => 'fine' });
  open.push(near);
  const answers = [1, 2, 3].map(() => near.callRoot([]));
  const odd = { value: null, marks: [{ path: [], as: 'error' }] };
  const forged = [
    ...[null, 7, {}, { type: 'call' }, { type: 'tell', handle: 0 }, { type: 'abort', signal: 1 }],
    { type: 'call', call: 99, handle: 0, args: { value: 5 } },
    { type: 'failure', call: 2, thrown: odd },
    { type: 'answer', call: 1 },
    { type: 'answer', call: 3, value: { value: 1, marks: 5 } },
  ];
  for (const message of forged) port2.postMessage(message);
  const settled = await Promise.allSettled(answers);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await new Wire({ pluginId: 'p', maxBytes: 1024, maxCalls: 10, port: port2 }).callRoot([])).toBe('fine');
});

it('leaves nothing behind when a function of the other side fails and nobody waits for it', async () => {
  const { near } = wires(() => ({
    fail: () => {
      throw new Error('far');
    },
  }));
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const { fail } = (await near.callRoot([])) as { fail: AnyFunction };
  void fail();
  await expect(fail()).rejects.toThrow('far');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
