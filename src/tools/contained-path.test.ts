import { mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { isAtriumError } from '../protocol/errors.ts';
import { forAllAsync } from '../testkit/for-all.ts';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { openContainedFile, openContainedTarget, type WorkspacePlace } from './contained-path.ts';
import { ToolPathError } from './errors.ts';
import { readWholeText } from './file-text.ts';
import { replaceFile } from './replace-file.ts';

const scratch = workspaceForEachTest({ 'notes/a.md': 'inside', 'b.md': 'also inside' });
beforeEach(async () => {
  await scratch.writeOutside('secret.md', 'secret');
});

/** Links are only ever made inside the folder of this test. */
async function link(target: string, path: string): Promise<void> {
  const parent = await realpath(dirname(path));
  if (relative(scratch.root, parent).startsWith('..')) throw new Error(`${parent} is not ours`);
  await symlink(target, join(parent, basename(path)));
}

const signal = new AbortController().signal;

async function read(path: string, place: Partial<WorkspacePlace> = {}): Promise<string> {
  const file = await openContainedFile({ workspaceDir: scratch.workspaceDir, ...place }, path);
  return readWholeText(path, file).finally(() => file.handle.close());
}

async function write(
  path: string,
  text: string,
  place: Partial<WorkspacePlace> = {},
  createFolders = true,
): Promise<void> {
  const workspace = { workspaceDir: scratch.workspaceDir, ...place };
  const target = await openContainedTarget(workspace, path, { createFolders });
  await replaceFile(target, path, text, { signal }).finally(() => target.folder.close());
}

/** With the system's list of open files, and without it as on systems that have none. */
const SYSTEMS: [string, Partial<WorkspacePlace>][] = [
  ['by open folders', {}],
  ['by paths', { descriptorDir: '/nowhere' }],
];

describe.each(SYSTEMS)('a path is followed %s and', (_, place) => {
  it('may be relative, absolute, or begin at home, as long as it ends in the workspace', async () => {
    const home = { ...place, home: scratch.root };
    expect(await read('notes/a.md', place)).toBe('inside');
    expect(await read('./notes/../notes/a.md', place)).toBe('inside');
    expect(await read(scratch.path('b.md'), place)).toBe('also inside');
    expect(await read('~/workspace/b.md', home)).toBe('also inside');
    await expect(read('~/outside/secret.md', home)).rejects.toThrow(ToolPathError);
  });

  it('may pass links that stay inside', async () => {
    await link('notes', scratch.path('short'));
    await link('../b.md', scratch.path('notes/up.md'));
    expect(await read('short/up.md', place)).toBe('also inside');
    await write('short/up.md', 'changed', place);
    expect(await readFile(scratch.path('b.md'), 'utf8')).toBe('changed');
    expect((await readdir(scratch.path('notes'))).sort()).toEqual(['a.md', 'up.md']);
  });

  it('may begin at a workspace that is itself a link', async () => {
    await link('workspace', join(scratch.root, 'alias'));
    const workspaceDir = join(scratch.root, 'alias');
    expect(await read('b.md', { ...place, workspaceDir })).toBe('also inside');
    expect(await read(join(workspaceDir, 'b.md'), { ...place, workspaceDir })).toBe('also inside');
    expect(await read(scratch.path('b.md'), { ...place, workspaceDir })).toBe('also inside');
  });

  it.each([
    '../outside/secret.md',
    'notes/../../outside/secret.md',
    '..',
    '/etc/hostname',
    'notes/a.md\0.png',
    '\0',
    '',
    '   ',
  ])('is refused when it is %j', async (path) => {
    await expect(read(path, place)).rejects.toThrow(ToolPathError);
    await expect(write(path, 'mine', place)).rejects.toThrow(ToolPathError);
    expect(await readFile(join(scratch.outsideDir, 'secret.md'), 'utf8')).toBe('secret');
  });

  it('is refused when it is longer than any path', async () => {
    await expect(read('x'.repeat(5_000), place)).rejects.toThrow(ToolPathError);
    await expect(read(`${'x'.repeat(300)}.md`, place)).rejects.toThrow('its name is too long');
  });

  it('is refused when a link on the way leads out, for a file, a folder, and a file that is not there yet', async () => {
    await link('../outside', scratch.path('door'));
    await link('../outside/secret.md', scratch.path('window.md'));
    await link('../outside/new.md', scratch.path('trap.md'));
    for (const path of ['door/secret.md', 'window.md', 'door/sub/new.md']) {
      await expect(read(path, place), path).rejects.toThrow(ToolPathError);
      await expect(write(path, 'mine', place), path).rejects.toThrow(ToolPathError);
    }
    await expect(write('trap.md', 'mine', place)).rejects.toThrow('a link that leads nowhere');
    await expect(write('trap.md/x.md', 'mine', place)).rejects.toThrow('no directory');
    expect(await readdir(scratch.outsideDir)).toEqual(['secret.md']);
  });

  it('is refused when its links lead in a circle', async () => {
    await link('two', scratch.path('one'));
    await link('one', scratch.path('two'));
    await expect(read('one', place)).rejects.toThrow('in a circle');
  });

  it('never opens what is no regular file', async () => {
    const server = createServer().listen(scratch.path('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(read('socket', place)).rejects.toThrow('a socket');
    await new Promise((resolve) => server.close(resolve));
    await expect(read('notes', place)).rejects.toThrow('a directory');
    await expect(read('.', place)).rejects.toThrow('the workspace itself');
    await expect(write('notes', 'x', place)).rejects.toThrow('a directory');
    await expect(write('b.md/below.md', 'x', place)).rejects.toThrow('"b.md" on the way is no directory');
    await expect(read('none/at/all.md', place)).rejects.toThrow('There is no file "none/at/all.md"');
  });

  it('is refused once its folder has left the workspace', async () => {
    const workspace = { workspaceDir: scratch.workspaceDir, ...place };
    const target = await openContainedTarget(workspace, 'notes/a.md', { createFolders: false });
    await rename(scratch.path('notes'), join(scratch.outsideDir, 'notes'));
    await link('../outside/notes', scratch.path('notes'));
    await expect(replaceFile(target, 'notes/a.md', 'mine', { signal })).rejects.toThrow(ToolPathError);
    await target.folder.close();
    expect(await readFile(join(scratch.outsideDir, 'notes/a.md'), 'utf8')).toBe('inside');
    expect(await readdir(join(scratch.outsideDir, 'notes'))).toEqual(['a.md']);
  });
});

describe('a path that is raced', () => {
  it('ends inside or nowhere while somebody swaps a folder for a link that leads out', async () => {
    await scratch.write('yard/secret.md', 'inside');
    await link('../outside', scratch.path('gate'));
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        await rename(scratch.path('yard'), scratch.path('kept'));
        await rename(scratch.path('gate'), scratch.path('yard'));
        await rename(scratch.path('yard'), scratch.path('gate'));
        await rename(scratch.path('kept'), scratch.path('yard'));
      }
    })();
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 150; attempt++) {
      seen.add(await read('yard/secret.md').catch((error) => (isAtriumError(error) ? 'refused' : String(error))));
      await write('yard/other.md', 'mine', {}, false).catch((error) =>
        expect(isAtriumError(error), String(error)).toBe(true),
      );
    }
    isOver = true;
    await swapping;
    seen.delete('inside');
    seen.delete('refused');
    expect([...seen]).toEqual([]);
    expect(await readdir(scratch.outsideDir)).toEqual(['secret.md']);
  });
});

