import { beforeEach, describe, expect, it } from 'vitest';
import type { PluginRegistration } from '../../plugins/registration.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { storeForEachTest } from '../../testkit/for-each-test.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { SessionExtensions } from './session-extensions.ts';
import { createSessionMethods } from './session-methods.ts';

const KEY = 'agent:main:main';
const scratch = storeForEachTest();
beforeEach(async () => {
  const times = { startedAt: 1, activeAt: 1, endedAt: null, endReason: null };
  const row = {
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
  };
  await scratch.store.commit([{ insert: 'sessions', row }], { site: 'session' });
});

function methodsOf(...registrations: readonly PluginRegistration[]) {
  const { store } = scratch;
  const registry = registryOf({ id: 'board', registrations });
  const extensions = new SessionExtensions({ registry, store, now: () => 1, warn: () => {} });
  const patched: unknown[] = [];
  const methods = createSessionMethods({
    registry,
    extensions,
    store,
    patched: ({ sessionId }, patch) => void patched.push({ sessionId, patch }),
    timeoutMs: 20,
  });
  return { patched, patch: methods['sessions.pluginPatch'], act: methods['plugins.sessionAction'] };
}

describe('sessions.pluginPatch', () => {
  const CARDS: PluginRegistration = { kind: 'session-extension', namespace: 'cards', description: 'cards' };

  it('changes what a plugin keeps for a session, by key or by id, and tells hook packs', async () => {
    const { patch, patched } = methodsOf(CARDS);
    const place = { pluginId: 'board', namespace: 'cards' };
    expect(await patch({ ...place, key: KEY, value: [1] })).toEqual({ ok: true, key: KEY, value: [1] });
    expect(await patch({ ...place, key: 's1', unset: true })).toEqual({ ok: true, key: KEY });
    expect(await scratch.store.count('pluginState')).toBe(0);
    expect(patched).toMatchObject([{ sessionId: 's1', patch: { value: [1] } }, { sessionId: 's1' }]);
  });

  it('lets a plugin change its own only', async () => {
    const { patch } = methodsOf(CARDS);
    const params = { key: KEY, pluginId: 'board', namespace: 'cards', value: 1 };
    expect(await patch(params, { id: 'plugin:board' })).toMatchObject({ ok: true });
    await expect(patch(params, { id: 'plugin:other' })).rejects.toMatchObject({
      code: 'ATRIUM_PLUGIN_REFUSED',
      message: expect.stringContaining('"other"'),
    });
  });

  it.each([
    [{ pluginId: 'board', namespace: 'cards', value: 1 }, 'ATRIUM_HTTP_REQUEST_INVALID'],
    [{ key: 'agent:main:nobody', pluginId: 'board', namespace: 'cards', value: 1 }, 'ATRIUM_SESSION_UNKNOWN'],
    [{ key: KEY, pluginId: 'board', namespace: 'cads', value: 1 }, 'ATRIUM_PLUGIN_REFUSED'],
    [{ key: KEY, pluginId: 'nobody', namespace: 'cards', value: 1 }, 'ATRIUM_PLUGIN_REFUSED'],
    [{ key: KEY, pluginId: 'board', namespace: 'cards', unset: 'yes' }, 'ATRIUM_HTTP_REQUEST_INVALID'],
  ])('refuses %j', async (params: JsonObject, code) => {
    const { patch, patched } = methodsOf(CARDS);
    await expect(patch(params)).rejects.toMatchObject({ code });
    expect(patched).toEqual([]);
  });
});

describe('plugins.sessionAction', () => {
  function action(id: string, handler: (context: JsonObject) => unknown): PluginRegistration {
    return { kind: 'session-action', id, handler };
  }

  it('does not mistake another plugin for the operator', async () => {
    const seen: unknown[] = [];
    const { act } = methodsOf(action('move', (context) => void seen.push(context.client)));
    await act({ pluginId: 'board', actionId: 'move' }, { id: 'plugin:other' });
    expect(seen).toEqual([{ connId: 'plugin:other', scopes: [] }]);
  });

  it('has the plugin do it, and gives its answer in the fields of the contract', async () => {
    const seen: unknown[] = [];
    const { act } = methodsOf(
      action('move', (context) => {
        seen.push(context);
        return { result: { moved: 1 }, reply: 'Moved.', secret: 'x' };
      }),
      action('quiet', () => undefined),
      action('no', () => ({ ok: false, error: 'there is no such card', code: 'NO_CARD' })),
    );
    const asked = { pluginId: 'board', sessionKey: KEY, payload: { card: 3 } };
    expect(await act({ ...asked, actionId: 'move' }, { id: 'page-1' })).toEqual({
      ok: true,
      result: { moved: 1 },
      reply: 'Moved.',
    });
    expect(seen).toMatchObject([{ ...asked, actionId: 'move', client: { connId: 'page-1' } }]);
    expect(await act({ ...asked, actionId: 'quiet' })).toEqual({ ok: true });
    expect(await act({ ...asked, actionId: 'no' })).toEqual({
      ok: false,
      error: 'there is no such card',
      code: 'NO_CARD',
    });
  });

  it('says what is wrong', async () => {
    const { act } = methodsOf(
      action('throws', () => {
        throw new Error('out of cards');
      }),
      action('hangs', () => new Promise(() => {})),
      action('text', () => 'done'),
    );
    const asked = (actionId: string) => act({ pluginId: 'board', actionId });
    await expect(asked('throws')).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_METHOD', reason: 'out of cards' });
    await expect(asked('hangs')).rejects.toThrow(/within 20 ms/);
    await expect(asked('text')).rejects.toThrow(/its answer is no object/);
    await expect(asked('nothing')).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_REFUSED' });
  });
});
