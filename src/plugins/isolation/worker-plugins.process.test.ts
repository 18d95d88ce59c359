// What bad plugins can do to others: nothing but make them wait a moment. One worker serves these tests until a plugin
// ends it, which is what most of them are about; a nice plugin is there all the time.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RecordingHost, recordingHost, ScratchPlugins } from '../fixtures/scratch-plugins.ts';
import type { LoadedPlugin, LoadResult, WorkerTrouble } from '../loaded-plugin.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type { PluginRegistration, RegistrationKind } from '../registration.ts';
import { WorkerPlugins, type WorkerPluginsSettings } from './worker-plugins.ts';

let scratch: ScratchPlugins;
let host: RecordingHost;
let troubles: WorkerTrouble[] = [];
let warnings: string[] = [];
/** The newest form of each plugin, as the gateway keeps it. */
const kept = new Map<string, LoadedPlugin>();
let reloads = 0;

const SETTINGS: WorkerPluginsSettings = {
  memoryMb: 128,
  heartbeatMs: 400,
  loadSilenceMs: 3_000,
  now: () => 0,
  warn: (sentence) => void warnings.push(sentence),
  events: {
    trouble: (trouble) => void troubles.push(trouble),
    reloaded: (plugin, before) => {
      expect(kept.get(plugin.id)).toBe(before);
      kept.set(plugin.id, plugin);
      reloads += 1;
    },
  },
};

beforeAll(async () => {
  scratch = await ScratchPlugins.create();
});

afterAll(() => scratch.remove());

beforeEach(() => {
  host = recordingHost();
  troubles = [];
  warnings = [];
  reloads = 0;
});

async function write(id: string, body: string, setup: Partial<PluginSetup> = {}): Promise<PluginSetup> {
  const text = `let calls = 0; export default { id: '${id}', async register(api: any) { ${body} } }`;
  return scratch.write(id, { 'index.ts': text }, setup);
}

async function load(plugins: WorkerPlugins, id: string, body: string, own = host): Promise<LoadedPlugin> {
  const plugin = loadedOf(await plugins.load(await write(id, body), own));
  kept.set(id, plugin);
  return plugin;
}

const NICE = `
  api.on('agent_end', () => ++calls);
  api.on('before_tool_call', async (event) => { await new Promise((go) => setTimeout(go, event.params.ms ?? 0)); return { params: { nice: true } }; });
  api.registerService({ id: 'clock', start() {}, stop() {} });
  api.registerTool({ name: 'hi', description: 'Hi.', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'hi' }] }) });
`;

