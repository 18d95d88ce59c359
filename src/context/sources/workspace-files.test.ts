import { existsSync, default as fs } from 'node:fs';
import { chmod, default as fsPromises, link, mkdir, rename, symlink, utimes } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { UnreadableBootstrapFileError } from '../errors.ts';
import { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY } from '../taxonomy.ts';
import { CachedFileSource, type FileSource, MAX_FILE_BYTES } from './file-source.ts';
import { loadWorkspaceBootstrapFiles, loadWorkspaceFiles } from './workspace-files.ts';

const scratch = workspaceForEachTest();

const load = (options: Parameters<typeof loadWorkspaceBootstrapFiles>[1] = {}) =>
  loadWorkspaceBootstrapFiles(scratch.workspaceDir, options);
const named = async (name: string, options = {}) => (await load(options)).filter((file) => file.name === name);

describe('the workspace', () => {
  it('is loaded in one order, with any files', async () => {
    const names = ['AGENTS.md', 'SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'HEARTBEAT.md', 'BOOTSTRAP.md'];
    expect((await load()).map(({ name }) => name)).toEqual(names);
    for (const name of [...names, 'MEMORY.md'].reverse()) await scratch.write(name, `this is ${name}`);
    expect(await load()).toEqual(
      [...names, 'MEMORY.md'].map((name) => ({
        name,
        path: scratch.path(name),
        content: `this is ${name}`,
        missing: false,
      })),
    );
  });

  it('has missing files as data, without content', async () => {
    await scratch.write('AGENTS.md', 'hello');
    const [agents, soul] = await load();
    expect(agents).toEqual({ name: 'AGENTS.md', path: scratch.path('AGENTS.md'), content: 'hello', missing: false });
    expect(soul).toEqual({ name: 'SOUL.md', path: scratch.path('SOUL.md'), missing: true });
  });

  it('may be empty, or not be there at all', async () => {
    expect((await load()).every(({ missing }) => missing)).toBe(true);
    expect(await loadWorkspaceBootstrapFiles('/no/such/place')).toHaveLength(7);
  });

  it('keeps an empty file apart from a missing one', async () => {
    await scratch.write('SOUL.md', '');
    expect(await named('SOUL.md')).toEqual([
      { name: 'SOUL.md', path: scratch.path('SOUL.md'), content: '', missing: false },
    ]);
  });

  it('never loads what lies deeper, nor what is spelt otherwise', async () => {
    await scratch.write('docs/AGENTS.md', 'nested');
    await scratch.write('memory/MEMORY.md', 'nested');
    await scratch.write('memory/2026-05-06.md', 'diary');
    await scratch.write('.learnings/LEARNINGS.md', 'lesson');
    await scratch.write('agents.md', 'other spelling');
    await scratch.write('NOTES.md', 'other file');
    expect((await load()).filter(({ missing }) => !missing)).toEqual([]);
  });

  it('has another set of files for openboa', async () => {
    await scratch.write('AGENTS.md', 'not of this set');
    await scratch.write('AGENT.md', 'agent');
    const files = await load({ taxonomy: OPENBOA_TAXONOMY });
    expect(files.map(({ name }) => name)).toEqual([
      'AGENT.md',
      'PROFILE.md',
      'MANDATE.md',
      'TOOLS.md',
      'IDENTITY.md',
      'BOOTSTRAP.md',
    ]);
    expect(files[0]?.content).toBe('agent');
  });
});

describe('memory', () => {
  const memories = async () => (await load()).filter(({ name }) => name.toLowerCase() === 'memory.md');

  it('is no news when there is none', async () => {
    expect(await memories()).toEqual([]);
  });

  it('is loaded under either spelling, and under both when they are two files', async () => {
    await scratch.write('memory.md', 'small');
    expect(await memories()).toMatchObject([{ name: 'memory.md', content: 'small' }]);
    await scratch.write('MEMORY.md', 'large');
    expect(await memories()).toMatchObject([
      { name: 'MEMORY.md', content: 'large' },
      { name: 'memory.md', content: 'small' },
    ]);
  });

  it('is loaded once when both spellings are one file', async () => {
    await scratch.write('MEMORY.md', 'one');
    await symlink('MEMORY.md', scratch.path('memory.md'));
    expect(await memories()).toMatchObject([{ name: 'MEMORY.md', content: 'one' }]);
  });

  it('is loaded once, too, when the first spelling is the link', async () => {
    await scratch.write('memory.md', 'one');
    await symlink('memory.md', scratch.path('MEMORY.md'));
    expect(await memories()).toMatchObject([{ name: 'MEMORY.md', content: 'one' }]);
  });

  it('is loaded once when both spellings are hard links to one file, which has no third name', async () => {
    await link(await scratch.write('MEMORY.md', 'one'), scratch.path('memory.md'));
    expect(await memories()).toMatchObject([{ name: 'MEMORY.md', content: 'one' }]);
    await link(scratch.path('MEMORY.md'), scratch.path('third.md'));
    expect(await memories()).toMatchObject([{ missing: true }, { missing: true }]);
  });

  it('that is there and cannot be used is listed as missing', async () => {
    await mkdir(scratch.path('MEMORY.md'));
    expect(await memories()).toEqual([{ name: 'MEMORY.md', path: scratch.path('MEMORY.md'), missing: true }]);
  });
});

describe('what may not be read', () => {
  const reasonOf = async (name: string, roots: string[] = []) => {
    const files = await loadWorkspaceFiles(new CachedFileSource(), scratch.workspaceDir, OPENCLAW_TAXONOMY, roots);
    const read = files.find((file) => file.name === name)?.read;
    return read?.kind === 'absent' ? read.reason : read?.kind;
  };

  it('is missing to the loader, with the reason for the report: a link that leaves the workspace', async () => {
    await symlink(await scratch.writeOutside('a.md', 'secret'), scratch.path('AGENTS.md'));
    expect(await named('AGENTS.md')).toEqual([{ name: 'AGENTS.md', path: scratch.path('AGENTS.md'), missing: true }]);
    expect(await reasonOf('AGENTS.md')).toBe('outside-workspace');
  });

  it('may be read when its root is allowed', async () => {
    await symlink(await scratch.writeOutside('a.md', 'shared'), scratch.path('AGENTS.md'));
    expect(await named('AGENTS.md', { allowedRoots: [scratch.outsideDir] })).toMatchObject([{ content: 'shared' }]);
    expect(await reasonOf('AGENTS.md', [scratch.outsideDir])).toBe('text');
  });

  it('is missing: a hard link, and a file that is too large', async () => {
    await link(await scratch.write('other.md', 'x'), scratch.path('AGENTS.md'));
    await scratch.write('SOUL.md', 'x'.repeat(MAX_FILE_BYTES + 1));
    expect((await load()).slice(0, 2).every(({ missing }) => missing)).toBe(true);
    expect(await reasonOf('AGENTS.md')).toBe('outside-workspace');
    expect(await reasonOf('SOUL.md')).toBe('too-large');
  });

  it('reaches the caller of the loader when it is an error of another kind', async () => {
    let allowedRoots: string[] = [];
    if (existsSync('/proc/self/mem')) {
      // Permissions do not stop the superuser, but no user can read the start of a process's memory.
      await symlink('/proc/self/mem', scratch.path('SOUL.md'));
      allowedRoots = ['/proc'];
    } else {
      await chmod(await scratch.write('SOUL.md', 'secret'), 0o000);
    }
    const failure = await load({ allowedRoots }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnreadableBootstrapFileError);
    expect(failure).toMatchObject({ path: scratch.path('SOUL.md'), cause: { code: expect.any(String) } });
    expect(await reasonOf('SOUL.md', allowedRoots)).toBe('unreadable');
  });

  it('reaches the caller from any source of files', async () => {
    const files = new CachedFileSource();
    const source: FileSource = {
      read: async (path) => ({ kind: 'absent', path, reason: 'unreadable', detail: 'EIO', entryExists: true }),
      list: (dir) => files.list(dir),
      isDirectory: (path) => files.isDirectory(path),
      realPath: (path) => files.realPath(path),
    };
    await expect(load({ source })).rejects.toThrow(/AGENTS\.md cannot be read \(EIO\)/);
  });
});

describe('loading again', () => {
  it('costs one look at each file and no read when nothing changed', async () => {
    for (const { name } of OPENCLAW_TAXONOMY.files) await scratch.write(name, `this is ${name}`);
    await scratch.age();
    const source = new CachedFileSource();
    const first = await load({ source });
    const { result, calls } = await countingCalls(() => load({ source }));
    expect(result).toEqual(first);
    // Nine: memory has two spellings.
    expect(calls).toEqual({ lstat: 9, stat: 0, readdir: 0, open: 0, readFile: 0, realpath: 0 });
  });

  it('counts honestly: the first time, every file is opened', async () => {
    await scratch.write('AGENTS.md', 'x');
    await scratch.write('SOUL.md', 'x');
    const { calls } = await countingCalls(() => load({ source: new CachedFileSource() }));
    expect(calls.open).toBe(2);
  });

  it('shows an edit, and a replacement of equal size and time', async () => {
    const source = new CachedFileSource();
    const time = new Date('2026-01-01T00:00:00Z');
    const path = await scratch.write('AGENTS.md', 'one');
    await utimes(path, time, time);
    expect((await load({ source }))[0]?.content).toBe('one');
    const next = await scratch.write('next', 'two');
    await utimes(next, time, time);
    await rename(next, path);
    expect((await load({ source }))[0]?.content).toBe('two');
    await scratch.write('AGENTS.md', 'three');
    expect((await load({ source }))[0]?.content).toBe('three');
  });
});

it('does not hang on a pipe', async () => {
  const { execFileSync } = await import('node:child_process');
  execFileSync('mkfifo', [scratch.path('AGENTS.md'), scratch.path('MEMORY.md')]);
  expect(await named('AGENTS.md')).toMatchObject([{ missing: true }]);
});

/** Node's own functions are counted in each of their forms, so that no cleverness of ours can hide a read. */
async function countingCalls<Result>(work: () => Promise<Result>) {
  const calls = { lstat: 0, stat: 0, readdir: 0, open: 0, readFile: 0, realpath: 0 };
  type Name = keyof typeof calls;
  const restore: (() => void)[] = [];
  const count = (home: Record<string, (...args: unknown[]) => unknown>, form: string, name: Name) => {
    const original = home[form];
    if (!original) return;
    home[form] = (...args) => {
      calls[name]++;
      return original(...args);
    };
    restore.push(() => {
      home[form] = original;
    });
  };
  for (const home of [fs, fsPromises] as unknown as Parameters<typeof count>[0][]) {
    for (const name of Object.keys(calls) as Name[]) for (const form of [name, `${name}Sync`]) count(home, form, name);
  }
  syncBuiltinESMExports();
  try {
    return { result: await work(), calls };
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
}
