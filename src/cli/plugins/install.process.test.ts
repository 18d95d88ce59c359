import { readdir, stat } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { startGateway } from '../../gateway/start-gateway.ts';
import type { BeforeInstallResult } from '../../hooks/lifecycle-hooks.ts';
import { ScratchPackages } from '../../plugins/install/fixtures/scratch-packages.ts';
import { AtriumProcess, hasTerminals } from '../../testkit/atrium-process.ts';
import { CliHome } from '../fixtures/cli-home.ts';
import { GreeterPlugins } from '../fixtures/greeter.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

let packages: ScratchPackages;
let home: CliHome;
beforeEach(async () => {
  packages = await ScratchPackages.create();
  home = await CliHome.create();
});
afterEach(async () => {
  await home.remove();
  await packages.remove();
});

/** A real one, with its plugins beside it in this process. */
async function runningGateway() {
  await home.write('openclaw.json', '{ plugins: { entries: { greeter: { isolation: "inline" } } } }');
  const environment = readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
  const loaded = await loadConfig({ environment });
  const { services, stop } = await startGateway({ environment, loaded, port: 0, warn: () => {} });
  onTestFinished(() => stop(0));
  return services;
}

const isThere = (path: string) =>
  stat(home.path(path)).then(
    () => true,
    () => false,
  );

describe('atrium plugins install', () => {
  it('shows what a plugin uses, installs it and says what comes next', async () => {
    const folder = await packages.writePlugin('greeter', {
      'index.js': 'const { exec } = require("node:child_process");\nfetch("http://127.0.0.1");\n',
      'lib/a.js': 'process.env.A;\nprocess.env.B;\nprocess.env.C;\nprocess.env.D;\n',
    });
    const { code, out, err } = await home.run(['plugins', 'install', folder, '--yes']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      [
        'plugin     greeter',
        'package    greeter 1.2.3',
        `from       ${folder}`,
        `to         ${home.path('extensions/greeter')}`,
        '',
        '3 files looked through. By the words in it, it',
        '  !! starts other programs: index.js:1',
        '   ! talks to the network: index.js:2',
        '   ! reads environment variables: lib/a.js:1, lib/a.js:2, lib/a.js:3 and 1 more',
        `Installed greeter 1.2.3 in ${home.path('extensions/greeter')}.`,
        'It is loaded when the gateway starts. Then see it with: atrium plugins inspect greeter',
        '',
      ].join('\n'),
    );
    expect((await home.run(['plugins', 'list'])).out).toMatch(/greeter +1\.2\.3 +pending +installed/);
  });

  it('installs and removes nothing where another program decides what is installed', async () => {
    const folder = await packages.writePlugin('greeter');
    const env = { OPENCLAW_NIX_MODE: '1' };
    const refused = await home.run(['plugins', 'install', folder, '--yes'], { env });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('because OPENCLAW_NIX_MODE is 1')]);
    expect(await isThere('extensions/greeter')).toBe(false);
    expect((await home.run(['plugins', 'install', folder, '--yes'])).code).toBe(0);
    expect((await home.run(['plugins', 'uninstall', 'greeter'], { env })).code).toBe(2);
    expect((await home.run(['skills', 'uninstall', 'greeter'], { env })).err).toContain('OPENCLAW_NIX_MODE');
    expect(await isThere('extensions/greeter')).toBe(true);
  });

  it('does not install when nobody is there to say yes', async () => {
    const folder = await packages.writePlugin('greeter');
    const { code, out, err } = await home.run(['plugins', 'install', folder]);
    expect(code).toBe(2);
    expect(out).toContain('That does not mean that it is safe.');
    expect(err).toMatch(
      /"greeter" was not installed, because there is no terminal at which you could be asked\..*--yes/,
    );
    expect(await isThere('extensions/greeter')).toBe(false);
    expect((await home.run(['plugins', 'install', folder, '--json'])).err).toMatch(/--yes/);
  });

  it.runIf(hasTerminals)('asks at a terminal, and takes only a yes for one', async () => {
    const folder = await packages.writePlugin('greeter');
    for (const [answer, code] of [
      ['\n', 1],
      ['n\n', 1],
      ['y\n', 0],
    ] as const) {
      const atrium = new AtriumProcess(['plugins', 'install', folder], { home: home.home, isTerminal: true });
      await atrium.until('Install greeter? [y/N]');
      atrium.type(answer);
      expect(await atrium.ended()).toBe(code);
      expect(await isThere('extensions/greeter')).toBe(code === 0);
      expect(atrium.out).toContain(code === 0 ? 'Installed greeter' : 'Nothing was installed.');
    }
  });

  it('prints JSON for programs', async () => {
    const folder = await packages.writePlugin('greeter', { 'index.js': 'eval(x)' });
    expect(await home.runJson(['plugins', 'install', folder, '--yes'])).toMatchObject({
      installed: { kind: 'plugin', id: 'greeter', origin: 'folder', installedAt: Date.parse('2026-05-06T10:00:00Z') },
      dependencies: { count: 0, withScripts: [] },
      scan: { scannedFiles: 2, findings: [{ ruleId: 'eval', severity: 'critical', file: 'index.js', line: 1 }] },
      gateway: { told: 'no gateway' },
    });
  });

  it('finds paths from where it is run, and keeps a name from moving the cursor', async () => {
    await packages.writePlugin('greeter', {
      'package.json': JSON.stringify({ name: 'greeter\u001b[2J', description: 'one\ntwo' }),
    });
    const { code, out } = await home.run(['plugins', 'install', './greeter', '--yes'], { cwd: packages.dir });
    expect(code).toBe(0);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('says       one two\n');
  });

  it('puts a hook pack where hook packs are', async () => {
    await home.write('workspace/AGENTS.md', 'Be kind.');
    const pack = await packages.write('pack', {
      'package.json': '{ "name": "hook-greeter", "version": "1.0.0" }',
      'HOOK.md': '---\nname: greeter\nmetadata: { "openclaw": { "events": ["agent:bootstrap"] } }\n---\n',
      'handler.js': 'export default () => {};\n',
    });
    const { out } = await home.run(['plugins', 'install', pack, '--yes']);
    expect(out).toContain('hook pack  greeter\n');
    expect(out).toContain('atrium hooks info greeter');
    expect((await home.run(['hooks', 'list'])).out).toContain('hook:greeter');
    expect((await home.run(['plugins', 'uninstall', 'greeter'])).code).toBe(0);
    expect(await isThere('hooks/greeter')).toBe(false);
  });
});

