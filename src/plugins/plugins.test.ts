import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HookRunner } from '../hooks/runner.ts';
import type { PluginEntry, PluginSettings } from '../protocol/plugin-settings.ts';
import { gate } from '../testkit/gate.ts';
import { PluginGoneError } from './errors.ts';
import { pluginEntry, pluginSettings, ScratchHomePlugins } from './fixtures/scratch-home-plugins.ts';
import { recordingHost } from './fixtures/scratch-plugins.ts';
import { ScriptedLoader } from './fixtures/scripted-loader.ts';
import type { LoadedPlugin, WorkerEvents } from './loaded-plugin.ts';
import { Plugins } from './plugins.ts';
import type { PluginsConfiguration } from './plugins-parts.ts';

let home: ScratchHomePlugins;
let worker: ScriptedLoader;
let inline: ScriptedLoader;
let hooks: HookRunner;
let warnings: string[];
let events: WorkerEvents;
let opened: Plugins[];

beforeEach(async () => {
  home = await ScratchHomePlugins.create();
  worker = new ScriptedLoader('worker');
  inline = new ScriptedLoader('inline');
  hooks = new HookRunner();
  warnings = [];
  opened = [];
});
afterEach(async () => {
  for (const plugins of opened) await plugins.close();
  await home.remove();
});

const configured = (settings: Partial<PluginSettings> = {}): PluginsConfiguration => ({
  settings: pluginSettings(settings),
  config: {},
  workspaceDir: home.workspaceDir,
});
const entries = (id: string, entry: Partial<PluginEntry>) => ({ entries: { [id]: pluginEntry(entry) } });

function create(settings: Partial<PluginSettings> = {}): Plugins {
  const plugins = new Plugins({
    ...configured(settings),
    stateDir: home.stateDir,
    loaders: {
      worker: (given) => {
        events = given;
        return worker;
      },
      inline: () => inline,
    },
    hooks,
    hostFor: () => recordingHost(),
    now: () => 0,
    warn: (sentence) => void warnings.push(sentence),
  });
  opened.push(plugins);
  return plugins;
}

async function open(settings: Partial<PluginSettings> = {}): Promise<Plugins> {
  const plugins = create(settings);
  await plugins.open();
  return plugins;
}

const toolNames = (plugins: Plugins) => plugins.registered('tool').flatMap(({ registration }) => registration.names);
/** Who is asked by a gate, in order. */
const asks = async (): Promise<readonly string[]> => {
  const before = worker.asked.length + inline.asked.length;
  const { refusal } = await hooks.run('before_tool_call', { toolName: 'exec', params: {} } as never, {});
  const asked = [...inline.asked, ...worker.asked].slice(before);
  return refusal ? [...asked, `refused by ${refusal.owner}`] : asked;
};
const states = (plugins: Plugins) => plugins.list().map(({ id, state }) => [id, state]);