describe('a plugin that', () => {
  let plugins: WorkerPlugins;

  beforeAll(() => {
    // A minute passes between any two looks at the clock, so that it never was ended too often.
    let minutes = 0;
    plugins = new WorkerPlugins({ ...SETTINGS, now: () => ++minutes * 60_000 });
  });
  afterAll(() => plugins.close());
  beforeEach(() => load(plugins, 'nice', NICE));
  afterEach(async () => {
    for (const plugin of kept.values()) await plugin.unload();
    kept.clear();
  });

  const askNice = () => hook(kept.get('nice'), 'agent_end').handler({}, {});

  it.each([
    ['spins in a handler', 'for (;;) {}', 'its hook before_agent_run'],
    ['spins after it waited', 'await new Promise((go) => setTimeout(go, 5)); for (;;) {}', 'its hook before_agent_run'],
    ['never lets go of the microtasks', 'for (;;) await null;', 'its hook before_agent_run'],
    ['waits for a program', `(await import('node:child_process')).execSync('sleep 4');`, 'its hook before_agent_run'],
    ['spins in a timer of its own', 'setTimeout(() => { for (;;) {} }, 5);', 'work of its own'],
  ])('%s is named and left out, and the others run again', async (_, body, place) => {
    await load(plugins, 'bad', `api.on('before_agent_run', async () => { ${body} });`);
    const nice = kept.get('nice');
    const bad = hook(kept.get('bad'), 'before_agent_run');
    const asked = asking(() => bad.handler({}, {}));
    asked.catch(() => {});
    await until(() => troubles.length > 0);
    expect(troubles).toMatchObject([{ culprits: ['bad'], cause: 'spin' }]);
    expect(troubles[0]?.reason).toContain(`The plugin "bad" kept the plugin worker busy`);
    expect(troubles[0]?.reason).toContain(`in ${place}`);
    if (place.startsWith('its')) {
      await expect(asked).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_WORKER', culprit: 'bad', pluginId: 'bad' });
    } else await asked;
    await expect(asking(() => bad.handler({}, {}))).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_WORKER' });
    // The old handler waits and is answered by the plugin in its new worker.
    expect(await hook(nice, 'agent_end').handler({}, {})).toBe(1);
    await until(() => reloads === 1);
    expect(await askNice()).toBe(2);
    await kept.get('bad')?.unload();
    await expect(asking(() => bad.handler({}, {}))).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_GONE' });
  });

  it('spins loses the calls of others that had begun, and none that had not', async () => {
    await load(plugins, 'bad', `api.on('agent_end', () => { api.logger.info('now'); for (;;) {} });`);
    const slow = hook(kept.get('nice'), 'before_tool_call').handler({ params: { ms: 60_000 } }, {});
    const lost = expect(slow).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_WORKER', culprit: 'bad', pluginId: 'nice' });
    await asking(() => askNice());
    const spinning = expect(hook(kept.get('bad'), 'agent_end').handler({}, {})).rejects.toThrow('"bad"');
    await until(() => host.logged.length > 0);
    const queued = [askNice(), askNice()];
    const stopped = new AbortController();
    const givenUp = asking(() => hook(kept.get('nice'), 'agent_end').handler({}, { signal: stopped.signal }));
    stopped.abort();
    await expect(givenUp).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_WORKER' });
    expect(await Promise.all(queued)).toEqual([1, 2]);
    await lost;
    await spinning;
  });

  it('ended with the worker needs no stopping, and tools that it made are made again when they are called', async () => {
    await load(plugins, 'bad', `api.on('agent_end', () => process.exit(7));`);
    const nice = kept.get('nice');
    const service = only(nice, 'service');
    await service.start();
    const [tool] = await only(nice, 'tool').make({});
    await expect(asking(() => hook(kept.get('bad'), 'agent_end').handler({}, {}))).rejects.toThrow('process.exit(7)');
    expect(troubles).toMatchObject([{ culprits: ['bad'], cause: 'exit' }]);
    expect(troubles[0]?.reason).toContain('in its hook agent_end');
    await service.stop?.();
    await expect(asking(() => service.start())).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_GONE' });
    const { signal } = new AbortController();
    expect(await tool?.execute('1', {}, signal)).toEqual({ content: [{ type: 'text', text: 'hi' }] });
    await until(() => reloads === 1);
    const [again] = await only(kept.get('nice'), 'tool').make({});
    expect(await again?.execute('2', {}, signal)).toEqual({ content: [{ type: 'text', text: 'hi' }] });
    await only(kept.get('nice'), 'service').start();
  });

  it.each([
    ['spins', 'for (;;) {}', /kept the plugin worker busy.*while it was loaded/],
    ['ends the process', 'process.exit(1);', /ended the plugin worker while it was loaded/],
  ])('%s when it is loaded is not loaded, and that is all', async (_, body, reason) => {
    const result = await plugins.load(await write('bad', body), host);
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
    expect(troubles).toEqual([]);
    expect(await askNice()).toBe(1);
  });

  it('throws where nobody catches it is named in its log, and goes on', async () => {
    const own = recordingHost();
    await load(
      plugins,
      'bad',
      `api.on('agent_end', () => {
        setTimeout(() => { throw new Error('from a timer'); }, 1);
        setTimeout(() => { Promise.reject(new Error('from a promise')); }, 1);
        return 'fine';
      });`,
      own,
    );
    expect(await hook(kept.get('bad'), 'agent_end').handler({}, {})).toBe('fine');
    await until(() => own.logged.length === 2);
    expect(own.logged.map(({ level, text }) => [level, text.replace(/ \(.*/, '')])).toEqual([
      ['error', 'It threw an error that nothing caught: from a timer'],
      ['error', 'It left a rejected promise behind: from a promise'],
    ]);
    expect(own.logged[0]?.text).toContain('index.ts');
    expect(host.logged).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it('floods its output is cut short, in its own name', async () => {
    const own = recordingHost();
    await load(
      plugins,
      'loud',
      `api.on('agent_end', () => { for (let line = 0; line < 20_000; line++) console.log('line', line); console.error('the end'); });`,
      own,
    );
    await hook(kept.get('loud'), 'agent_end').handler({}, {});
    await until(() => own.logged.some(({ text }) => text.includes('were dropped')));
    expect(own.logged[0]).toEqual({ level: 'info', text: 'line 0' });
    expect(own.logged.length).toBeLessThan(600);
    expect(own.logged.find(({ text }) => text.includes('were dropped'))?.text).toMatch(/1\d,?\d{3} lines/);
    expect(host.logged).toEqual([]);
  });

  it('asks the gateway without end is refused when a thousand questions wait', async () => {
    const own = recordingHost({ readProviderKey: () => new Promise(() => {}) });
    await load(
      plugins,
      'bad',
      `api.on('agent_end', async () => {
        let refused = '';
        for (let i = 0; i < 1_400; i++) api.enqueueNextTurnInjection({ sessionKey: 'k', text: 't' }).catch((error) => { refused = error.message; });
        await new Promise((go) => setTimeout(go, 1));
        return refused;
      });`,
      own,
    );
    expect(await hook(kept.get('bad'), 'agent_end').handler({}, {})).toContain('1000 of its calls');
  });

  it('answers with what cannot cross hears of it', async () => {
    await load(
      plugins,
      'bad',
      `api.on('agent_end', () => ({ deep: [{ later: Promise.resolve(1) }] }));
       api.on('before_reset', () => ({ text: 'x'.repeat(17 * 1024 * 1024) }));
       api.on('tool_result_persist', async (event) => ({ message: event.message }));`,
    );
    const ask = (name: string) => asking(() => hook(kept.get('bad'), name).handler({}, {}));
    await expect(ask('agent_end')).rejects.toThrow('"bad": deep[0].later is a promise');
    await expect(ask('before_reset')).rejects.toThrow('"bad": text makes it larger than 16 MB');
    await expect(ask('tool_result_persist')).rejects.toThrow('returned a promise');
    expect(troubles).toEqual([]);
  });

  it('has commands of the command line gives their names only', async () => {
    const cli = await load(plugins, 'cli', `api.registerCli(() => {}, { commands: ['greet'] });`);
    expect(only(cli, 'cli')).toMatchObject({ commands: ['greet'] });
    expect(only(cli, 'cli').registrar).toBeUndefined();
  });

  it('asks for what only the main thread has could be loaded in the gateway only', async () => {
    const moves = await plugins.load(await write('moves', `process.chdir('/');`), host);
    expect(moves).toMatchObject({ ok: false, needsInline: ['process.chdir()'] });
    const masks = await plugins.load(await write('masks', `process.umask(0o077);`), host);
    expect(masks).toMatchObject({ ok: false, needsInline: ['process.umask()'] });
    const careful = await load(
      plugins,
      'careful',
      `try { process.chdir('/'); } catch { api.on('agent_end', () => {}); }`,
    );
    expect(only(careful, 'hook')).toMatchObject({ hook: 'agent_end' });
  });

  it('left something behind when it was unloaded is not mistaken for the one that is loaded now', async () => {
    const first = await load(plugins, 'bad', `api.on('agent_end', () => { setTimeout(() => { for (;;) {} }, 100); });`);
    await hook(first, 'agent_end').handler({}, {});
    await first.unload();
    const second = await load(plugins, 'bad', `api.on('agent_end', () => 'new');`);
    await until(() => troubles.length > 0);
    expect(troubles).toMatchObject([{ culprits: [], cause: 'spin' }]);
    expect(troubles[0]?.reason).toContain('the plugin "bad" had left behind');
    expect(await hook(second, 'agent_end').handler({}, {})).toBe('new');
  });

  it('no longer loads when the worker is started again is told of', async () => {
    const worse = await load(plugins, 'worse', `api.on('agent_end', () => process.exit());`);
    await load(plugins, 'edited', `api.on('agent_end', () => 'fine');`);
    await write('edited', `throw new Error('half done');`);
    await asking(() => hook(worse, 'agent_end').handler({}, {})).catch(() => {});
    await until(() => troubles.length === 2);
    expect(troubles[1]).toMatchObject({ culprits: ['edited'], cause: 'reload-failed' });
    expect(troubles[1]?.reason).toContain('half done');
    await expect(asking(() => hook(kept.get('edited'), 'agent_end').handler({}, {}))).rejects.toThrow('half done');
    expect(await askNice()).toBe(1);
  });

  it('takes its time to load, and a moment more, is not taken for one that spins', async () => {
    const busy = 'const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };';
    const slow = await load(
      plugins,
      'slow',
      `${busy} busy(900); setImmediate(() => busy(300)); api.on('agent_end', () => 'fine');`,
    );
    expect(await hook(slow, 'agent_end').handler({}, {})).toBe('fine');
    expect(troubles).toEqual([]);
  });

  it('is loaded again and again answers once each time, and leaves nothing', async () => {
    for (let round = 0; round < 15; round++) {
      const plugin = await load(plugins, 'again', `api.on('agent_end', () => ${round});`);
      expect(await hook(plugin, 'agent_end').handler({}, {})).toBe(round);
      await plugin.unload();
    }
    expect(troubles).toEqual([]);
  });
});

describe('the worker', () => {
  it.each([
    ['objects', 'const all = []; for (;;) all.push(new Array(1_000_000).fill(calls++));'],
    [
      'objects, bit by bit',
      'const all = []; for (;;) { all.push(new Array(100_000).fill(0.5 + calls++)); await new Promise(setImmediate); }',
    ],
    [
      'buffers',
      'const all = []; for (;;) { all.push(Buffer.alloc(2_000_000, 1)); await new Promise((go) => setTimeout(go, 2)); }',
    ],
  ])('names who used up its memory with %s', async (_, body) => {
    const plugins = new WorkerPlugins({ ...SETTINGS, heartbeatMs: 15_000 });
    await load(plugins, 'nice', NICE);
    await load(plugins, 'bad', `api.on('agent_end', async () => { ${body} });`);
    await expect(asking(() => hook(kept.get('bad'), 'agent_end').handler({}, {}))).rejects.toThrow('128 MB');
    expect(troubles).toMatchObject([{ culprits: ['bad'], cause: 'memory' }]);
    expect(await hook(kept.get('nice'), 'agent_end').handler({}, {})).toBe(1);
    await plugins.close();
    kept.clear();
  });

  it.each([
    ['many small objects', 'const all = []; for (;;) all.push({ n: calls++ });'],
    ['texts', "const all = []; for (;;) all.push('x'.repeat(1_000) + calls++);"],
  ])('is ended by name while %s fill its memory, and the process is not', async (_, body) => {
    const plugins = new WorkerPlugins({ ...SETTINGS, memoryMb: 256, heartbeatMs: 1_000 });
    await load(plugins, 'bad', `api.on('agent_end', async () => { ${body} });`);
    // Which limit is met first depends on how fast the machine is, and on memory that the worker before has left.
    await expect(asking(() => hook(kept.get('bad'), 'agent_end').handler({}, {}))).rejects.toThrow(
      /used up its 256 MB|busy for \d+ ms/,
    );
    expect(troubles).toMatchObject([{ culprits: ['bad'] }]);
    await plugins.close();
    kept.clear();
  });

  it('waits when it was ended often, and says so', async () => {
    const plugins = new WorkerPlugins({ ...SETTINGS, heartbeatMs: 5_000, restartWaitMs: 300 });
    for (let round = 0; round < 5; round++) {
      expect(warnings).toEqual([]);
      const bad = await load(plugins, 'bad', `api.on('agent_end', () => process.exit());`);
      await asking(() => hook(bad, 'agent_end').handler({}, {})).catch(() => {});
      await bad.unload();
    }
    const nice = await load(plugins, 'nice', NICE);
    expect(warnings).toEqual([expect.stringContaining('5 times within a minute')]);
    expect(await hook(nice, 'agent_end').handler({}, {})).toBe(1);
    await plugins.close();
    kept.clear();
  });

  it('ends within its time, whatever it does, and nothing comes after it', async () => {
    const plugins = new WorkerPlugins({ ...SETTINGS, heartbeatMs: 60_000 });
    const bad = await load(plugins, 'bad', `api.on('agent_end', () => { for (;;) {} });`);
    const asked = expect(asking(() => hook(bad, 'agent_end').handler({}, {}))).rejects.toMatchObject({
      code: 'ATRIUM_PLUGIN_GONE',
    });
    await plugins.close();
    await plugins.close();
    await asked;
    expect(await plugins.load(await write('late', ''), host)).toMatchObject({ ok: false });
    expect(troubles).toEqual([]);
    kept.clear();
  });
});

function loadedOf(result: LoadResult): LoadedPlugin {
  if (result.ok) return result.plugin;
  throw new Error('reason' in result ? result.reason : result.needsInline.join());
}

function hook(plugin: LoadedPlugin | undefined, name: string) {
  const found = plugin?.registrations.find((each) => each.kind === 'hook' && each.hook === name);
  if (found?.kind !== 'hook') throw new Error(`there is no handler of ${name}`);
  return found;
}

function only<Kind extends RegistrationKind>(plugin: LoadedPlugin | undefined, kind: Kind) {
  const found = plugin?.registrations.find(
    (each): each is Extract<PluginRegistration, { readonly kind: Kind }> => each.kind === kind,
  );
  if (!found) throw new Error(`there is no ${kind}`);
  return found;
}

async function asking(ask: () => unknown): Promise<unknown> {
  return await ask();
}

async function until(isSo: () => boolean, ms = 45_000): Promise<void> {
  for (const end = performance.now() + ms; !isSo(); ) {
    if (performance.now() > end) throw new Error('it did not come to that');
    await new Promise((go) => setTimeout(go, 10));
  }
}
