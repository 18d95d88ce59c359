import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GreeterPlugins } from '../fixtures/greeter.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

const MANIFEST = {
  id: 'guard',
  name: 'The guard',
  version: '2.0.0',
  description: 'Watches\u001b[31m over tools.',
  configSchema: { type: 'object', properties: { level: { type: 'integer' } } },
};

let running: RunningGateway;
let plugins: GreeterPlugins;
beforeEach(async () => {
  plugins = new GreeterPlugins();
  running = await RunningGateway.create({
    'openclaw.json': '{\n  // Mine.\n  plugins: { entries: { strict: { config: { key: "sk-secret" } } } },\n}\n',
    'extensions/guard/openclaw.plugin.json': JSON.stringify(MANIFEST),
    'extensions/guard/index.ts': 'throw new Error("nobody may run this");\n',
    'extensions/strict/openclaw.plugin.json': JSON.stringify({
      id: 'strict',
      configSchema: { properties: { key: { type: 'integer' } } },
    }),
    'extensions/strict/index.ts': '',
    'extensions/herald/openclaw.plugin.json': JSON.stringify({ id: 'herald', kind: 'memory' }),
    'extensions/herald/index.ts': `export default (api: any) => {
      api.logger.info('loading');
      api.on('message_received', () => {});
      api.on('llm_input', () => {});
      api.registerCommand({ name: 'herald', description: 'Says it.', handler: () => ({ text: 'hear' }) });
      api.registerService({ id: 'post', start() { throw new Error('nobody may start this'); } });
      setInterval(() => {}, 1_000);
    };`,
  });
});
afterEach(() => running.remove());

const run = (...argv: string[]) => running.home.run(['plugins', ...argv]);

describe('atrium plugins list', () => {
  it('asks the running gateway', async () => {
    await running.start(() => ({ plugins }));
    const { out, code } = await run('list');
    expect(code).toBe(0);
    expect(out).toMatch(/^greeter +1\.2\.0 +loaded +worker +installed +It is installed\.$/m);
    expect(await running.home.runJson(['plugins', 'list'])).toEqual({ plugins: [plugins.plugin] });
  });

  it('says without a gateway what would load, and runs none of it', async () => {
    const { out, code } = await run('list');
    expect(code).toBe(0);
    expect(out).toMatch(/^guard +2\.0\.0 +pending +extensions +It is loaded when a gateway starts: /m);
    expect(out).toMatch(/^strict +failed +extensions +plugins\.entries\.strict\.config\.key must be integer\.$/m);
    expect(out).not.toContain('sk-secret');
  });

  it('says that there are none', async () => {
    await running.start(() => ({ plugins: { list: () => [] } }));
    expect((await run('list')).out).toMatch(/^There are no plugins\. .*install/);
  });
});

describe('atrium plugins inspect', () => {
  it('shows what a loaded plugin registered and what it may do', async () => {
    await running.start(() => ({ plugins }));
    const { out } = await run('inspect', 'greeter');
    expect(out).toMatch(/^greeter \(Greeter\)\n/);
    expect(out).toMatch(/^ {2}state +loaded: It is installed\.$/m);
    expect(out).toMatch(/^ {2}runs in +the worker: /m);
    expect(out).toMatch(
      /^ {2}may read what is said +no; set plugins\.entries\.greeter\.hooks\.allowConversationAccess to true/m,
    );
    expect(out).toMatch(/^ {2}hook +message_received, armed, priority 5, 30000 ms$/m);
    expect(out).toMatch(/^ {2}tool +greet$/m);
    expect(out).toMatch(/^ {2}command +\/hello$/m);
    expect(out).toMatch(/^ {2}note +The tool "greet" is not in its manifest\.$/m);
    expect(await running.home.runJson(['plugins', 'inspect', 'greeter'])).toEqual(plugins.plugin);
  });

  it('says without a gateway what its files say, harmless for a terminal', async () => {
    const { out } = await run('inspect', 'guard');
    expect(out).toMatch(/^ {2}what +Watches.*over tools\.$/m);
    expect(out).not.toContain('\u001b');
    expect(out).toMatch(/No gateway is running, so what it registers is not known; --load loads it to see\.\n$/);
  });

  it('loads it without a gateway when it is asked to, and leaves its state as it is', async () => {
    const { out, err, code } = await run('inspect', 'herald', '--load');
    expect(code).toBe(0);
    expect(err).toBe('herald: loading\n');
    expect(out).toMatch(/^ {2}state +disabled: It is a memory, and plugins\.slots\.memory names none\./m);
    expect(out).toMatch(/^ {2}runs in +the worker: /m);
    expect(out).toMatch(/^ {2}hook +message_received, armed, /m);
    expect(out).toMatch(/^ {2}hook +llm_input, blocked, /m);
    expect(out).toMatch(/^ {2}command +\/herald$/m);
    expect(out).toMatch(/^ {2}service +post$/m);
    expect(out).toMatch(/No gateway is running; it was loaded for this look only\.\n$/);
    expect(await running.home.runJson(['plugins', 'inspect', 'herald', '--load'])).toMatchObject({
      state: 'disabled',
      commands: ['herald'],
    });
  });

  it('says why it does not load, and exits with 1', async () => {
    const { out, code } = await run('inspect', 'guard', '--load');
    expect(code).toBe(1);
    expect(out).toMatch(/^ {2}state +failed: nobody may run this \(index\.ts:1\)\.$/m);
    expect(await run('inspect', 'strict', '--load')).toMatchObject({
      code: 1,
      out: expect.stringContaining('plugins.entries.strict.config.key must be integer.'),
    });
  });

  it('asks the running gateway for what that has loaded, and loads the rest', async () => {
    await running.start(() => ({ plugins }));
    expect((await run('inspect', 'greeter', '--load')).out).toMatch(/^ {2}tool +greet$/m);
  });

  it('knows only what there is', async () => {
    expect(await run('inspect', 'gard')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "guard"?'),
    });
  });
});