describe('a gateway', () => {
  it('without plugins makes no loader', async () => {
    const plugins = await open();
    expect(plugins.list()).toEqual([]);
    await plugins.close();
    expect([worker.isClosed, inline.isClosed]).toEqual([false, false]);
  });

  it('loads what it finds in the worker, and says where, why and what it registered', async () => {
    await home.addExtension('guard', { name: 'The guard', version: '1.0.0' });
    const plugins = await open(entries('guard', { config: { level: 3 }, hooks: { allowConversationAccess: true } }));
    expect(plugins.inspect('guard')).toMatchObject({
      id: 'guard',
      name: 'The guard',
      version: '1.0.0',
      origin: 'extensions',
      state: 'loaded',
      reason: expect.stringContaining('folder for extensions'),
      where: 'worker',
      whyThere: expect.stringContaining('worker'),
      generation: 1,
      permissions: { conversation: true, promptInjection: true },
      hooks: [
        { hook: 'message_received', state: 'armed' },
        { hook: 'before_tool_call', state: 'armed' },
      ],
      tools: ['guard_tool'],
      notes: [],
    });
    expect(worker.setups[0]).toMatchObject({
      pluginConfig: { level: 3 },
      stateDir: home.stateDir,
      workspaceDir: home.workspaceDir,
      registrationMode: 'full',
      generation: 1,
    });
    expect(await asks()).toEqual(['guard#1 before_tool_call']);
    expect(() => plugins.inspect('gard')).toThrow('Did you mean "guard"?');
  });

  it('starts whatever becomes of its plugins, and names the reason for each', async () => {
    for (const id of ['broken', 'nice', 'off', 'picky', 'stuck']) {
      await home.addExtension(id, id === 'picky' ? { configSchema: { type: 'object', required: ['key'] } } : {});
    }
    worker.scripts.set('broken', () => ({ ok: false, reason: 'It threw: no.', notes: [] }));
    worker.scripts.set('stuck', () => Promise.reject(new Error('the loader broke')));
    const plugins = await open(entries('off', { enabled: false }));
    expect(states(plugins)).toEqual([
      ['broken', 'failed'],
      ['nice', 'loaded'],
      ['off', 'disabled'],
      ['picky', 'failed'],
      ['stuck', 'failed'],
    ]);
    expect(plugins.inspect('picky').reason).toBe('plugins.entries.picky.config.key is missing.');
    expect(plugins.inspect('broken').notes).toMatchObject([{ code: 'load-failed', message: 'It threw: no.' }]);
    expect(warnings).toContain('The plugin "broken" was not loaded: It threw: no.');
    expect(toolNames(plugins)).toEqual(['nice_tool']);
  });

  it('asks plugins in their order, whoever is slow to load', async () => {
    for (const id of ['a', 'b', 'c']) await home.addExtension(id);
    for (const [id, ms] of [
      ['a', 20],
      ['b', 10],
    ] as const) {
      worker.scripts.set(id, async (setup, loader) => {
        await sleep(ms);
        return { ok: true, plugin: loader.make(setup) };
      });
    }
    const plugins = await open();
    expect(worker.loaded).toEqual(['a#1', 'b#1', 'c#1']);
    expect(await asks()).toEqual(['a#1', 'b#1', 'c#1'].map((name) => `${name} before_tool_call`));
    expect(toolNames(plugins)).toEqual(['a_tool', 'b_tool', 'c_tool']);
  });

  it('asks plugins in the same order after one of them was loaded again', async () => {
    for (const id of ['a', 'b', 'c']) await home.addExtension(id);
    const plugins = await open();
    await plugins.reload('a');
    expect(await asks()).toEqual(['a#2', 'b#1', 'c#1'].map((name) => `${name} before_tool_call`));
    await plugins.apply(configured({ deny: ['b'] }));
    await plugins.apply(configured());
    expect(await asks()).toEqual(['a#2', 'b#2', 'c#1'].map((name) => `${name} before_tool_call`));
  });

  it('lists a plugin whose id another has as disabled', async () => {
    await home.addExtension('same');
    await home.write({ 'mine/same/index.ts': '' });
    const plugins = await open({ loadPaths: [join(home.root, 'mine')] });
    expect(plugins.list()).toMatchObject([
      { id: 'same', origin: 'config', state: 'loaded' },
      { id: 'same', origin: 'extensions', state: 'disabled', reason: expect.stringContaining('comes first') },
    ]);
  });

  it('says once that a place cannot be used', async () => {
    const plugins = await open({ loadPaths: [join(home.root, 'gone')], slots: { memory: 'gone' } });
    await plugins.reloadAll();
    expect(warnings).toEqual([expect.stringContaining('load.paths'), expect.stringContaining('no such plugin')]);
  });
});

describe('where a plugin runs', () => {
  const needsInline = () => ({ ok: false, needsInline: ['process.chdir()'], notes: [] }) as const;

  it('is the gateway when the operator says so', async () => {
    await home.addExtension('fast');
    const plugins = await open(entries('fast', { isolation: 'inline' }));
    expect(plugins.inspect('fast')).toMatchObject({
      where: 'inline',
      whyThere: expect.stringContaining('isolation is "inline"'),
    });
    expect(worker.loaded).toEqual([]);
  });

  it('is nowhere when it needs the gateway and the operator has not said so', async () => {
    await home.addExtension('moves');
    worker.scripts.set('moves', needsInline);
    for (const settings of [undefined, entries('moves', { isolation: 'worker' })]) {
      const plugins = await open(settings);
      expect(plugins.inspect('moves')).toMatchObject({
        state: 'failed',
        where: null,
        reason: expect.stringMatching(/process\.chdir\(\), .* set plugins\.entries\.moves\.isolation to "inline"/),
      });
    }
    expect(inline.loaded).toEqual([]);
  });
});