describe('whatever links and paths there are', () => {
  const name = fc.constantFrom('a', 'b', 'c.md');
  const target = fc.constantFrom(
    'a',
    'b',
    '..',
    '../..',
    '../outside',
    '../../outside/secret.md',
    '.',
    'a/b',
    'c.md',
    'new',
  );
  const tree = fc.array(fc.record({ folder: fc.array(name, { maxLength: 2 }), name, target }), { maxLength: 6 });
  const steps = fc.array(
    fc.constantFrom('a', 'b', 'c.md', '..', '.', '', 'outside', 'secret.md', 'workspace', 'new', '~', 'x\0'),
    { minLength: 1, maxLength: 5 },
  );

  it('nothing outside is read or written', async () => {
    let round = 0;
    await forAllAsync([tree, fc.array(steps, { minLength: 1, maxLength: 4 })], 60, async (links, ways) => {
      // Each round has a world of its own in this test's folder, so that nothing of the last one is in the way.
      const world = join(scratch.root, `world-${round++}`);
      const workspaceDir = join(world, 'workspace');
      await mkdir(join(workspaceDir, 'a/b'), { recursive: true });
      await mkdir(join(world, 'outside'));
      await writeFile(join(world, 'outside/secret.md'), 'secret');
      await writeFile(join(workspaceDir, 'c.md'), 'inside');
      for (const { folder, name, target } of links) {
        const parent = await realpath(join(workspaceDir, ...folder)).catch(() => undefined);
        if (parent === undefined || relative(workspaceDir, parent).startsWith('..')) continue;
        await symlink(target, join(parent, name)).catch(() => undefined);
      }
      for (const way of ways) {
        const path = way.join('/');
        for (const place of [
          { workspaceDir, home: world },
          { workspaceDir, descriptorDir: '/nowhere' },
        ]) {
          const text = await read(path, place).catch((error) => {
            expect(isAtriumError(error), String(error)).toBe(true);
            return '';
          });
          expect(text).not.toBe('secret');
          await write(path, 'mine', place).catch((error) => expect(isAtriumError(error), String(error)).toBe(true));
        }
      }
      expect(await readdir(world)).toEqual(['outside', 'workspace']);
      expect(await readdir(join(world, 'outside'))).toEqual(['secret.md']);
      expect(await readFile(join(world, 'outside/secret.md'), 'utf8')).toBe('secret');
      await rm(world, { recursive: true });
    });
  });
});
