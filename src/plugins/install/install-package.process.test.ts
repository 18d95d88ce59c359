import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InstallBlockedError } from '../../cli/errors.ts';
import { NpmRegistry } from './fixtures/npm-registry.ts';
import { ScratchPackages } from './fixtures/scratch-packages.ts';
import { hashPluginFolder } from './hash-plugin-folder.ts';
import { installQuestion } from './install-event.ts';
import { type InstallRequest, installPackage, type StagedInstall } from './install-package.ts';
import { installRecordsFile, readInstallRecords } from './install-records.ts';
import { parseInstallSource } from './install-source.ts';
import { uninstallPackage } from './uninstall-package.ts';

let packages: ScratchPackages;
let stateDir: string;
beforeEach(async () => {
  packages = await ScratchPackages.create();
  stateDir = packages.path('state');
});
afterEach(() => packages.remove());

const agree = async () => true;

async function install(
  spec: string,
  changes: Partial<InstallRequest> = {},
  review: (s: StagedInstall) => Promise<boolean> = agree,
) {
  const source = await parseInstallSource(spec, (path) => path);
  const variables = { PATH: process.env.PATH, HOME: packages.dir };
  return installPackage(
    { wanted: 'plugin', source, stateDir, force: false, now: () => 1_000, variables, ...changes },
    review,
  );
}

/** Everything below the state directory that is no folder. */
async function stateFiles(): Promise<readonly string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(stateDir.length + 1))
    .sort();
}