describe('loading again', () => {
  beforeEach(() => home.addExtension('guard'));

  it('a hundred times leaves one handler that fires once, and nothing old alive', async () => {
    const plugins = await open();
    for (let time = 0; time < 100; time++) await plugins.reload('guard');
    expect(plugins.inspect('guard').generation).toBe(101);
    expect(await asks()).toEqual(['guard#101 before_tool_call']);
    expect([...worker.alive]).toEqual(['guard#101']);
    expect(toolNames(plugins)).toEqual(['guard_tool']);
    expect(hooks.list('before_tool_call')).toHaveLength(1);
  });

  it('never shows both generations, nor none', async () => {
    const plugins = await open();
    const { opened: waiting, open: release } = gate();
    worker.scripts.set('guard', async (setup, loader) => {
      await waiting;
      return { ok: true, plugin: loader.make(setup) };
    });
    const seen: number[] = [];
    plugins.subscribe({
      unloading: () => void seen.push(plugins.registered('tool').length),
      loaded: () => void seen.push(plugins.registered('tool').length),
    });
    const reloading = plugins.reload('guard');
    await sleep(5);
    expect(await asks()).toEqual(['guard#1 before_tool_call']);
    release();
    await reloading;
    expect(await asks()).toEqual(['guard#2 before_tool_call']);
    expect(seen).toEqual([1, 1]);
  });

  it('at once from several sides is done one after the other', async () => {
    const plugins = await open();
    await Promise.all([
      plugins.reload('guard'),
      plugins.reloadAll(),
      plugins.reload('guard'),
      plugins.apply(configured()),
    ]);
    expect(worker.loaded).toEqual(['guard#1', 'guard#2', 'guard#3', 'guard#4']);
    expect([...worker.alive]).toEqual(['guard#4']);
    expect(await asks()).toEqual(['guard#4 before_tool_call']);
  });

  it('what was unloaded can no longer act', async () => {
    const plugins = await open();
    const [before] = hooks.list('before_tool_call');
    await plugins.reload('guard');
    expect(() => (before?.handler as () => void)()).toThrow(PluginGoneError);
  });

  it('code that no longer loads leaves the one before it in place, so that no gate is missing', async () => {
    const plugins = await open();
    worker.scripts.set('guard', () => ({ ok: false, reason: 'It has a slip in line 3.', notes: [] }));
    expect(await plugins.reload('guard')).toMatchObject({
      state: 'loaded',
      reason: expect.stringMatching(/goes on; loading it again failed: It has a slip/),
      notes: [{ level: 'error', code: 'load-failed' }],
    });
    expect(await asks()).toEqual(['guard#1 before_tool_call']);
    worker.scripts.clear();
    expect(await plugins.reload('guard')).toMatchObject({ state: 'loaded', notes: [] });
  });

  it('finds what is new, unloads what is gone, and knows nothing else', async () => {
    const plugins = await open();
    await home.addExtension('fresh');
    expect(await plugins.reload('fresh')).toMatchObject({ state: 'loaded', generation: 1 });
    await rm(join(home.stateDir, 'extensions/guard'), { recursive: true });
    expect(await plugins.reload('guard')).toMatchObject({ state: 'failed', reason: 'Its files are gone.' });
    expect(states(plugins)).toEqual([['fresh', 'loaded']]);
    await expect(plugins.reload('guard')).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_UNKNOWN' });
  });
});

describe('changed settings', () => {
  it('concern those that they are about', async () => {
    for (const id of ['a', 'b', 'c']) await home.addExtension(id);
    const told: string[] = [];
    const plugins = await open(entries('c', { enabled: false }));
    plugins.subscribe({
      loaded: ({ id }) => void told.push(`${id} loaded`),
      unloading: ({ id }, reason) => void told.push(`${id} unloading: ${reason}`),
    });
    await plugins.apply(configured({ deny: ['a'], entries: { b: pluginEntry({ config: { level: 2 } }) } }));
    expect(states(plugins)).toEqual([
      ['a', 'disabled'],
      ['b', 'loaded'],
      ['c', 'loaded'],
    ]);
    expect(told).toEqual(['a unloading: disable', 'b unloading: restart', 'b loaded', 'c loaded']);
    expect(await asks()).toEqual(['b#2 before_tool_call', 'c#1 before_tool_call']);
    told.length = 0;
    await plugins.apply(configured({ deny: ['a', 'x'], entries: { b: pluginEntry({ config: { level: 2 } }) } }));
    expect(told).toEqual([]);
  });

  it('that its plugin does not accept unload it: it must not go on with permissions it has lost', async () => {
    const level = { type: 'object', properties: { level: { type: 'integer' } } };
    await home.addExtension('guard', { configSchema: level });
    const plugins = await open(entries('guard', { hooks: { allowConversationAccess: true } }));
    const told: string[] = [];
    plugins.subscribe({ unloading: (_, reason) => void told.push(reason) });
    await plugins.apply(configured(entries('guard', { config: { level: 'high' } })));
    // A slip in its settings is no reason to throw away what is kept for it.
    expect(told).toEqual(['restart']);
    expect(plugins.inspect('guard')).toMatchObject({
      state: 'failed',
      hooks: [],
      permissions: { conversation: false },
    });
    expect(await asks()).toEqual([]);
    await plugins.apply(configured(entries('guard', { config: { level: 3 } })));
    expect(plugins.inspect('guard')).toMatchObject({ state: 'loaded', notes: [] });
  });
});

