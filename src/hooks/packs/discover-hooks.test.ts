import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { discoverHooks } from './discover-hooks.ts';

let root: string;
beforeEach(async () => {
  root = await folderForTest();
});

async function write(path: string, text = ''): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function writePack(dir: string, frontMatter = 'metadata: {"openclaw":{"events":["command"]}}'): Promise<void> {
  await write(`${dir}/HOOK.md`, `---\n${frontMatter}\n---\n`);
  await write(`${dir}/handler.js`, 'export default () => {}');
}

describe('discovering hook packs', () => {
  it('finds nothing, and no fault, where there are no directories', async () => {
    const nothing = { packs: [], ignored: [], problems: [] };
    expect(await discoverHooks({})).toEqual(nothing);
    expect(await discoverHooks({ managedDir: join(root, 'no'), workspaceDir: root, extraDirs: ['/no/such'] })).toEqual(
      nothing,
    );
  });

  it('lists packs in the order of their names, in any order on disk', async () => {
    for (const name of ['c', 'a', 'b']) await writePack(`hooks/${name}`);
    const { packs } = await discoverHooks({ managedDir: join(root, 'hooks') });
    expect(packs.map((pack) => pack.name)).toEqual(['a', 'b', 'c']);
  });

  it('lets the managed directory win over an extra one, and both over the bundled one', async () => {
    for (const dir of ['extra', 'bundled', 'managed'])
      await writePack(`${dir}/same`, `name: same\ndescription: ${dir}`);
    await writePack('extra/x');
    const { packs } = await discoverHooks({
      extraDirs: [join(root, 'extra')],
      bundledDir: join(root, 'bundled'),
      managedDir: join(root, 'managed'),
    });
    expect(packs.map((pack) => [pack.name, pack.source, pack.description])).toEqual([
      ['same', 'openclaw-managed', 'managed'],
      ['x', 'openclaw-managed', ''],
    ]);
  });

  it('remembers which plugin brought a pack', async () => {
    await writePack('p/hook');
    const { packs } = await discoverHooks({ pluginDirs: [{ pluginId: 'nice', dir: join(root, 'p') }] });
    expect(packs).toMatchObject([{ name: 'hook', source: 'openclaw-plugin', pluginId: 'nice' }]);
  });

  it('reports a workspace pack that another one of the same name hides', async () => {
    await writePack('managed/same');
    await writePack('ws/hooks/same');
    const { packs, ignored } = await discoverHooks({
      managedDir: join(root, 'managed'),
      workspaceDir: join(root, 'ws'),
    });
    expect(packs.map((pack) => pack.source)).toEqual(['openclaw-managed']);
    expect(ignored.map((collision) => collision.ignored.source)).toEqual(['openclaw-workspace']);
  });

  it('follows a hooks directory that is itself a link', async () => {
    await writePack('real/h');
    await symlink(join(root, 'real'), join(root, 'hooks'));
    expect((await discoverHooks({ managedDir: join(root, 'hooks') })).packs).toHaveLength(1);
  });

  it('follows a link to a pack where the operator put it, and names it elsewhere', async () => {
    await writePack('source/mine');
    await write('source/note.txt');
    for (const place of ['hooks', 'ws/hooks']) {
      await mkdir(join(root, place), { recursive: true });
      await symlink(join(root, 'source/mine'), join(root, place, 'mine'));
      await symlink(join(root, 'nowhere'), join(root, place, 'gone'));
      await symlink(join(root, 'source/note.txt'), join(root, place, 'note.txt'));
    }
    const own = await discoverHooks({ managedDir: join(root, 'hooks') });
    expect(own.packs.map(({ name, dir }) => [name, dir])).toEqual([['mine', join(root, 'hooks/mine')]]);
    expect(own.problems).toMatchObject([{ code: 'link-not-followed', path: join(root, 'hooks/gone') }]);
    const foreign = await discoverHooks({ workspaceDir: join(root, 'ws') });
    expect(foreign.packs).toEqual([]);
    expect(foreign.problems.map(({ path }) => path).sort()).toEqual([
      join(root, 'ws/hooks/gone'),
      join(root, 'ws/hooks/mine'),
    ]);
  });

  it('never reads a file outside a pack, and says so', async () => {
    await write('secret.md', '---\nname: secret\n---\n');
    await write('secret.js', 'export default () => {}');
    await writePack('hooks/md');
    await rm(join(root, 'hooks/md/HOOK.md'));
    await symlink(join(root, 'secret.md'), join(root, 'hooks/md/HOOK.md'));
    await writePack('hooks/handler');
    await symlink(join(root, 'secret.js'), join(root, 'hooks/handler/handler.ts'));
    await write('hooks/pack/package.json', '{"openclaw":{"hooks":["link","../md","../../out"]}}');
    await writePack('out');
    await symlink(join(root, 'out'), join(root, 'hooks/pack/link'));
    const { packs, problems } = await discoverHooks({ managedDir: join(root, 'hooks') });
    // The link is skipped, and the plain handler.js is used.
    expect(packs.map((pack) => pack.handlerPath)).toEqual([join(root, 'hooks/handler/handler.js')]);
    expect(problems.map((problem) => problem.code)).toEqual(Array(5).fill('file-outside'));
  });

  it('is not held up by a pipe that is called HOOK.md', async () => {
    await mkdir(join(root, 'hooks/pipe'), { recursive: true });
    execFileSync('mkfifo', [join(root, 'hooks/pipe/HOOK.md')]);
    const { packs, problems } = await discoverHooks({ managedDir: join(root, 'hooks') });
    expect(packs).toEqual([]);
    expect(problems).toMatchObject([
      { code: 'file-unreadable', message: 'the file cannot be read (not a regular file)' },
    ]);
  });

  it('collects what authors should mend', async () => {
    await write('hooks/empty/HOOK.md', '---\nname: e\n---\n');
    await writePack('hooks/json', 'metadata: {"openclaw":');
    await writePack('hooks/package');
    await write('hooks/package/package.json', '{');
    const { packs, problems } = await discoverHooks({ managedDir: join(root, 'hooks') });
    expect(packs.map((pack) => pack.name)).toEqual(['json', 'package']);
    expect(problems.map((problem) => [problem.code, problem.path.slice(root.length + 1)])).toEqual([
      ['package-unreadable', 'hooks/package/package.json'],
      ['handler-missing', 'hooks/empty'],
      ['metadata-unreadable', 'hooks/json/HOOK.md'],
    ]);
  });
});
