import { toolContextForTest } from '../testkit/tool-context.ts';
// `read`, `write` and `edit` as a model uses them: through runTool, on a real disk.

import { chmod, link, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { createEditTool } from './edit.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { createReadTool, READ_MAX_CHARS } from './read.ts';
import { runTool } from './run-tool.ts';
import type { ToolOutput } from './tool.ts';
import { createWriteTool } from './write.ts';

const scratch = workspaceForEachTest();

const writes = new OneAtATime();
const tools = { read: createReadTool(), write: createWriteTool({ writes }), edit: createEditTool({ writes }) };

function call(
  name: keyof typeof tools,
  params: JsonObject,
  signal = new AbortController().signal,
): Promise<ToolOutput> {
  const { workspaceDir } = scratch;
  return runTool(tools[name], params, toolContextForTest({ workspaceDir, signal }));
}

const textOf = (name: string) => readFile(scratch.path(name), 'utf8');
const lines = (count: number, from = 1) => Array.from({ length: count }, (_, at) => `line ${from + at}\n`).join('');

describe('read', () => {
  it('returns a file as it is, line ends and all', async () => {
    await scratch.write('a.md', '\ufeffone\r\ntwo\r\n');
    expect(await call('read', { path: 'a.md' })).toEqual({
      content: '\ufeffone\r\ntwo\r\n',
      details: { path: 'a.md', firstLine: 1, lastLine: 2, bytes: 13 },
    });
  });

  it('says that an empty file is empty', async () => {
    await scratch.write('a.md', '');
    expect((await call('read', { path: 'a.md' })).content).toBe('[The file is empty.]');
  });

  it('returns the lines that were asked for, and says how to read on', async () => {
    await scratch.write('a.md', lines(5));
    const first = await call('read', { path: 'a.md', limit: 2 });
    expect(first.content).toBe('line 1\nline 2\n\n[These are lines 1 to 2; more follow. Read on with offset 3.]');
    expect((await call('read', { path: 'a.md', offset: 3, limit: 2 })).content).toContain('lines 3 to 4');
    expect((await call('read', { path: 'a.md', offset: 5 })).content).toBe('line 5\n');
    expect((await call('read', { path: 'a.md', offset: 4, limit: 2 })).content).toBe('line 4\nline 5\n');
  });

  it('says how many lines there are when none begins at the offset', async () => {
    await scratch.write('a.md', lines(5));
    const beyond = await call('read', { path: 'a.md', offset: 6 });
    expect(beyond).toMatchObject({ isError: true });
    expect(beyond.content).toContain('The file has 5 lines, so that none begins at offset 6.');
    await scratch.write('b.md', 'no end');
    expect((await call('read', { path: 'b.md', offset: 2 })).content).toContain('The file has 1 line,');
    await scratch.write('c.md', '');
    expect((await call('read', { path: 'c.md', offset: 2 })).content).toContain('The file has 0 lines,');
  });

  it('reads a large file to its end in bounded pieces, and loses nothing', async () => {
    const text = lines(30_000);
    await scratch.write('big.log', text);
    let whole = '';
    for (let offset = 1; ; ) {
      const { content } = await call('read', { path: 'big.log', offset });
      const [, body = content, next] = /^(.*)\n\[These are .* offset (\d+)\.\]$/s.exec(content) ?? [];
      expect(content.length).toBeLessThan(READ_MAX_CHARS + 200);
      whole += body;
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(whole).toBe(text);
  });

  it('counts characters, not bytes, and keeps them whole', async () => {
    await scratch.write('a.md', `${'代'.repeat(READ_MAX_CHARS - 1)}😀\nnext\n`);
    const { content } = await call('read', { path: 'a.md' });
    expect(content).toBe(
      `${'代'.repeat(READ_MAX_CHARS - 1)}\n\n[Line 1 is longer than 40000 characters and was cut there. Read on with offset 2.]`,
    );
    expect((await call('read', { path: 'a.md', offset: 2 })).content).toBe('next\n');
    await scratch.write('b.md', 'x'.repeat(300_000));
    expect((await call('read', { path: 'b.md' })).content).toMatch(/was cut there\..*\]$/);
  });

  it('refuses what is no text, and what is not there', async () => {
    await scratch.write('a.png', Buffer.from([0x89, 0x50, 0, 1]));
    await scratch.write('latin.txt', Buffer.from([0x61, 0xe9, 0x62]));
    expect((await call('read', { path: 'a.png' })).content).toBe(
      '"a.png" cannot be used: it is a binary file, not text.',
    );
    expect((await call('read', { path: 'latin.txt' })).content).toContain('it is not UTF-8 text');
    expect((await call('read', { path: '.' })).content).toContain('a directory');
    expect(await call('read', { path: 'none.md' })).toEqual({
      content: 'There is no file "none.md". Check the path; it is relative to the workspace.',
      isError: true,
      details: { code: 'ATRIUM_TOOL_FILE_MISSING' },
    });
  });

  it('refuses a hard link, whose other name may lie anywhere', async () => {
    await link(await scratch.writeOutside('secret.md', 'secret'), scratch.path('a.md'));
    expect((await call('read', { path: 'a.md' })).content).toContain('hard link');
    expect((await call('edit', { path: 'a.md', oldText: 'secret', newText: 'x' })).content).toContain('hard link');
    expect(await call('write', { path: 'a.md', content: 'mine' })).not.toHaveProperty('isError');
    expect(await readFile(join(scratch.outsideDir, 'secret.md'), 'utf8')).toBe('secret');
  });
});

describe('write', () => {
  it('makes a file with its folders, then replaces it', async () => {
    expect(await call('write', { path: 'deep/er/a.md', content: 'één' })).toEqual({
      content: 'Created deep/er/a.md (5 bytes).',
      details: { path: 'deep/er/a.md', bytes: 5, created: true },
    });
    expect((await call('write', { path: 'deep/er/a.md', content: 'two' })).content).toBe(
      'Replaced deep/er/a.md (3 bytes).',
    );
    expect(await textOf('deep/er/a.md')).toBe('two');
    expect(await readdir(scratch.path('deep/er'))).toEqual(['a.md']);
  });

  it('keeps the mode of a file, and honours the mark that it is read-only', async () => {
    await scratch.write('run.sh', 'old');
    await chmod(scratch.path('run.sh'), 0o750);
    await call('write', { path: 'run.sh', content: 'new' });
    expect((await stat(scratch.path('run.sh'))).mode & 0o777).toBe(0o750);
    await chmod(scratch.path('run.sh'), 0o440);
    expect((await call('write', { path: 'run.sh', content: 'newer' })).content).toContain('marked read-only');
    expect(await textOf('run.sh')).toBe('new');
  });

  it('gives a reader the old text or the new one, never a part', async () => {
    const [old, next] = ['o'.repeat(400_000), 'n'.repeat(500_000)];
    await scratch.write('a.md', old);
    const reading = Promise.all(Array.from({ length: 20 }, () => textOf('a.md')));
    await call('write', { path: 'a.md', content: next });
    for (const text of await reading) expect(text === old || text === next).toBe(true);
  });

  it('refuses more than a file may hold, and a name that is a folder', async () => {
    const huge = await call('write', { path: 'a.md', content: 'x'.repeat(2 * 1024 * 1024 + 1) });
    expect(huge.content).toContain('at most 2097152 are written');
    expect((await call('write', { path: 'sub/', content: 'x' })).content).toContain('add the name of a file');
    expect(await readdir(scratch.workspaceDir)).toEqual([]);
  });

  it('leaves the file alone once the run is stopped', async () => {
    await scratch.write('a.md', 'old');
    const result = await call('write', { path: 'a.md', content: 'new' }, AbortSignal.abort());
    expect(result).toMatchObject({ isError: true, content: 'The call was stopped before it began.' });
    expect(await textOf('a.md')).toBe('old');
  });
});

describe('edit', () => {
  it('replaces a text that occurs once', async () => {
    await scratch.write('a.md', 'one\ntwo\nthree\n');
    expect(await call('edit', { path: 'a.md', oldText: 'two', newText: '$& and $1' })).toEqual({
      content: 'Edited a.md at line 2.',
      details: { path: 'a.md', replacements: 1, line: 2 },
    });
    expect(await textOf('a.md')).toBe('one\n$& and $1\nthree\n');
  });

  it('says how often a text occurs when that is not once', async () => {
    await scratch.write('a.md', 'tea, tea and aaa');
    expect((await call('edit', { path: 'a.md', oldText: 'tea', newText: 'x' })).content).toContain(
      'occurs 2 times in "a.md"',
    );
    expect((await call('edit', { path: 'a.md', oldText: 'aa', newText: 'x' })).content).toContain('occurs 2 times');
    expect((await call('edit', { path: 'a.md', oldText: 'Tea', newText: 'x' })).content).toContain(
      'does not occur in "a.md"',
    );
    expect((await call('edit', { path: 'a.md', oldText: '', newText: 'x' })).content).toContain(
      'oldText must not be empty',
    );
    expect((await call('edit', { path: 'a.md', oldText: 'x', newText: 'x' })).content).toContain(
      'nothing would change',
    );
    expect(await textOf('a.md')).toBe('tea, tea and aaa');
  });

  it('replaces every place when asked to', async () => {
    await scratch.write('a.md', 'a-b-a\na');
    const { content } = await call('edit', { path: 'a.md', oldText: 'a', newText: '', replaceAll: true });
    expect(content).toBe('Edited a.md in 3 places, the first at line 1.');
    expect(await textOf('a.md')).toBe('-b-\n');
  });

  it('keeps the line ends of the file, whichever the model wrote', async () => {
    await scratch.write('a.md', 'one\r\ntwo\r\nthree\r\n');
    await call('edit', { path: 'a.md', oldText: 'one\ntwo', newText: '1\n2\n2.5' });
    await call('edit', { path: 'a.md', oldText: 'three', newText: '3\n4' });
    expect(await textOf('a.md')).toBe('1\r\n2\r\n2.5\r\n3\r\n4\r\n');
    await scratch.write('mixed.md', 'a\nb\r\nc\r\n');
    await call('edit', { path: 'mixed.md', oldText: 'a\n', newText: 'A\n' });
    await call('edit', { path: 'mixed.md', oldText: 'b\nc', newText: 'B\nC' });
    expect(await textOf('mixed.md')).toBe('A\nB\r\nC\r\n');
  });

  it('does not grow a file without bound', async () => {
    await scratch.write('a.md', 'x'.repeat(1_000_000));
    const params = { path: 'a.md', oldText: 'x', newText: 'y'.repeat(1_000_000), replaceAll: true };
    expect((await call('edit', params)).content).toContain('would grow beyond 2097152 bytes');
  });

  it('does all edits of one step, in the order of the calls', async () => {
    await scratch.write('a.md', '0');
    const edits = Array.from({ length: 20 }, (_, at) =>
      call('edit', { path: 'a.md', oldText: `${at}`, newText: `${at + 1}` }),
    );
    expect((await Promise.all(edits)).filter(({ isError }) => isError)).toEqual([]);
    expect(await textOf('a.md')).toBe('20');
  });

  it('goes through a link to the file that is meant', async () => {
    await scratch.write('real.md', 'old');
    await symlink('real.md', scratch.path('alias.md'));
    await call('edit', { path: 'alias.md', oldText: 'old', newText: 'new' });
    expect(await textOf('real.md')).toBe('new');
    expect(await readdir(scratch.workspaceDir)).toEqual(['alias.md', 'real.md']);
  });
});

describe('a file that somebody else changes', () => {
  it('keeps their change when it came between the reading and the writing of an edit', async () => {
    const { openContainedFile, openContainedTarget } = await import('./contained-path.ts');
    const { replaceFile } = await import('./replace-file.ts');
    const { workspaceDir } = scratch;
    const { signal } = new AbortController();
    await scratch.write('a.md', 'old');
    const file = await openContainedFile({ workspaceDir }, 'a.md');
    await file.handle.close();
    await writeFile(scratch.path('a.md'), 'theirs');
    const target = await openContainedTarget({ workspaceDir }, 'a.md', { createFolders: false });
    await expect(replaceFile(target, 'a.md', 'mine', { signal, expected: file.stats })).rejects.toThrow(
      'Read it again',
    );
    await target.folder.close();
    expect(await textOf('a.md')).toBe('theirs');
    expect(await readdir(workspaceDir)).toEqual(['a.md']);
  });
});
