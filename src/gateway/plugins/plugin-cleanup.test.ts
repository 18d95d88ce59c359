import { describe, expect, it } from 'vitest';
import type { CleanupReason, PluginRegistration } from '../../plugins/registration.ts';
import type { LiveEvent, SessionEndReason } from '../../protocol/live-event.ts';
import { storeForEachTest } from '../../testkit/for-each-test.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { PluginCleanup } from './plugin-cleanup.ts';

const KEY = 'agent:main:main';
const scratch = storeForEachTest();

function setUp(registrations: readonly PluginRegistration[]) {
  const registry = registryOf({ id: 'board', registrations });
  const warnings: string[] = [];
  const warn = (sentence: string) => warnings.push(sentence);
  const cleanup = new PluginCleanup({ registry, store: scratch.store, warn, timeoutMs: 20 });
  const listeners = new Set<(event: LiveEvent) => void>();
  const close = cleanup.open((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  });
  const ends = async (reason: SessionEndReason) => {
    const event: LiveEvent = { type: 'session-end', runId: '', sessionKey: KEY, at: 1, sessionId: 's1', reason };
    for (const listener of listeners) listener(event);
    await cleanup.settle();
  };
  return { registry, cleanup, warnings, ends, close, listeners };
}

function noting(calls: unknown[]): PluginRegistration[] {
  const cleanup = (about: { reason: CleanupReason }) => void calls.push(about);
  return [
    { kind: 'session-extension', namespace: 'cards', description: 'cards', cleanup },
    { kind: 'lifecycle', id: 'jobs', cleanup },
    { kind: 'lifecycle', id: 'nothing' },
  ];
}

async function keep(...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const state = { sessionKey: KEY, pluginId: id, namespace: 'cards', value: 1, updatedAt: 1 };
    const times = { createdAt: 1, expiresAt: null, status: 'queued', runId: null, idempotencyKey: null } as const;
    const injection = {
      id: `inj_${id}`,
      owner: id,
      sessionKey: KEY,
      placement: 'prepend',
      text: 'x',
      ...times,
    } as const;
    await scratch.store.commit(
      [
        { insert: 'pluginState', row: state },
        { insert: 'injections', row: injection },
      ],
      { site: 'plugin-state' },
    );
  }
}

async function kept(): Promise<unknown> {
  const state = await scratch.store.select('pluginState', { orderBy: [['pluginId', 'asc']] });
  const injections = await scratch.store.select('injections', { orderBy: [['owner', 'asc']] });
  return { state: state.map(({ pluginId }) => pluginId), injections: injections.map(({ owner }) => owner) };
}

describe('plugins let go', () => {
  it('of one session when somebody started it over, and not when its time was over', async () => {
    const calls: unknown[] = [];
    const { ends, cleanup, close, listeners } = setUp(noting(calls));
    await ends('idle');
    await ends('daily');
    expect(calls).toEqual([]);
    await ends('new');
    expect(calls).toEqual(Array.from({ length: 2 }, () => ({ reason: 'reset', sessionKey: KEY })));
    await cleanup.releaseSession(KEY, 'delete');
    expect(calls.slice(2)).toEqual(Array.from({ length: 2 }, () => ({ reason: 'delete', sessionKey: KEY })));
    close();
    expect(listeners.size).toBe(0);
  });

  it('of everything when they are disabled, and what was kept for them goes', async () => {
    const calls: unknown[] = [];
    const { registry } = setUp(noting(calls));
    await keep('board', 'other');
    await registry.unload('board', 'disable');
    expect(calls).toEqual([{ reason: 'disable' }, { reason: 'disable' }]);
    expect(await kept()).toEqual({ state: ['other'], injections: ['other'] });
  });

  it('when they are loaded again, and what was kept for them stays', async () => {
    const calls: unknown[] = [];
    const { registry } = setUp(noting(calls));
    await keep('board');
    await registry.load({ id: 'board', registrations: [] });
    expect(calls).toEqual([{ reason: 'restart' }, { reason: 'restart' }]);
    expect(await kept()).toEqual({ state: ['board'], injections: ['board'] });
  });

  it('even when one of them fails or never ends, and the operator hears which', async () => {
    const calls: unknown[] = [];
    const { registry, warnings } = setUp([
      { kind: 'lifecycle', id: 'hangs', cleanup: () => new Promise(() => {}) },
      { kind: 'lifecycle', id: 'throws', cleanup: () => Promise.reject(new Error('not now')) },
      ...noting(calls),
    ]);
    await keep('board');
    await registry.unload('board', 'disable');
    expect(calls).toHaveLength(2);
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/"board" could not clean up hangs \(disable\): .* within 20 ms/),
      expect.stringMatching(/"board" could not clean up throws \(disable\): not now/),
    ]);
    expect(await kept()).toEqual({ state: [], injections: [] });
  });
});

it('what was kept for plugins that were disabled or removed meanwhile goes at the next start', async () => {
  const { cleanup } = setUp([]);
  await keep('disabled', 'failed', 'loaded', 'removed');
  await cleanup.forgetDisabled([
    { id: 'disabled', state: 'disabled' },
    { id: 'failed', state: 'failed' },
    { id: 'loaded', state: 'loaded' },
  ]);
  expect(await kept()).toEqual({ state: ['failed', 'loaded'], injections: ['failed', 'loaded'] });
});