describe('atrium plugins install beside a gateway', () => {
  let running: RunningGateway;
  let folder: string;
  let answer: BeforeInstallResult;
  const plugins = new GreeterPlugins();
  const checked: object[] = [];
  beforeEach(async () => {
    running = await RunningGateway.create();
    checked.length = 0;
    const handler = (event: object) => {
      checked.push(event);
      return answer;
    };
    await running.start(() => ({ plugins }), {
      register: (hooks) => void hooks.register({ hook: 'before_install', id: 'guard', owner: 'guard', handler }),
    });
    folder = await packages.writePlugin('greeter', { 'index.js': 'eval(x)' });
  });
  afterEach(() => running.remove());

  it('asks its plugins, shows what they add, and has it loaded', async () => {
    answer = { findings: [{ ruleId: 'x', severity: 'warn', file: 'index.js', line: 1, message: 'looks\nodd' }] };
    const { code, out } = await running.home.run(['plugins', 'install', folder, '--yes']);
    expect(code).toBe(0);
    expect(out).toContain('Plugins add:\n   ! looks odd (index.js:1)\n');
    expect(checked).toEqual([
      expect.objectContaining({
        targetName: 'greeter',
        builtinScan: expect.objectContaining({ critical: 1 }),
        plugin: expect.objectContaining({ pluginId: 'greeter' }),
      }),
    ]);
    expect(plugins.plugin.generation).toBe(2);
    expect(out).toContain('greeter is loaded.\n');
  });

  it('installs nothing that a plugin refuses', async () => {
    answer = { block: true, blockReason: 'It uses eval' };
    const { code, err } = await running.home.run(['plugins', 'install', folder, '--yes']);
    expect(code).toBe(2);
    expect(err).toContain('the before_install handler of "guard" refused it: It uses eval.');
    await expect(readdir(running.home.path('extensions'))).rejects.toThrow();
  });

  it('installs nothing when the question cannot be asked', async () => {
    await running.hang();
    const { code, err } = await running.home.run(['plugins', 'install', folder, '--yes']);
    expect(code).toBe(2);
    expect(err).toMatch(/"greeter" was not installed, because the before_install handlers could not be asked/);
    await expect(readdir(running.home.path('extensions'))).rejects.toThrow();
  });
});

