import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScratchHomePlugins } from '../fixtures/scratch-home-plugins.ts';
import { discoverPlugins, type FoundPlugin, isPluginId, type PluginPlaces } from './discover-plugins.ts';

let home: ScratchHomePlugins;
beforeEach(async () => {
  home = await ScratchHomePlugins.create();
});
afterEach(() => home.remove());

const CODE = 'export default () => {};\n';
const discover = (changes: Partial<PluginPlaces> = {}) => discoverPlugins(home.places(changes));
const briefly = ({ id, origin, entryPath }: FoundPlugin) => [id, origin, entryPath?.slice(home.root.length + 1)];
const only = async (changes: Partial<PluginPlaces> = {}): Promise<FoundPlugin> => {
  const { plugins } = await discover(changes);
  expect(plugins).toHaveLength(1);
  return plugins[0] as FoundPlugin;
};

describe('plugins are found', () => {
  it('nowhere in an untouched home, without a complaint', async () => {
    expect(await discover()).toEqual({ plugins: [], shadowed: [], problems: [] });
  });

  it('in every place, in an order that does not depend on the disk', async () => {
    await home.write({
      'state/extensions/zebra/openclaw.plugin.json': { id: 'zebra' },
      'state/extensions/zebra/index.js': CODE,
      'state/extensions/alone.mjs': CODE,
      'mine/one.ts': CODE,
      'many/b/index.ts': CODE,
      'many/a/index.ts': CODE,
      'ours/openclaw.plugin.json': { id: 'ours', enabledByDefault: true },
      'ours/index.ts': CODE,
      'workspace/.openclaw/extensions/guest/index.ts': CODE,
    });
    const { plugins, problems } = await discover({
      loadPaths: [join(home.root, 'mine/one.ts'), join(home.root, 'many')],
      bundledDirs: [join(home.root, 'ours')],
    });
    expect(plugins.map(briefly)).toEqual([
      ['one', 'config', 'mine/one.ts'],
      ['a', 'config', 'many/a/index.ts'],
      ['b', 'config', 'many/b/index.ts'],
      ['alone', 'extensions', 'state/extensions/alone.mjs'],
      ['zebra', 'extensions', 'state/extensions/zebra/index.js'],
      ['ours', 'bundled', 'ours/index.ts'],
      ['guest', 'workspace', 'workspace/.openclaw/extensions/guest/index.ts'],
    ]);
    expect(problems).toEqual([]);
  });

  it('by a path that is a plugin itself, whatever lies in it', async () => {
    await home.write({
      'mine/index.ts': CODE,
      'mine/package.json': { name: '@me/nice-plugin' },
      'mine/sub/index.ts': CODE,
    });
    expect(briefly(await only({ loadPaths: [join(home.root, 'mine')] }))).toEqual([
      'nice-plugin',
      'config',
      'mine/index.ts',
    ]);
  });

  it('and not where folders hold something else', async () => {
    await home.write({
      'state/extensions/node_modules/x/index.js': CODE,
      'state/extensions/node_modules/index.js': CODE,
      'state/extensions/old.bak/index.js': CODE,
      'state/extensions/off.disabled/index.js': CODE,
      'state/extensions/.staging/index.js': CODE,
      'state/extensions/pack/HOOK.md': '---\nname: pack\n---\n',
      'state/extensions/pack/handler.js': CODE,
      'state/extensions/types.d.ts': 'export {};',
      'state/extensions/one.test.ts': CODE,
      'state/extensions/installs.json': { installs: [] },
    });
    expect((await discover()).plugins).toEqual([]);
  });

  it('with a sentence for a path that leads nowhere or to no code', async () => {
    await home.write({ 'notes.txt': 'x', 'pack/HOOK.md': '', 'pack/handler.js': CODE });
    const loadPaths = ['gone', 'notes.txt', 'pack'].map((name) => join(home.root, name));
    const { plugins, problems } = await discover({ loadPaths });
    expect(plugins).toEqual([]);
    expect(problems.toSorted()).toEqual([
      expect.stringMatching(/names .*gone, which cannot be read/),
      expect.stringMatching(/names .*notes\.txt, which is no file that can be loaded/),
      expect.stringMatching(/names .*pack, which is no plugin\. Hook packs/),
    ]);
  });

  it('once for each id, the earlier place first, and the workspace last', async () => {
    await home.write({
      'mine/same/index.ts': CODE,
      'state/extensions/same/index.ts': CODE,
      'workspace/.openclaw/extensions/same/index.ts': CODE,
    });
    const { plugins, shadowed } = await discover({ loadPaths: [join(home.root, 'mine')] });
    expect(plugins.map(briefly)).toEqual([['same', 'config', 'mine/same/index.ts']]);
    expect(shadowed.map(({ plugin, by }) => [plugin.origin, by.origin])).toEqual([
      ['extensions', 'config'],
      ['workspace', 'config'],
    ]);
  });

  it('as installed when a command installed them', async () => {
    await home.addExtension('greeter');
    const dir = join(home.stateDir, 'extensions', 'greeter');
    const record = {
      kind: 'plugin',
      id: 'greeter',
      dir,
      spec: '@nice/greeter',
      origin: 'npm',
      name: '@nice/greeter',
      version: '1.0.0',
      integrity: 'sha256-x',
      archiveIntegrity: null,
      installedAt: 5,
    };
    await home.write({ 'state/extensions/installs.json': { installs: [record] } });
    expect(await only()).toMatchObject({ origin: 'installed', install: { spec: '@nice/greeter', installedAt: 5 } });
    await home.write({ 'state/extensions/installs.json': '{ broken' });
    const { plugins, problems } = await discover();
    expect(plugins).toMatchObject([{ id: 'greeter', origin: 'extensions' }]);
    expect(problems).toEqual([expect.stringContaining('installs.json')]);
  });
});