describe('trouble in the worker', () => {
  beforeEach(async () => {
    for (const id of ['culprit', 'other']) await home.addExtension(id);
  });

  it('suspends the culprit: its gates refuse and nothing else of it is used, until it is loaded again', async () => {
    const told: string[] = [];
    const plugins = await open();
    plugins.subscribe({ unloading: ({ id }, reason) => void told.push(`${id} ${reason}`) });
    events.trouble({
      culprits: ['culprit'],
      cause: 'spin',
      reason: 'The plugin "culprit" was stuck in before_tool_call.',
    });
    expect(plugins.inspect('culprit')).toMatchObject({
      state: 'suspended',
      reason: expect.stringMatching(/was stuck .*"atrium plugins reload culprit"/),
    });
    expect(warnings).toEqual(['The plugin "culprit" was stuck in before_tool_call.']);
    expect(toolNames(plugins)).toEqual(['other_tool']);
    expect(await asks()).toEqual(['refused by culprit']);
    expect(await plugins.reload('culprit')).toMatchObject({ state: 'loaded', generation: 2 });
    expect(told).toEqual(['culprit restart']);
    expect(await asks()).toEqual(expect.arrayContaining(['other#1 before_tool_call', 'culprit#2 before_tool_call']));
  });

  it('stays suspended when it cannot be loaded again, and is gone when it is switched off', async () => {
    const plugins = await open();
    events.trouble({ culprits: ['culprit'], cause: 'memory', reason: 'It took too much.' });
    worker.scripts.set('culprit', () => ({ ok: false, reason: 'It threw.', notes: [] }));
    expect(await plugins.reload('culprit')).toMatchObject({
      state: 'suspended',
      reason: expect.stringContaining('It threw'),
    });
    expect(await asks()).toEqual(['refused by culprit']);
    const told: string[] = [];
    plugins.subscribe({ unloading: ({ id }, reason) => void told.push(`${id} ${reason}`) });
    await plugins.apply(configured({ deny: ['culprit'] }));
    expect(told).toEqual(['culprit disable']);
    expect(await asks()).toEqual(['other#1 before_tool_call']);
  });

  it('puts those that run again in the place of what they were', async () => {
    const told: string[] = [];
    let before: LoadedPlugin | undefined;
    const plugins = create();
    plugins.subscribe({
      loaded: (plugin) => {
        if (plugin.id === 'other') before = plugin;
        told.push(`${plugin.id} loaded`);
      },
    });
    await plugins.open();
    const setup = worker.setups.find(({ id }) => id === 'other');
    if (!setup || !before) throw new Error('It was not loaded.');
    const again = worker.make({ ...setup, generation: 9 });
    const old = before;
    events.reloaded(again, old);
    expect(await asks()).toEqual(['culprit#1 before_tool_call', 'other#9 before_tool_call']);
    expect(hooks.list('before_tool_call')).toHaveLength(2);
    await sleep(0);
    expect(told).toEqual(['culprit loaded', 'other loaded', 'other loaded']);
    // What nobody waits for any more is not kept.
    events.reloaded(worker.make({ ...setup, generation: 10 }), old);
    await sleep(0);
    expect(worker.alive.has('other#10')).toBe(false);
    expect(worker.alive.has('other#9')).toBe(true);
  });
});

describe('listeners', () => {
  it('that fail disturb nobody', async () => {
    await home.addExtension('guard');
    const plugins = create();
    const told: string[] = [];
    plugins.subscribe({
      loaded: () => {
        throw new Error('not today');
      },
    });
    const undo = plugins.subscribe({ loaded: ({ id }) => void told.push(id) });
    await plugins.open();
    undo();
    await plugins.reload('guard');
    expect(told).toEqual(['guard']);
    expect(warnings).toContain('A listener to the plugin "guard" failed: not today');
  });

  it('hear of a stop as of a restart, the last plugin first, and then it is over', async () => {
    for (const id of ['a', 'b']) await home.addExtension(id);
    const plugins = await open();
    const told: string[] = [];
    plugins.subscribe({ unloading: ({ id }, reason) => void told.push(`${id} ${reason}`) });
    await plugins.close();
    expect(told).toEqual(['b restart', 'a restart']);
    expect([worker.isClosed, worker.alive.size]).toEqual([true, 0]);
    expect(await asks()).toEqual([]);
    await expect(plugins.reload('a')).rejects.toMatchObject({ code: 'ATRIUM_GATEWAY_NOT_READY' });
  });
});