describe('atrium plugins install without a gateway, where a plugin has a say', () => {
  const guard = (answer: string) =>
    `export default { register(api) { api.on('before_install', (event) => ${answer}); } };`;

  async function installWith(answer: string) {
    await home.write('openclaw.json', '{ plugins: { entries: { guard: { isolation: "inline" } } } }');
    await home.write(
      'extensions/guard/openclaw.plugin.json',
      '{ "id": "guard", "configSchema": { "type": "object" } }',
    );
    await home.write('extensions/guard/index.mjs', guard(answer));
    return home.run(['plugins', 'install', await packages.writePlugin('greeter', { 'x.js': 'eval(x)' }), '--yes']);
  }

  it('asks it all the same, in a gateway for that moment', async () => {
    const noted = await installWith(
      '({ findings: [{ ruleId: "g", severity: "info", file: "x.js", line: 1, message: "found " + event.builtinScan.critical }] })',
    );
    expect([noted.code, noted.err]).toEqual([0, '']);
    expect(noted.out).toContain('Plugins add:\n   - found 1 (x.js:1)\n');
    expect(await isThere('extensions/greeter')).toBe(true);
  });

  it('asks one that the operator let in from the workspace, too', async () => {
    await home.write('openclaw.json', '{ plugins: { entries: { guard: { enabled: true, isolation: "inline" } } } }');
    await home.write('workspace/.openclaw/extensions/guard/openclaw.plugin.json', '{ "id": "guard" }');
    await home.write('workspace/.openclaw/extensions/guard/index.mjs', guard('({ block: true, blockReason: "no" })'));
    const { code, err } = await home.run(['plugins', 'install', await packages.writePlugin('greeter'), '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining('"guard" refused it: no.')]);
  });

  it('is refused when it blocks or fails', async () => {
    const blocked = await installWith('({ block: true, blockReason: "no " + event.targetName + " here" })');
    expect([blocked.code, blocked.err]).toEqual([2, expect.stringContaining('"guard" refused it: no greeter here.')]);
    const failed = await installWith('{ throw new Error("boom"); }');
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining('"guard" refused it')]);
    expect(await isThere('extensions/greeter')).toBe(false);
  });
});

describe('atrium plugins uninstall', () => {
  it('has a running gateway unload it', async () => {
    const { plugins } = await runningGateway();
    await home.run(['plugins', 'install', await packages.writePlugin('greeter'), '--yes']);
    expect(plugins.list().map(({ id, state }) => [id, state])).toEqual([['greeter', 'loaded']]);
    const { out } = await home.run(['plugins', 'uninstall', 'greeter']);
    expect(out).toContain('The running gateway has unloaded it.\n');
    expect(plugins.list()).toEqual([]);
  });

  it('removes the plugin and says which settings stay', async () => {
    const folder = await packages.writePlugin('greeter');
    await home.write('openclaw.json', '{ plugins: { entries: { greeter: { config: { a: 1 } } }, deny: ["greeter"] } }');
    await home.run(['plugins', 'install', folder, '--yes']);
    const { code, out } = await home.run(['plugins', 'uninstall', 'greeter']);
    expect(code).toBe(0);
    expect(out).toContain('Still in the configuration: plugins.entries.greeter, plugins.deny.');
    expect(await isThere('extensions/greeter')).toBe(false);
    expect(await home.read('openclaw.json')).toContain('config: { a: 1 }');
  });

  it('empties its settings when that is asked for', async () => {
    const folder = await packages.writePlugin('greeter');
    await home.write('openclaw.json', '{ plugins: { entries: { greeter: { config: { a: 1 } } } } /* mine */ }');
    await home.run(['plugins', 'install', folder, '--yes']);
    const { out } = await home.run(['plugins', 'uninstall', 'greeter', '--purge-config']);
    expect(out).toContain('Wrote plugins.entries.greeter = {}.');
    expect(await home.read('openclaw.json')).toMatch(/greeter: \{\s*\}.*mine/s);
  });

  it('does not remove what it did not install', async () => {
    await home.write('extensions/own/index.js', '');
    const { code, err } = await home.run(['plugins', 'uninstall', 'own']);
    expect(code).toBe(2);
    expect(err).toContain('Remove what you put into the state directory yourself by hand.');
    expect(await isThere('extensions/own')).toBe(true);
  });
});