describe('the entry of a package', () => {
  const entryOf = async (openclaw: object, files: readonly string[], more: object = {}) => {
    await home.write({ 'state/extensions/p/package.json': { name: 'p', openclaw, ...more } });
    for (const file of files) await home.write({ [`state/extensions/p/${file}`]: CODE });
    const { entryPath, problem } = await only();
    return entryPath?.slice(join(home.stateDir, 'extensions/p').length + 1) ?? problem;
  };

  it('is its first extension, with or without "./"', async () => {
    expect(await entryOf({ extensions: ['./src/index.ts'] }, ['src/index.ts'])).toBe('src/index.ts');
  });
  it('also without', async () => {
    expect(await entryOf({ extensions: ['dist/main.js'] }, ['dist/main.js'])).toBe('dist/main.js');
  });
  it('is rather what was built for running', async () => {
    const openclaw = { extensions: ['./index.ts'], runtimeExtensions: ['./dist/index.js'] };
    expect(await entryOf(openclaw, ['index.ts', 'dist/index.js'])).toBe('dist/index.js');
  });
  it('is the source when what was built is not there', async () => {
    const openclaw = { extensions: ['./index.ts'], runtimeExtensions: ['./dist/index.js'] };
    expect(await entryOf(openclaw, ['index.ts'])).toBe('index.ts');
  });
  it('is what was built from a source that was not published', async () => {
    expect(await entryOf({ extensions: ['./src/index.ts'] }, ['dist/index.js'])).toBe('dist/index.js');
  });
  it('is the main file when the listed one is missing', async () => {
    expect(await entryOf({ extensions: ['./gone.js'] }, ['lib/main.cjs'], { main: 'lib/main.cjs' })).toBe(
      'lib/main.cjs',
    );
  });
  it('is missing with a sentence that names it', async () => {
    expect(await entryOf({ extensions: ['./gone.js'] }, [])).toMatch(
      /There is no file "\.\/gone\.js" in .* Build the plugin/,
    );
  });
  it('must not lead out of its folder', async () => {
    await home.write({ 'secret.js': CODE });
    expect(await entryOf({ extensions: ['../../../secret.js'] }, [])).toMatch(/leads out of its folder/);
  });
  it('nor be a link that does', async () => {
    await home.write({ 'secret.js': CODE, 'state/extensions/p/package.json': {} });
    await symlink(join(home.root, 'secret.js'), join(home.stateDir, 'extensions/p/index.js'));
    expect(await entryOf({ extensions: ['./index.js'] }, [])).toMatch(/leads out of its folder/);
  });
  it('may be one of several, each a plugin of its own', async () => {
    await home.write({
      'state/extensions/p/package.json': { name: 'p', openclaw: { extensions: ['./a.js', './b.js', './c.js'] } },
      'state/extensions/p/a.js': CODE,
      'state/extensions/p/b.js': CODE,
    });
    const { plugins } = await discover();
    expect(plugins.map(({ id, problem }) => [id, problem === undefined])).toEqual([
      ['p/a', true],
      ['p/b', true],
      ['p/c', false],
    ]);
  });
});

