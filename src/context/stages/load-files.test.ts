import { execFileSync } from 'node:child_process';
import { rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { WorkspaceNotFoundError } from '../errors.ts';
import type { FileSource } from '../sources/file-source.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'TOOLS.md': 'tools' });

const absence = async (name: string, settings = {}) =>
  (await scratch.compose(settings)).report.absences.find(({ what }) => what === name);

/** The real files, but for one that answers with a disk error. */
function withBrokenFile(name: string): FileSource {
  return {
    read: async (path, roots) =>
      path === scratch.path(name)
        ? { kind: 'absent', path, reason: 'unreadable', detail: 'EIO', entryExists: true }
        : scratch.files.read(path, roots),
    list: (dir) => scratch.files.list(dir),
    isDirectory: (path) => scratch.files.isDirectory(path),
    realPath: (path) => scratch.files.realPath(path),
  };
}

describe('a file that cannot be read', () => {
  it.each(['AGENTS.md', 'SOUL.md'])('leaves a marker and a reason, and composing goes on: %s', async (name) => {
    const { prompt, report } = await scratch.compose({ input: { files: withBrokenFile(name) } });
    expect(prompt.text).toContain(`[UNREADABLE] Present but not readable: ${scratch.path(name)}`);
    expect(prompt.text).toContain('tools');
    expect(report.absences).toContainEqual({
      what: name,
      path: scratch.path(name),
      reason: 'unreadable',
      detail: 'EIO',
    });
  });
});

describe('a file that may not be read', () => {
  it('has its reason in the report: outside, too large, or not a file', async () => {
    await symlink(await scratch.writeOutside('s.md', 'secret'), scratch.path('SOUL.md'));
    await scratch.write('USER.md', 'x'.repeat(2 * 1024 * 1024 + 1));
    execFileSync('mkfifo', [scratch.path('IDENTITY.md')]);
    expect(await absence('SOUL.md')).toMatchObject({ reason: 'outside-workspace' });
    expect(await absence('USER.md')).toMatchObject({ reason: 'too-large' });
    expect(await absence('IDENTITY.md')).toMatchObject({ reason: 'missing', detail: 'not a regular file but a pipe' });
    expect((await scratch.compose()).prompt.text).not.toContain('secret');
  });

  it('may be read from a root that is allowed', async () => {
    await symlink(await scratch.writeOutside('s.md', 'shared soul'), scratch.path('SOUL.md'));
    const { prompt, report } = await scratch.compose({ policy: { allowedRoots: [scratch.outsideDir] } });
    expect(prompt.text).toContain('shared soul');
    expect(report.spans.find(({ text }) => text === 'shared soul')?.origin).toEqual({
      kind: 'file',
      path: scratch.path('SOUL.md'),
      lines: [1, 1],
    });
  });
});

describe('a workspace', () => {
  it('without a single file is composed all the same', async () => {
    await rm(scratch.path('AGENTS.md'));
    await rm(scratch.path('TOOLS.md'));
    const { prompt } = await scratch.compose();
    expect(prompt.text).toContain(`[MISSING] Expected at: ${scratch.path('AGENTS.md')}`);
  });

  it('that is not there is an error', async () => {
    await rm(scratch.workspaceDir, { recursive: true });
    await expect(scratch.compose()).rejects.toThrow(WorkspaceNotFoundError);
  });

  it('that is a file is an error', async () => {
    await expect(scratch.compose({ input: { workspaceDir: scratch.path('AGENTS.md') } })).rejects.toThrow(
      WorkspaceNotFoundError,
    );
  });

  it('is seen once: an edit while composing shows in the next run', async () => {
    scratch.on('writes', () => scratch.write('TOOLS.md', 'edited tools'));
    expect((await scratch.compose()).prompt.text).not.toContain('edited tools');
    expect((await scratch.compose()).prompt.text).toContain('edited tools');
  });
});

it('survives sources that fail ahead of time', async () => {
  const gather = {
    skills: async () => ({ skills: [], refused: [] }),
    firstRunComplete: async () => false,
    ahead: async () => {
      throw new Error('the disk is gone');
    },
  };
  expect((await scratch.compose({ input: { gather } })).prompt.text).toContain('agents');
});