describe('installing a plugin', () => {
  it('from a folder copies it, looks through it, and writes it down', async () => {
    const folder = await packages.writePlugin('greeter', { 'lib/net.js': 'fetch(address)' });
    let seen: StagedInstall | undefined;
    const installed = await install(folder, {}, async (staged) => {
      seen = staged;
      expect(await stateFiles()).not.toContain('extensions/greeter/index.js');
      return true;
    });
    const dir = join(stateDir, 'extensions/greeter');
    expect(seen?.scan.findings).toEqual([expect.objectContaining({ ruleId: 'fetch', file: 'lib/net.js', line: 1 })]);
    expect(installed?.record).toEqual({
      kind: 'plugin',
      id: 'greeter',
      dir,
      spec: folder,
      origin: 'folder',
      name: 'greeter',
      version: '1.2.3',
      integrity: await hashPluginFolder(dir),
      archiveIntegrity: null,
      installedAt: 1_000,
    });
    expect(await readInstallRecords(stateDir)).toEqual([installed?.record]);
    expect((await stat(installRecordsFile(stateDir))).mode & 0o777).toBe(0o600);
    expect(await stateFiles()).toEqual([
      ...['index.js', 'lib/net.js', 'openclaw.plugin.json', 'package.json'].map((file) => `extensions/greeter/${file}`),
      'extensions/installs.json',
    ]);
  });

  it('from an archive does the same', async () => {
    await packages.writePlugin('greeter');
    const installed = await install(await packages.pack('greeter'));
    expect(installed?.record).toMatchObject({ id: 'greeter', origin: 'archive', version: '1.2.3' });
  });

  it('leaves nothing behind when it is refused or fails', async () => {
    const folder = await packages.writePlugin('greeter', {
      'package.json': JSON.stringify({ name: 'greeter', dependencies: { local: 'file:../secret' } }),
    });
    expect(await install(folder, {}, async () => false)).toBeUndefined();
    const refusal = new InstallBlockedError({ target: 'greeter', by: 'guard', reason: 'no' });
    await expect(install(folder, {}, () => Promise.reject(refusal))).rejects.toBe(refusal);
    await expect(install(folder)).rejects.toThrow(/"local" is refused.*comes from "file:\.\.\/secret"/);
    expect(await stateFiles()).toEqual([]);
  });

  it('again keeps the old one until the new one is there', async () => {
    const folder = await packages.writePlugin('greeter', { 'old.js': '' });
    await install(folder);
    const newer = await packages.writePlugin('greeter', {
      'old.js': 'new',
      'package.json': JSON.stringify({ name: 'greeter', version: '2.0.0', dependencies: { bad: 'git+ssh://x/y' } }),
    });
    await expect(install(newer)).rejects.toThrow(/"bad" is refused/);
    expect(await readFile(join(stateDir, 'extensions/greeter/old.js'), 'utf8')).toBe('');
    await packages.writePlugin('greeter', { 'old.js': 'new' });
    await install(folder, { now: () => 2_000 }, async ({ replaces }) => {
      expect(replaces).toMatchObject({ id: 'greeter', installedAt: 1_000 });
      return true;
    });
    expect(await readFile(join(stateDir, 'extensions/greeter/old.js'), 'utf8')).toBe('new');
    expect(await readInstallRecords(stateDir)).toEqual([expect.objectContaining({ installedAt: 2_000 })]);
  });

  it('does not take the place of another package, or of what somebody put there, unless it is told to', async () => {
    await install(await packages.writePlugin('greeter'));
    const impostor = await packages.writePlugin('impostor', { 'openclaw.plugin.json': '{ "id": "greeter" }' });
    await expect(install(impostor)).rejects.toThrow(/another package, greeter, is installed under this name/);
    await mkdir(join(stateDir, 'extensions/own'), { recursive: true });
    const own = await packages.writePlugin('own');
    await expect(install(own)).rejects.toThrow(/was not put there by this command/);
    await install(impostor, { force: true });
    await install(own, { force: true });
    expect((await readInstallRecords(stateDir)).map(({ id, name }) => [id, name])).toEqual([
      ['greeter', 'impostor'],
      ['own', 'own'],
    ]);
  });

  it('refuses names that would be another folder', async () => {
    for (const id of ['../up', '..', 'a/b', '', 'node_modules', 'x__y', 'a\nb', '__proto__']) {
      const folder = await packages.writePlugin('odd', { 'openclaw.plugin.json': JSON.stringify({ id }) });
      const result = install(folder);
      if (id === '') await expect(result).resolves.toMatchObject({ record: { id: 'odd' } });
      else await expect(result).rejects.toMatchObject({ code: 'ATRIUM_INSTALL_NOTHING' });
    }
    const scoped = await packages.writePlugin('scoped', { 'openclaw.plugin.json': '{ "id": "@team/tool" }' });
    expect((await install(scoped))?.record.dir).toBe(join(stateDir, 'extensions/team__tool'));
  });

  it('says what a folder is that is no plugin', async () => {
    const nothing = await packages.write('nothing', { 'package.json': '{ "name": "left-pad" }' });
    await expect(install(nothing)).rejects.toThrow(/no openclaw\.plugin\.json/);
    const skill = await packages.write('skill', { 'SKILL.md': '---\nname: pdf\n---\n' });
    await expect(install(skill)).rejects.toThrow(/"atrium skills install"/);
  });

  it('puts a hook pack where hook packs are', async () => {
    const pack = await packages.write('pack', {
      'package.json': '{ "name": "@someone/openclaw-hook-greeter", "version": "1.0.0" }',
      'HOOK.md': '---\nname: greeter\n---\n',
      'handler.js': 'export default () => {}',
    });
    const installed = await install(pack);
    expect(installed?.record).toMatchObject({ kind: 'hook-pack', id: 'greeter', dir: join(stateDir, 'hooks/greeter') });
  });

  it('one at a time, and a killed one does not stand in the way', async () => {
    const folder = await packages.writePlugin('greeter');
    await install(folder, {}, async () => {
      await expect(install(folder)).rejects.toMatchObject({ code: 'ATRIUM_INSTALL_BUSY', pid: process.pid });
      return true;
    });
    const root = join(stateDir, 'atrium/installing');
    const target = join(stateDir, 'extensions/greeter');
    // As if the command had been killed between taking the old one away and putting the new one there.
    await mkdir(join(root, 'job-x'));
    await writeFile(join(root, 'held-by'), '999999999');
    await writeFile(join(root, 'job-x/old-place'), target);
    await rename(target, join(root, 'job-x/old'));
    await install(await packages.writePlugin('other'));
    expect(await readdir(join(stateDir, 'extensions'))).toEqual(['greeter', 'installs.json', 'other']);
    expect(await readdir(root)).toEqual([]);
  });

  it('does not write over a list that it cannot read', async () => {
    await mkdir(join(stateDir, 'extensions'), { recursive: true });
    await writeFile(installRecordsFile(stateDir), '{"installs":[{"id":"half"}]}');
    await expect(install(await packages.writePlugin('greeter'))).rejects.toThrow(/its entry 1 is incomplete/);
    expect(await stateFiles()).toEqual(['extensions/installs.json']);
  });

  it('tells handlers what is installed, in the names that they know', async () => {
    const folder = await packages.writePlugin('greeter', { 'run.js': 'eval(x)' });
    await install(folder, {}, async (staged) => {
      const { event, context } = installQuestion(staged);
      expect(context).toEqual({ targetType: 'plugin', requestKind: 'plugin-dir', origin: 'folder' });
      expect(event).toMatchObject({
        targetType: 'plugin',
        targetName: 'greeter',
        sourcePathKind: 'directory',
        request: { kind: 'plugin-dir', mode: 'install', requestedSpecifier: folder },
        builtinScan: { status: 'ok', scannedFiles: 3, critical: 1, warn: 0, info: 0, findings: [{ ruleId: 'eval' }] },
        plugin: { pluginId: 'greeter', contentType: 'package', version: '1.2.3', extensions: ['./index.js'] },
      });
      expect(await readdir(event.sourcePath)).toContain('run.js');
      return true;
    });
  });
});

