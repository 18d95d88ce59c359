import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import {
  appendFile,
  chmod,
  default as fsPromises,
  link,
  mkdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { CachedFileSource, type FileRead, isInside, MAX_FILE_BYTES, readNames } from './file-source.ts';

let files: CachedFileSource;

const scratch = workspaceForEachTest();
beforeEach(async () => {
  files = new CachedFileSource();
});

const read = (name: string, roots = [scratch.workspaceDir]) => files.read(scratch.path(name), roots);

async function textOf(name: string, roots?: string[]): Promise<string | undefined> {
  const found = await read(name, roots);
  return found.kind === 'text' ? found.text : undefined;
}

describe('reading a file', () => {
  it('gives its text, where it really is, and who it is', async () => {
    const path = await scratch.write('AGENTS.md', 'hello\n');
    const { dev, ino } = await stat(path);
    expect(await read('AGENTS.md')).toEqual({
      kind: 'text',
      path,
      realPath: path,
      identity: `${dev}:${ino}`,
      text: 'hello\n',
    });
  });

  it('keeps front matter, byte order mark and line ends', async () => {
    await scratch.write('A', '\ufeff---\r\na: b\r\n---\r\n');
    await scratch.write('C', '');
    await scratch.write('D', 'a \ufffd that stands in the file');
    expect(await textOf('A')).toBe('\ufeff---\r\na: b\r\n---\r\n');
    expect(await textOf('C')).toBe('');
    expect(await textOf('D')).toBe('a \ufffd that stands in the file');
  });

  it('decodes UTF-16 that says so by its mark, in either order of bytes', async () => {
    const little = Buffer.from('\ufeffNever say "café" 😀.\n', 'utf16le');
    await scratch.write('little', little);
    await scratch.write('big', Buffer.from(little).swap16());
    expect(await textOf('little')).toBe('Never say "café" 😀.\n');
    expect(await textOf('big')).toBe('Never say "café" 😀.\n');
  });

  it('refuses what is no text, and says where, instead of making replacement characters of it', async () => {
    await scratch.write('latin', Buffer.from('# Rules\n\nNo caf\u00e9.\n', 'latin1'));
    await scratch.write('stray', Uint8Array.of(0x61, 0xff, 0x62));
    await scratch.write('unmarked', Buffer.from('Be brief.', 'utf16le'));
    await scratch.write('half', Buffer.from([0xff, 0xfe, 0x41]));
    await scratch.write('lone', Buffer.from([0xfe, 0xff, 0xd8, 0x00, 0x00, 0x41]));
    const refused = { kind: 'absent', reason: 'unreadable', entryExists: true };
    const detail = (text: string) => ({ ...refused, detail: text });
    expect(await read('latin')).toMatchObject(detail('it is not UTF-8 text, see line 3; save it as UTF-8'));
    expect(await read('stray')).toMatchObject(detail('it is not UTF-8 text, see line 1; save it as UTF-8'));
    const zero = 'it has NUL characters, as UTF-16 without a byte-order mark has; save it as UTF-8';
    expect(await read('unmarked')).toMatchObject(detail(zero));
    const broken = 'it begins as UTF-16 and has characters that are not; save it as UTF-8';
    expect(await read('half')).toMatchObject(detail(broken));
    expect(await read('lone')).toMatchObject(detail(broken));
  });

  it('says that there is none, also for paths that cannot be', async () => {
    await scratch.write('file', 'x');
    for (const name of ['none', 'no/where', 'file/below', 'x'.repeat(300), 'nul\0byte']) {
      expect(await read(name)).toMatchObject({ kind: 'absent', reason: 'missing', entryExists: false });
    }
  });

  it('reads up to two mebibytes and not one byte more', async () => {
    await scratch.write('fits', 'x'.repeat(MAX_FILE_BYTES));
    await scratch.write('large', 'x'.repeat(MAX_FILE_BYTES + 1));
    expect((await textOf('fits'))?.length).toBe(MAX_FILE_BYTES);
    expect(await read('large')).toMatchObject({ kind: 'absent', reason: 'too-large', entryExists: true });
  });
});

describe('what is no regular file', () => {
  it('is not opened: a directory, a pipe, a socket, a device', async () => {
    await mkdir(scratch.path('directory'));
    execFileSync('mkfifo', [scratch.path('pipe')]);
    await symlink('/dev/zero', scratch.path('device'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(scratch.path('socket'), resolve));
    const kinds = ['directory', 'pipe', 'socket', 'device'];
    const found = await Promise.all(kinds.map((kind) => read(kind, [scratch.workspaceDir, '/dev'])));
    server.close();
    found.forEach((each, index) => {
      expect(each).toMatchObject({ kind: 'absent', reason: 'missing', entryExists: true });
      expect(each).toHaveProperty('detail', `not a regular file but a ${kinds[index]}`);
    });
  });

  it('does not hang a read behind a link either', async () => {
    execFileSync('mkfifo', [scratch.path('pipe')]);
    await symlink('pipe', scratch.path('AGENTS.md'));
    expect(await read('AGENTS.md')).toMatchObject({ kind: 'absent', reason: 'missing' });
  });
});

describe('links', () => {
  it('may lead anywhere inside, in any number of steps', async () => {
    await scratch.write('docs/real.md', 'inside');
    await symlink('docs/real.md', scratch.path('relative.md'));
    await symlink(scratch.path('docs/real.md'), scratch.path('absolute.md'));
    await symlink('relative.md', scratch.path('twice.md'));
    await symlink('docs', scratch.path('folder'));
    for (const name of ['relative.md', 'absolute.md', 'twice.md', 'folder/real.md']) {
      expect(await read(name)).toMatchObject({ text: 'inside', realPath: scratch.path('docs/real.md') });
    }
  });

  it('may not lead outside, by any way', async () => {
    const secret = await scratch.writeOutside('secret.md', 'secret');
    await symlink(secret, scratch.path('direct.md'));
    await symlink('../outside/secret.md', scratch.path('relative.md'));
    await symlink(scratch.outsideDir, scratch.path('folder'));
    await symlink('folder/secret.md', scratch.path('twice.md'));
    for (const name of ['direct.md', 'relative.md', 'folder/secret.md', 'twice.md', '../outside/secret.md']) {
      const found = await read(name);
      expect(found).toMatchObject({ kind: 'absent', reason: 'outside-workspace', entryExists: true });
    }
  });

  it('may lead into a root that is allowed, and only there', async () => {
    await symlink(await scratch.writeOutside('shared.md', 'shared'), scratch.path('AGENTS.md'));
    await symlink(await scratch.writeState('other.md', 'other'), scratch.path('SOUL.md'));
    const roots = [scratch.workspaceDir, scratch.outsideDir];
    expect(await textOf('AGENTS.md', roots)).toBe('shared');
    expect(await textOf('SOUL.md', roots)).toBeUndefined();
  });

  it('are not let out by a root that is blank, relative by accident, or not there', async () => {
    await symlink(await scratch.writeOutside('secret.md', 'secret'), scratch.path('AGENTS.md'));
    for (const root of ['', join(scratch.root, 'nowhere'), `${scratch.outsideDir}-not`]) {
      expect(await textOf('AGENTS.md', [scratch.workspaceDir, root])).toBeUndefined();
    }
    const inside = join(process.cwd(), 'package.json');
    await symlink(inside, scratch.path('SOUL.md'));
    expect(await textOf('SOUL.md', ['', scratch.workspaceDir])).toBeUndefined();
  });

  it('do not confuse a folder with another whose name begins the same', async () => {
    await mkdir(`${scratch.workspaceDir}-twin`);
    await writeFile(`${scratch.workspaceDir}-twin/secret.md`, 'secret');
    await symlink(`${scratch.workspaceDir}-twin/secret.md`, scratch.path('AGENTS.md'));
    expect(await textOf('AGENTS.md')).toBeUndefined();
  });

  it('that lead nowhere or in circles are not there, though their entry is', async () => {
    await symlink('gone.md', scratch.path('dangling.md'));
    await symlink('b.md', scratch.path('a.md'));
    await symlink('a.md', scratch.path('b.md'));
    for (const name of ['dangling.md', 'a.md']) {
      expect(await read(name)).toMatchObject({ kind: 'absent', reason: 'missing', entryExists: true });
    }
  });

  it('may be the root itself', async () => {
    await scratch.write('AGENTS.md', 'hello');
    const alias = join(scratch.root, 'alias');
    await symlink(scratch.workspaceDir, alias);
    expect(await files.read(join(alias, 'AGENTS.md'), [alias])).toMatchObject({ text: 'hello' });
  });

  it('of the hard kind are refused, even inside, because their other name may be anywhere', async () => {
    const secret = await scratch.writeOutside('secret.md', 'secret');
    await link(secret, scratch.path('AGENTS.md'));
    expect(await read('AGENTS.md')).toMatchObject({ kind: 'absent', reason: 'outside-workspace' });
    await rm(secret);
    expect(await textOf('AGENTS.md')).toBe('secret');
  });

  it('of either kind name the setting that allows them, and follow it', async () => {
    const [soft, hard] = await Promise.all(['soft.md', 'hard.md'].map((name) => scratch.writeOutside(name, name)));
    await symlink(soft ?? '', scratch.path('SOUL.md'));
    await link(hard ?? '', scratch.path('AGENTS.md'));
    for (const name of ['SOUL.md', 'AGENTS.md'])
      expect(await read(name)).toMatchObject({ detail: expect.stringContaining('bootstrap.allowedRoots') });
    const { workspaceDir, outsideDir } = scratch;
    const reading = (name: string, allowed: string) =>
      files.read(scratch.path(name), [workspaceDir, allowed], { folders: [allowed] });
    expect(await reading('SOUL.md', outsideDir)).toMatchObject({ text: 'soft.md' });
    // The folder in which the link itself lies has to be named: where its other names lie cannot be known.
    expect(await reading('AGENTS.md', outsideDir)).toMatchObject({ reason: 'outside-workspace' });
    expect(await reading('AGENTS.md', workspaceDir)).toMatchObject({ text: 'hard.md' });
    expect(await read('AGENTS.md')).toMatchObject({ reason: 'outside-workspace' });
  });
});

describe('a file that cannot be read', () => {
  it('is unreadable, with the cause', async () => {
    const roots = await unreadable('AGENTS.md');
    const found = await read('AGENTS.md', roots);
    expect(found).toMatchObject({ kind: 'absent', reason: 'unreadable', entryExists: true });
    expect(found).toHaveProperty('cause.code');
  });

  it('is asked for again the next time', async () => {
    const roots = await unreadable('AGENTS.md');
    await read('AGENTS.md', roots);
    await rm(scratch.path('AGENTS.md'));
    await scratch.write('AGENTS.md', 'mended');
    expect(await textOf('AGENTS.md', roots)).toBe('mended');
  });
});

describe('the cache', () => {
  it('answers for an unchanged file with the very same object', async () => {
    await scratch.write('AGENTS.md', 'hello');
    await scratch.age();
    const first = await read('AGENTS.md');
    expect(await read('AGENTS.md')).toBe(first);
    expect(await read('AGENTS.md')).toBe(first);
  });

  it('does not trust a file that was written a moment ago, whose next edit may leave no trace', async () => {
    const path = await scratch.write('AGENTS.md', 'one');
    expect(await read('AGENTS.md')).toMatchObject({ text: 'one' });
    // The same inode, size and, within one tick, the same times.
    writeFileSync(path, 'two');
    expect(await read('AGENTS.md')).toMatchObject({ text: 'two' });
  });

  it('answers for a link and for a refusal in the same way', async () => {
    await scratch.write('real.md', 'hello');
    await symlink('real.md', scratch.path('link.md'));
    await symlink(await scratch.writeOutside('x.md', 'x'), scratch.path('out.md'));
    await scratch.age();
    expect(await read('link.md')).toBe(await read('link.md'));
    expect(await read('out.md')).toBe(await read('out.md'));
  });

  it('sees an edit', async () => {
    await scratch.write('AGENTS.md', 'one');
    await read('AGENTS.md');
    await scratch.write('AGENTS.md', 'two');
    expect(await textOf('AGENTS.md')).toBe('two');
    await appendFile(scratch.path('AGENTS.md'), ' three');
    expect(await textOf('AGENTS.md')).toBe('two three');
  });

  it('sees an edit that keeps size and modification time', async () => {
    const path = await scratch.write('AGENTS.md', 'one');
    const time = new Date('2026-01-01T00:00:00Z');
    await utimes(path, time, time);
    await read('AGENTS.md');
    await writeFile(path, 'two');
    await utimes(path, time, time);
    expect(await textOf('AGENTS.md')).toBe('two');
  });

  it('sees a replacement of equal size and time', async () => {
    const path = await scratch.write('AGENTS.md', 'one');
    const next = await scratch.write('next.md', 'two');
    const time = new Date('2026-01-01T00:00:00Z');
    for (const each of [path, next]) await utimes(each, time, time);
    await read('AGENTS.md');
    await rename(next, path);
    expect(await textOf('AGENTS.md')).toBe('two');
  });

  it('sees a file go and come back', async () => {
    await scratch.write('AGENTS.md', 'one');
    await read('AGENTS.md');
    await rm(scratch.path('AGENTS.md'));
    expect(await textOf('AGENTS.md')).toBeUndefined();
    await scratch.write('AGENTS.md', 'one');
    expect(await textOf('AGENTS.md')).toBe('one');
  });

  it('sees a link that now leads elsewhere: inside, and outside', async () => {
    await scratch.write('a.md', 'a');
    await scratch.write('b.md', 'b');
    const outside = await scratch.writeOutside('c.md', 'c');
    const retarget = async (target: string) => {
      await rm(scratch.path('AGENTS.md'), { force: true });
      await symlink(target, scratch.path('AGENTS.md'));
    };
    await retarget('a.md');
    expect(await textOf('AGENTS.md')).toBe('a');
    await retarget('b.md');
    expect(await textOf('AGENTS.md')).toBe('b');
    await retarget(outside);
    expect(await read('AGENTS.md')).toMatchObject({ reason: 'outside-workspace' });
  });

  it('sees that a linked file was carried out of the workspace with its folder', async () => {
    await scratch.write('docs/a.md', 'a');
    await symlink('docs/a.md', scratch.path('AGENTS.md'));
    expect(await textOf('AGENTS.md')).toBe('a');
    await rename(scratch.path('docs'), join(scratch.outsideDir, 'docs'));
    await rm(scratch.path('AGENTS.md'));
    await symlink(join(scratch.outsideDir, 'docs/a.md'), scratch.path('AGENTS.md'));
    expect(await read('AGENTS.md')).toMatchObject({ reason: 'outside-workspace' });
  });

  it('sees a second name appear beside a file', async () => {
    await scratch.write('AGENTS.md', 'one');
    await read('AGENTS.md');
    await link(scratch.path('AGENTS.md'), join(scratch.outsideDir, 'copy.md'));
    expect(await textOf('AGENTS.md')).toBeUndefined();
  });

  it('does not answer for other roots', async () => {
    await symlink(await scratch.writeOutside('shared.md', 'shared'), scratch.path('AGENTS.md'));
    expect(await textOf('AGENTS.md', [scratch.workspaceDir, scratch.outsideDir])).toBe('shared');
    expect(await textOf('AGENTS.md')).toBeUndefined();
  });

  it('gives up the oldest files rather than growing without end', async () => {
    const big = 'x'.repeat(MAX_FILE_BYTES);
    await Promise.all(Array.from({ length: 34 }, (_, i) => scratch.write(`f${i}`, big)));
    const first = await read('f0');
    for (let i = 1; i < 34; i++) await read(`f${i}`);
    expect(await read('f33')).toBe(await read('f33'));
    expect(await read('f0')).not.toBe(first);
  });
});

describe('a file that changes while it is being read', () => {
  /** Does `meanwhile` in the middle of a read: behind the look at the file, before it is opened. */
  async function interrupted(meanwhile: () => Promise<unknown>, times = 1): Promise<FileRead> {
    const original = fsPromises.realpath;
    let left = times;
    const interrupt = async (path: string) => {
      if (path === scratch.path('AGENTS.md') && left-- > 0) await meanwhile();
      return original(path);
    };
    fsPromises.realpath = interrupt as typeof original;
    syncBuiltinESMExports();
    try {
      return await read('AGENTS.md');
    } finally {
      fsPromises.realpath = original;
      syncBuiltinESMExports();
    }
  }
  const replace = async (text: string) => rename(await scratch.write('next.md', text), scratch.path('AGENTS.md'));

  it('is read again, and so in one piece', async () => {
    await scratch.write('AGENTS.md', 'old');
    expect(await interrupted(() => replace('new'))).toMatchObject({ kind: 'text', text: 'new' });
    expect(await textOf('AGENTS.md')).toBe('new');
  });

  it('is gone when it was taken away', async () => {
    await scratch.write('AGENTS.md', 'old');
    expect(await interrupted(() => rm(scratch.path('AGENTS.md')))).toMatchObject({ reason: 'missing' });
  });

  it('is refused when it became a link to somewhere else', async () => {
    await scratch.write('AGENTS.md', 'old');
    const secret = await scratch.writeOutside('secret.md', 'secret');
    const swap = async () => {
      await rm(scratch.path('AGENTS.md'));
      await symlink(secret, scratch.path('AGENTS.md'));
    };
    expect(await interrupted(swap)).toMatchObject({ kind: 'absent', reason: 'outside-workspace' });
  });

  it('is given up as unreadable when it never stops changing, and asked for anew the next time', async () => {
    await scratch.write('AGENTS.md', 'old');
    let count = 0;
    expect(await interrupted(() => replace(`${count++}`), 99)).toMatchObject({ kind: 'absent', reason: 'unreadable' });
    expect(count).toBeLessThan(10);
    expect(await textOf('AGENTS.md')).toBe(`${count - 1}`);
  });
});

describe('a folder', () => {
  it('is listed by name, and is empty when it cannot be', async () => {
    await scratch.write('b', '');
    await scratch.write('a', '');
    expect(await files.list(scratch.workspaceDir)).toEqual(['a', 'b']);
    expect(await files.list(scratch.path('none'))).toEqual([]);
    expect(await files.list(scratch.path('a'))).toEqual([]);
    expect(await files.list('nul\0byte')).toEqual([]);
  });

  it('is told from a file', async () => {
    await scratch.write('a', '');
    await symlink('.', scratch.path('here'));
    expect(await files.isDirectory(scratch.workspaceDir)).toBe(true);
    expect(await files.isDirectory(scratch.path('here'))).toBe(true);
    for (const name of ['a', 'none', 'nul\0byte']) expect(await files.isDirectory(scratch.path(name))).toBe(false);
  });

  it('is read by names, of which those that it does not hold are missing', async () => {
    await scratch.write('a', 'A');
    const found = await readNames(files, scratch.workspaceDir, ['a', 'b'], [scratch.workspaceDir]);
    expect(found).toMatchObject([{ text: 'A' }, { reason: 'missing', path: scratch.path('b') }]);
  });
});

it('follows links to a real path, and leaves alone what is not there', async () => {
  await scratch.write('real.md', '');
  await symlink('real.md', scratch.path('link.md'));
  expect(await files.realPath(scratch.path('link.md'))).toBe(scratch.path('real.md'));
  expect(await files.realPath(scratch.path('none.md'))).toBe(scratch.path('none.md'));
  expect(await files.realPath('/nul\0byte')).toBe('/nul\0byte');
});

describe('isInside', () => {
  it.each([
    ['/w', '/w', true],
    ['/w', '/w/a', true],
    ['/w', '/w/..a', true],
    ['/', '/a', true],
    ['/w', '/', false],
    ['/w', '/wa', false],
    ['/w/a', '/w', false],
    ['/w/a', '/w/b', false],
  ])('%s holds %s: %s', (root, path, expected) => {
    expect(isInside(root, path)).toBe(expected);
  });
});

/** Permissions do not stop the superuser, but no user can read the start of a process's memory. Returns the roots to use. */
async function unreadable(name: string): Promise<string[]> {
  if (existsSync('/proc/self/mem')) {
    await symlink('/proc/self/mem', scratch.path(name));
    return [scratch.workspaceDir, '/proc'];
  }
  await chmod(await scratch.write(name, 'secret'), 0o000);
  return [scratch.workspaceDir];
}

describe('notes and chat records', () => {
  it.each([
    'memory/2026-05-06.md',
    '.learnings/one.md',
    '.openboa/chat/chats/c1.jsonl',
  ])('are never injected, even through links: %s', async (place) => {
    await scratch.write(place, 'private');
    await symlink(place, scratch.path('USER.md'));
    expect(await read('USER.md')).toMatchObject({
      kind: 'absent',
      reason: 'disabled',
      detail: expect.stringContaining(place),
    });
    expect(await read(place)).toMatchObject({ kind: 'absent', reason: 'disabled' });
  });
});
