// `apply_patch` as a model uses it: through runTool, on a real disk.

import { chmod, link, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { toolContextForTest } from '../../testkit/tool-context.ts';
import { OneAtATime } from '../one-at-a-time.ts';
import { runTool } from '../run-tool.ts';
import type { ToolOutput } from '../tool.ts';
import { createApplyPatchTool } from './apply-patch.ts';

const scratch = workspaceForEachTest({ 'a.txt': 'one\ntwo\n', 'b.txt': 'three\n', 'dir/c.txt': 'four\n' });

const tool = createApplyPatchTool({ writes: new OneAtATime() });

function apply(...lines: readonly string[]): Promise<ToolOutput> {
  const input = ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  return runTool(tool, { input }, toolContextForTest({ workspaceDir: scratch.workspaceDir }));
}

const textOf = (name: string) => readFile(scratch.path(name), 'utf8');

/** Every file below the root, the place outside included, with its text. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(scratch.root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'utf8')])));
}

describe('a patch', () => {
  it('adds, changes, moves and deletes, and lists what it did', async () => {
    const output = await apply(
      '*** Add File: new/deep/x.txt',
      '+hello',
      '*** Update File: a.txt',
      ' one',
      '-two',
      '+TWO',
      '*** Update File: b.txt',
      '*** Move to: moved/b.txt',
      '-three',
      '+THREE',
      '*** Delete File: dir/c.txt',
    );
    expect(output).toEqual({
      content: 'The patch was applied.\nA new/deep/x.txt\nM a.txt\nM b.txt -> moved/b.txt\nD dir/c.txt',
      details: { added: ['new/deep/x.txt'], modified: ['a.txt', 'moved/b.txt'], deleted: ['b.txt', 'dir/c.txt'] },
    });
    expect(await textOf('new/deep/x.txt')).toBe('hello\n');
    expect(await textOf('a.txt')).toBe('one\nTWO\n');
    expect(await textOf('moved/b.txt')).toBe('THREE\n');
    expect((await readdir(scratch.workspaceDir)).sort()).toEqual(['a.txt', 'dir', 'moved', 'new']);
    expect(await readdir(scratch.path('dir'))).toEqual([]);
  });

  it('moves a file as it is, with its mode', async () => {
    await chmod(scratch.path('a.txt'), 0o750);
    await apply('*** Update File: a.txt', '*** Move to: run.sh');
    expect(await textOf('run.sh')).toBe('one\ntwo\n');
    expect((await stat(scratch.path('run.sh'))).mode & 0o777).toBe(0o750);
  });

  it('waits for its turn', async () => {
    const outputs = await Promise.all([
      apply('*** Update File: a.txt', '-one', '+1'),
      apply('*** Update File: a.txt', '-two', '+2'),
      apply('*** Update File: a.txt', '-1', '+I'),
    ]);
    expect(outputs.map(({ isError }) => isError)).toEqual([undefined, undefined, undefined]);
    expect(await textOf('a.txt')).toBe('I\n2\n');
  });

  it('changes a file through a link to it', async () => {
    await symlink('a.txt', scratch.path('link.txt'));
    await apply('*** Update File: link.txt', '-one', '+1');
    expect(await textOf('a.txt')).toBe('1\ntwo\n');
  });
});

describe('a patch that cannot be applied whole', () => {
  it.each([
    ['a hunk that does not fit', ['*** Update File: b.txt', '-nothing'], 'ATRIUM_PATCH_MATCH'],
    ['a syntax error', ['*** Frobnicate: b.txt'], 'ATRIUM_PATCH_SYNTAX'],
    ['a file that is not there', ['*** Update File: none.txt', '-x'], 'ATRIUM_TOOL_FILE_MISSING'],
    ['a file to delete that is not there', ['*** Delete File: none.txt'], 'ATRIUM_TOOL_FILE_MISSING'],
    ['a file to add that is there', ['*** Add File: b.txt', '+x'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a move onto a file', ['*** Update File: b.txt', '*** Move to: dir/c.txt'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a directory to delete', ['*** Delete File: dir'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a directory to add', ['*** Add File: more/'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['the same file twice', ['*** Update File: ./dir/../a.txt', '-two'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a binary file', ['*** Update File: binary', '-x'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a file that is too large', ['*** Update File: large', '-x'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a read-only file', ['*** Delete File: readonly'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    ['a file where a folder is needed', ['*** Add File: b.txt/x', '+x'], 'ATRIUM_TOOL_FILE_UNUSABLE'],
    // Found only while writing: the first of the two makes the second impossible.
    [
      'a disk that refuses',
      ['*** Delete File: b.txt', '*** Add File: f', '+x', '*** Add File: f/g', '+x'],
      'ATRIUM_TOOL_FILE_UNUSABLE',
    ],
  ])('changes nothing: %s', async (_, lines, code) => {
    await scratch.write('binary', Buffer.from([0, 1, 2]));
    await scratch.write('large', 'x\n'.repeat(1_100_000));
    await scratch.write('readonly', 'x\n');
    await chmod(scratch.path('readonly'), 0o444);
    const before = await everything();
    const output = await apply('*** Add File: first.txt', '+x', '*** Update File: a.txt', '-one', '+1', ...lines);
    expect(output).toMatchObject({ isError: true, details: { code } });
    expect(await everything()).toEqual(before);
  });

  it('changes nothing when two names lead to one file', async () => {
    await symlink('a.txt', scratch.path('link.txt'));
    const output = await apply('*** Update File: a.txt', '-one', '*** Update File: link.txt', '-two');
    expect(output.content).toContain('the patch names it twice');
    expect(await textOf('a.txt')).toBe('one\ntwo\n');
  });

  it('changes nothing once the run is stopped', async () => {
    const input = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch';
    const context = toolContextForTest({ workspaceDir: scratch.workspaceDir, signal: AbortSignal.abort() });
    expect((await runTool(tool, { input }, context)).isError).toBe(true);
    expect(await textOf('a.txt')).toBe('one\ntwo\n');
  });

  it('is refused when it is far too large', async () => {
    expect((await apply('*** Add File: x', `+${'x'.repeat(2_100_000)}`)).content).toContain('at most 2097152 are read');
  });
});

describe('a path that leads out of the workspace', () => {
  const paths = [
    '../outside/secret.txt',
    'dir/../../outside/secret.txt',
    'out/secret.txt',
    'file-link',
    'ABSOLUTE',
    '.',
    '..',
    'dangling',
    'a\0b',
  ];
  const headers: readonly (readonly [string, (path: string) => readonly string[]])[] = [
    ['Add File', (path) => [`*** Add File: ${path}`, '+x']],
    ['Add File in a new folder', (path) => [`*** Add File: ${path}/new/x`, '+x']],
    ['Update File', (path) => [`*** Update File: ${path}`, '-secret', '+x']],
    ['Update File that moves', (path) => [`*** Update File: ${path}`, '*** Move to: stolen.txt']],
    ['Move to', (path) => ['*** Update File: b.txt', `*** Move to: ${path}`]],
    ['Delete File', (path) => [`*** Delete File: ${path}`]],
  ];
  const tricks = headers.flatMap(([header, lines]) => paths.map((path) => [header, path, lines] as const));

  it.each(tricks)('is refused in %s: %s', async (header, path, lines) => {
    const secret = await scratch.writeOutside('secret.txt', 'secret\n');
    await symlink(scratch.outsideDir, scratch.path('out'));
    await symlink(secret, scratch.path('file-link'));
    await symlink(join(scratch.outsideDir, 'not-there'), scratch.path('dangling'));
    const before = await everything();
    const output = await apply('*** Update File: a.txt', '-one', ...lines(path === 'ABSOLUTE' ? secret : path));
    // Below the workspace itself a new folder is as good as any.
    if (header === 'Add File in a new folder' && path === '.') {
      expect(output.isError).toBeUndefined();
      return;
    }
    expect(output.isError).toBe(true);
    expect(await everything()).toEqual(before);
  });

  it('is refused for a hard link, whose other name may be anywhere, and a link is not deleted by its target', async () => {
    const secret = await scratch.writeOutside('secret.txt', 'secret\n');
    await link(secret, scratch.path('hard.txt'));
    await symlink('a.txt', scratch.path('soft.txt'));
    expect((await apply('*** Update File: hard.txt', '-secret')).content).toContain('hard link');
    expect((await apply('*** Delete File: soft.txt')).content).toContain('it is a link');
    expect((await apply('*** Update File: soft.txt', '*** Move to: d.txt')).content).toContain('it is a link');
    expect(await readFile(secret, 'utf8')).toBe('secret\n');
    expect(await textOf('a.txt')).toBe('one\ntwo\n');
  });

  it('may be absolute when it lies in the workspace', async () => {
    await mkdir(scratch.path('sub'));
    expect((await apply(`*** Add File: ${scratch.path('sub/x.txt')}`, '+x')).isError).toBeUndefined();
    expect(await textOf('sub/x.txt')).toBe('x\n');
  });
});
