import { describe, expect, it } from 'vitest';
import type { PluginRegistration } from '../../plugins/registration.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { SessionRow } from '../../store/tables.ts';
import { storeForEachTest } from '../../testkit/for-each-test.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { SessionExtensions } from './session-extensions.ts';

type Extension = Extract<PluginRegistration, { kind: 'session-extension' }>;

const KEY = 'agent:main:main';
const scratch = storeForEachTest();

function extension(namespace: string, project?: Extension['project']): PluginRegistration {
  return { kind: 'session-extension', namespace, description: namespace, project };
}

function extensionsOf(...registrations: readonly PluginRegistration[]) {
  const warnings: string[] = [];
  const registry = registryOf({ id: 'board', registrations });
  const warn = (sentence: string) => warnings.push(sentence);
  const extensions = new SessionExtensions({ registry, store: scratch.store, now: () => 1, warn });
  const patch = (value: unknown, more: object = {}) =>
    extensions.patch('board', { sessionKey: KEY, namespace: 'cards', value: value as JsonValue, ...more });
  return { registry, extensions, patch, warnings };
}

function session(row: Partial<SessionRow> = {}): SessionRow {
  const times = { startedAt: 1, activeAt: 1, endedAt: null, endReason: null };
  return {
    sessionId: 's1',
    sessionKey: KEY,
    agentId: 'main',
    surface: null,
    resumedFrom: null,
    endToTell: false,
    title: null,
    archivedAt: null,
    seenAt: null,
    branchOf: null,
    branchAt: null,
    state: {},
    ...times,
    ...row,
  };
}

describe('what a plugin keeps for a session', () => {
  it('is read back, replaced and removed, and is nobody else’s', async () => {
    const { extensions, patch } = extensionsOf(extension('cards'));
    const place = { sessionKey: KEY, namespace: 'cards' };
    expect(await extensions.read('board', place)).toBeUndefined();
    expect(await patch({ open: [1, null] })).toEqual({ open: [1, null] });
    expect(await extensions.read('board', place)).toEqual({ open: [1, null] });
    expect(await patch(null)).toBeNull();
    expect(await extensions.read('board', place)).toBeNull();
    expect(await extensions.read('other', place)).toBeUndefined();
    expect(await extensions.read('board', { ...place, sessionKey: 'agent:main:other' })).toBeUndefined();
    expect(await patch(undefined, { unset: true })).toBeUndefined();
    expect(await scratch.store.count('pluginState')).toBe(0);
    expect(scratch.store.commits['plugin-state']).toBe(3);
  });

  it.each([
    ['a namespace that it did not register', 1, { namespace: 'cads' }, /no session extension "cads"; it has cards/],
    ['a key that is none', 1, { sessionKey: 'hello' }, /"hello" is no session key/],
    ['neither a value nor unset', undefined, {}, /neither a value/],
    ['both', 1, { unset: true }, /at once/],
    ['a function', { run: () => 1 }, {}, /is no JSON value/],
    ['a date', new Date(0), {}, /is no JSON value/],
    ['a number that is none', { a: Number.NaN }, {}, /is no JSON value/],
    ['too much', 'x'.repeat(65_536), {}, /65538 bytes/],
    ['too many parts', Array.from({ length: 20_000 }, () => 1), {}, /more than 16384 parts/],
  ])('is refused when it is %s', async (_, value, more, problem) => {
    const { patch } = extensionsOf(extension('cards'));
    await expect(patch(value, more)).rejects.toMatchObject({
      code: 'ATRIUM_PLUGIN_REFUSED',
      message: expect.stringMatching(problem),
    });
    expect(await scratch.store.count('pluginState')).toBe(0);
  });

  it('is refused when it goes round in circles', async () => {
    const { patch } = extensionsOf(extension('cards'));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    await expect(patch(circle)).rejects.toThrow(/nested more than 64 deep/);
  });
});

describe('session rows', () => {
  it('show what is kept, as its plugin wants it shown', async () => {
    const { extensions, patch } = extensionsOf(
      extension('cards', ({ state }) => ({ count: (state as number[]).length })),
      extension('raw'),
      extension('hidden', () => undefined),
    );
    await patch([1, 2]);
    await patch('as it is', { namespace: 'raw' });
    await patch(1, { namespace: 'hidden' });
    const ended = session({ sessionId: 's0', endedAt: 1 });
    const other = session({ sessionId: 's2', sessionKey: 'agent:main:other' });
    expect((await extensions.show([session(), ended, other])).map(({ pluginExtensions }) => pluginExtensions)).toEqual([
      [
        { pluginId: 'board', namespace: 'cards', value: { count: 2 } },
        { pluginId: 'board', namespace: 'raw', value: 'as it is' },
      ],
      [],
      [],
    ]);
  });

  it('leave out what cannot be shown, and the operator is told once', async () => {
    const { extensions, patch, warnings, registry } = extensionsOf(
      extension('cards', () => {
        throw new Error('no cards today');
      }),
      extension('slow', () => new Promise(() => {})),
      extension('raw'),
    );
    await patch(1);
    await patch(1, { namespace: 'slow' });
    await patch(1, { namespace: 'raw' });
    const shown = async () =>
      (await extensions.show([session()]))[0]?.pluginExtensions.map(({ namespace }) => namespace);
    expect(await shown()).toEqual(['raw']);
    expect(await shown()).toEqual(['raw']);
    expect(warnings).toEqual([
      expect.stringMatching(/"board" keeps as cards is left out of session rows: no cards today/),
      expect.stringMatching(/keeps as slow .* did not answer within 500 ms/),
    ]);
    await registry.unload('board', 'restart');
    expect(await shown()).toEqual([]);
    expect(await scratch.store.count('pluginState')).toBe(3);
  });
});