describe('what a plugin says about itself', () => {
  it('comes from its manifest, comments allowed, and else from its package', async () => {
    await home.write({
      'state/extensions/p/openclaw.plugin.json':
        '{ // mine\n id: "nice", name: "Nice\\none", kind: "memory", contracts: { tools: ["a", 5, "b"] }, skills: ["s"], }',
      'state/extensions/p/package.json': { name: '@x/other', version: '2.0.0', description: 'Does it.' },
      'state/extensions/p/index.js': CODE,
    });
    expect((await only()).manifest).toMatchObject({
      id: 'nice',
      name: 'Nice one',
      version: '2.0.0',
      description: 'Does it.',
      kind: ['memory'],
      tools: ['a', 'b'],
      skills: ['s'],
      enabledByDefault: false,
      raw: { kind: 'memory' },
    });
  });

  it.each([
    ['{ "id": ', /openclaw\.plugin\.json cannot be read/],
    ['[]', /openclaw\.plugin\.json is no JSON object/],
    [`{"id":"x","pad":"${'x'.repeat(1_100_000)}"}`, /is larger than 1024 KB/],
    ['{"id":"../../evil"}', /Its id "\.\.\/\.\.\/evil" cannot be used/],
    ['{"id":"a b\\u001b[31m"}', /cannot be used/],
  ])('is a problem of the plugin when it is broken', async (text, problem) => {
    await home.write({ 'state/extensions/p/openclaw.plugin.json': text, 'state/extensions/p/index.js': CODE });
    expect(await only()).toMatchObject({ id: 'p', problem: expect.stringMatching(problem) });
  });

  it('is not read through a link that leads elsewhere, nor from what is no file', async () => {
    await home.write({ 'secret.json': { id: 'secret' }, 'state/extensions/p/index.js': CODE });
    await symlink(join(home.root, 'secret.json'), join(home.stateDir, 'extensions/p/openclaw.plugin.json'));
    await home.write({ 'state/extensions/q/index.js': CODE });
    await mkdir(join(home.stateDir, 'extensions/q/package.json'));
    const { plugins } = await discover();
    expect(plugins.map(({ id, problem }) => [id, problem])).toEqual([
      ['p', expect.stringContaining('is a link')],
      ['q', expect.stringContaining('cannot be read')],
    ]);
  });

  it.skipIf(process.platform === 'win32')('is not believed when everybody may write to it', async () => {
    await home.addExtension('open');
    await chmod(join(home.stateDir, 'extensions/open/index.ts'), 0o666);
    expect((await only()).problem).toMatch(/Every user of this machine may write to .*index\.ts/);
  });

  it('may be found through a link to its folder', async () => {
    await home.write({ 'elsewhere/index.ts': CODE });
    await mkdir(join(home.stateDir, 'extensions'), { recursive: true });
    await symlink(join(home.root, 'elsewhere'), join(home.stateDir, 'extensions/linked'));
    await writeFile(join(home.stateDir, 'extensions/unrelated.txt'), 'x');
    expect(briefly(await only())).toEqual(['linked', 'extensions', 'elsewhere/index.ts']);
  });
});

it('ids are made of harmless letters', () => {
  expect(['a', 'A-1.b_c', '@scope/name', 'p/a'].every(isPluginId)).toBe(true);
  expect(['', '.', '..', 'a/../b', '/a', 'a/', 'a b', 'ä', 'a\n', '-a', 'x'.repeat(129)].some(isPluginId)).toBe(false);
});