describe('installing a skill', () => {
  it('takes the folder with the SKILL.md, wherever it stands in the package', async () => {
    const top = await packages.write('pdf', { 'SKILL.md': '---\nname: pdf-reader\n---\n', 'run.py': 'print(1)' });
    expect((await install(top, { wanted: 'skill' }))?.record.dir).toBe(join(stateDir, 'skills/pdf-reader'));
    const inner = await packages.write('many', { 'README.md': '', 'skills/csv/SKILL.md': 'No front matter.' });
    expect((await install(inner, { wanted: 'skill' }))?.record).toMatchObject({
      kind: 'skill',
      id: 'csv',
      version: null,
    });
    expect(await readdir(join(stateDir, 'skills/csv'))).toEqual(['SKILL.md']);
  });

  it('is refused when there is none, or more than one', async () => {
    const two = await packages.write('two', { 'a/SKILL.md': '', 'skills/b/SKILL.md': '' });
    await expect(install(two, { wanted: 'skill' })).rejects.toThrow(/several skills \(a, skills\/b\)/);
    await expect(install(await packages.writePlugin('none'), { wanted: 'skill' })).rejects.toThrow(/no SKILL\.md/);
  });
});

describe('installing from npm', () => {
  let registry: NpmRegistry;
  beforeEach(async () => {
    registry = await NpmRegistry.start();
  });
  afterEach(() => registry.close());

  const fromNpm = (spec: string) =>
    install(spec, {
      variables: {
        PATH: process.env.PATH,
        HOME: packages.dir,
        npm_config_registry: registry.url,
        npm_config_cache: packages.path('cache'),
        SECRET_KEY: 'not for npm',
      },
    });

  async function publish(name: string, changes: Record<string, unknown>, files: Readonly<Record<string, string>> = {}) {
    const packageJson = { name, version: '1.0.0', ...changes };
    const folder = name.replaceAll('/', '-');
    await packages.write(folder, { 'package.json': JSON.stringify(packageJson), 'index.js': '', ...files });
    await registry.publish(packageJson, await packages.pack(folder));
  }

  it('fetches the package and what it needs, runs nothing, and does not fetch the host', async () => {
    const marker = packages.path('ran');
    const script = { scripts: { preinstall: `touch ${marker}`, postinstall: `touch ${marker}` } };
    await publish('openclaw', {});
    await publish('deep', { dependencies: { openclaw: '*' }, ...script });
    await publish('peer', {});
    await publish(
      '@someone/tool',
      {
        ...script,
        openclaw: { extensions: ['./index.js'] },
        dependencies: { deep: '^1.0.0' },
        optionalDependencies: { 'not-there': '1.0.0' },
        devDependencies: { 'not-wanted': '1.0.0' },
        peerDependencies: { openclaw: '>=2026', peer: '*' },
      },
      { '.npmrc': 'registry=http://127.0.0.1:9/\n', 'openclaw.plugin.json': '{ "id": "tool" }' },
    );
    const installed = await fromNpm('@someone/tool@^1');
    expect(installed?.record).toMatchObject({
      ...{ id: 'tool', spec: '@someone/tool@^1', name: '@someone/tool', version: '1.0.0', origin: 'npm' },
      archiveIntegrity: expect.stringMatching(/^sha512-/),
    });
    expect(installed?.dependencies).toEqual({ count: 2, withScripts: ['deep'] });
    const modules = await readdir(join(stateDir, 'extensions/tool/node_modules'));
    expect(modules.sort()).toEqual(['.package-lock.json', 'deep', 'peer']);
    expect(registry.asked).not.toContain('openclaw');
    expect(registry.asked).not.toContain('not-wanted');
    await expect(stat(marker)).rejects.toThrow();
  });

  it('says what npm says when there is no such package', async () => {
    await expect(fromNpm('nobody-has-this')).rejects.toThrow(/npm could not fetch nobody-has-this.*\n?.*404/);
    expect(await stateFiles()).toEqual([]);
  });

  it('says so when there is no npm', async () => {
    await expect(install('anything', { variables: { PATH: packages.dir } })).rejects.toMatchObject({
      code: 'ATRIUM_INSTALL_NO_NPM',
    });
  });
});