describe('atrium plugins disable and enable', () => {
  it('write the switch, keep comments, and say what follows', async () => {
    const off = await run('disable', 'guard');
    expect(off.out).toMatch(
      /^Wrote plugins\.entries\.guard\.enabled = false to .*openclaw\.json\.\nguard is not loaded\. /,
    );
    expect(await running.home.read('openclaw.json')).toMatch(/\/\/ Mine\.[\s\S]*guard/);
    expect((await run('disable', 'guard')).out).toMatch(/^guard is disabled already; nothing was written\./);
    const on = await run('enable', 'guard');
    expect(on.out).toMatch(/enabled = true to .*\nIt is loaded when a gateway starts\.\n$/);
  });

  it('add to the list of allowed plugins, without which it would not load', async () => {
    await running.home.write('openclaw.json', '{ plugins: { allow: ["other"] } }');
    const { out } = await run('enable', 'guard');
    expect(out).toMatch(/Added guard to plugins\.allow in /);
    expect(out).toMatch(/It is loaded when a gateway starts\.\n$/);
  });

  it('say when another setting decides', async () => {
    await running.home.write('openclaw.json', '{ plugins: { deny: ["guard"] } }');
    expect((await run('enable', 'guard')).out).toMatch(/guard is not loaded\. plugins\.deny names it\./);
  });

  it('tell a running gateway', async () => {
    await running.home.write('extensions/greeter/index.ts', '');
    await running.start(() => ({ plugins }));
    expect((await run('enable', 'greeter')).out).toMatch(/greeter is loaded\.\n$/);
    expect(plugins.plugin.generation).toBe(2);
  });

  it('know only what there is', async () => {
    expect((await run('enable', 'gard')).code).toBe(2);
    expect(await running.home.read('openclaw.json')).not.toContain('gard:');
  });
});

describe('atrium plugins reload', () => {
  it('loads one or all again', async () => {
    await running.start(() => ({ plugins }));
    expect(await run('reload', 'greeter')).toMatchObject({ code: 0, out: 'greeter is loaded.\n' });
    expect(await run('reload')).toMatchObject({ code: 0, out: 'greeter is loaded.\n' });
    const blocked = { level: 'warn', code: 'blocked-hook', message: 'Its handler is blocked.' } as const;
    plugins.plugin = { ...plugins.plugin, notes: [blocked] };
    expect((await run('reload', 'greeter')).out).toBe(
      'greeter is loaded. There is a warning: see "atrium plugins inspect greeter".\n',
    );
    expect(plugins.plugin.generation).toBe(4);
  });

  it('says what is not as it should be, also with its exit code', async () => {
    const failure = { level: 'error', code: 'load-failed', message: 'It threw.' } as const;
    plugins.plugin = { ...plugins.plugin, reason: 'It goes on.', notes: [failure] };
    await running.start(() => ({ plugins }));
    expect(await run('reload', 'greeter')).toMatchObject({
      code: 1,
      out: 'greeter was not loaded again. It goes on.\n',
    });
    plugins.plugin = { ...plugins.plugin, state: 'suspended', reason: 'It was stuck.', notes: [] };
    expect(await run('reload')).toMatchObject({ code: 1, out: 'greeter is suspended. It was stuck.\n' });
    plugins.plugin = { ...plugins.plugin, state: 'failed', reason: 'Its files are gone.' };
    expect(await run('reload', 'greeter')).toMatchObject({
      code: 1,
      out: 'greeter could not be loaded. Its files are gone.\n',
    });
    expect((await run('reload', 'greter')).code).toBe(2);
  });

  it('needs a gateway', async () => {
    expect(await run('reload')).toMatchObject({ code: 2, err: expect.stringContaining('atrium start') });
  });
});

it('atrium config check names plugins that cannot be loaded', async () => {
  const { out, code } = await running.home.run(['config', 'check']);
  expect(code).toBe(0);
  expect(out).toContain('The plugin "strict" cannot be loaded: plugins.entries.strict.config.key must be integer.');
});