describe('where something is installed from', () => {
  const parse = (text: string) => parseInstallSource(text, (path) => join(packages.dir, path));

  it('is told by its form', async () => {
    await packages.writePlugin('greeter');
    await packages.pack('greeter');
    expect(await parse('some-plugin@1.2.3')).toEqual({ kind: 'npm', spec: 'some-plugin@1.2.3', name: 'some-plugin' });
    expect(await parse('@a/b@latest')).toMatchObject({ kind: 'npm', name: '@a/b' });
    expect(await parse('./greeter')).toMatchObject({ kind: 'folder' });
    expect(await parse('greeter.tgz')).toMatchObject({ kind: 'archive' });
  });

  it.each([
    '',
    'git+https://x/y',
    'https://x/y.tgz',
    'file:../x',
    'npm:x@1',
    './gone',
    'user/repo',
    '--registry=x',
    'a b',
    'x@git:y',
  ])('is not %s', async (text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'ATRIUM_INSTALL_SOURCE' });
  });
});

describe('uninstalling', () => {
  it('removes the folder and the entry, and nothing else', async () => {
    await install(await packages.writePlugin('greeter'));
    await install(await packages.writePlugin('other'));
    expect(await uninstallPackage(stateDir, 'greeter', ['plugin'])).toMatchObject({ id: 'greeter' });
    expect(await readdir(join(stateDir, 'extensions'))).toEqual(['installs.json', 'other']);
    expect((await readInstallRecords(stateDir)).map(({ id }) => id)).toEqual(['other']);
  });

  it('does not touch what it did not install', async () => {
    await install(await packages.writePlugin('greeter'));
    await mkdir(join(stateDir, 'extensions/own'));
    await expect(uninstallPackage(stateDir, 'own', ['plugin'])).rejects.toThrow(/Nothing called "own" was installed/);
    await expect(uninstallPackage(stateDir, 'greter', ['plugin'])).rejects.toThrow(/Did you mean "greeter"/);
    await expect(uninstallPackage(stateDir, 'greeter', ['skill'])).rejects.toMatchObject({
      code: 'ATRIUM_INSTALL_UNKNOWN',
    });
    await expect(uninstallPackage(stateDir, '..', ['plugin'])).rejects.toMatchObject({
      code: 'ATRIUM_INSTALL_UNKNOWN',
    });
    expect(await readdir(join(stateDir, 'extensions'))).toEqual(['greeter', 'installs.json', 'own']);
  });

  it('removes a link that stands in the place, not what it leads to', async () => {
    await install(await packages.writePlugin('greeter'));
    await rm(join(stateDir, 'extensions/greeter'), { recursive: true });
    await packages.write('precious', { file: 'x' });
    await symlink(packages.path('precious'), join(stateDir, 'extensions/greeter'));
    await uninstallPackage(stateDir, 'greeter', ['plugin']);
    expect(await readdir(packages.path('precious'))).toEqual(['file']);
    expect(await readdir(join(stateDir, 'extensions'))).toEqual(['installs.json']);
  });
});
