import { chmod, mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { WorkspaceNotDirectoryError, WorkspaceNotWritableError } from '../errors.ts';
import { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY } from '../taxonomy.ts';
import { type EnsureAgentWorkspaceParams, ensureAgentWorkspace, seedWorkspace } from './ensure-workspace.ts';
import { WORKSPACE_TEMPLATES } from './templates/workspace-templates.ts';
import { completeFirstRun } from './workspace-state.ts';

const NOW = new Date('2026-03-01T10:00:00Z');
const DATE = NOW.toISOString();

let root: string;
let dir: string;
let repositories: string[];

beforeEach(async () => {
  root = await folderForTest();
  dir = join(root, 'workspace');
  repositories = [];
});

/** Nothing is spawned: what would become a repository is written down instead. */
const initRepository = async (path: string) => {
  repositories.push(path);
};

const seed = (more: Partial<EnsureAgentWorkspaceParams> = {}) =>
  seedWorkspace({ dir, now: NOW, initRepository, ...more });

const state = async () => JSON.parse(await readFile(join(dir, '.openclaw', 'workspace-state.json'), 'utf8'));
const text = (name: string) => readFile(join(dir, name), 'utf8');
const names = async () => (await readdir(dir)).sort();

async function given(files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), content);
  }
}

describe('a new workspace', () => {
  it('gets a directory, every template, a first run and a repository', async () => {
    const seeded = await seed();
    expect(await names()).toEqual([
      '.openclaw',
      'AGENTS.md',
      'BOOTSTRAP.md',
      'HEARTBEAT.md',
      'IDENTITY.md',
      'SOUL.md',
      'TOOLS.md',
      'USER.md',
    ]);
    for (const name of seeded.created) expect(await text(name)).toBe(WORKSPACE_TEMPLATES.openclaw[name]);
    expect(seeded).toMatchObject({ dir, firstRun: 'pending' });
    expect(seeded.created).toHaveLength(7);
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE });
    expect(repositories).toEqual([dir]);
  });

  it('of the openboa kind gets its own files', async () => {
    const paths = await ensureAgentWorkspace({ dir, now: NOW, taxonomy: OPENBOA_TAXONOMY, initRepository });
    expect(await names()).toEqual([
      '.openclaw',
      'AGENT.md',
      'BOOTSTRAP.md',
      'IDENTITY.md',
      'MANDATE.md',
      'PROFILE.md',
      'TOOLS.md',
    ]);
    expect(basename(paths.agentsPath ?? '')).toBe('AGENT.md');
    expect(basename(paths.soulPath ?? '')).toBe('PROFILE.md');
    expect(basename(paths.mandatePath ?? '')).toBe('MANDATE.md');
    expect(paths.heartbeatPath).toBeUndefined();
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE });
  });

  it('has a template for each required file of its kind, and for its first run', () => {
    for (const taxonomy of [OPENCLAW_TAXONOMY, OPENBOA_TAXONOMY]) {
      const needed = taxonomy.files.filter((file) => file.required || file.firstRun).map((file) => file.name);
      expect(Object.keys(WORKSPACE_TEMPLATES[taxonomy.id])).toEqual(expect.arrayContaining(needed));
      expect(WORKSPACE_TEMPLATES[taxonomy.id]['BOOTSTRAP.md']).toContain('atrium agents init --done');
    }
  });

  it('answers with the paths that the contract names', async () => {
    const paths = await ensureAgentWorkspace({ dir, now: NOW, initRepository });
    expect(Object.keys(paths).sort()).toEqual([
      'agentsPath',
      'bootstrapPath',
      'dir',
      'heartbeatPath',
      'identityPath',
      'identityPathCreated',
      'soulPath',
      'toolsPath',
      'userPath',
    ]);
    expect(paths.identityPathCreated).toBe(true);
    expect((await ensureAgentWorkspace({ dir, now: NOW, initRepository })).identityPathCreated).toBe(false);
  });

  it('can be a directory and nothing else', async () => {
    expect(await ensureAgentWorkspace({ dir, now: NOW, ensureBootstrapFiles: false, initRepository })).toEqual({ dir });
    expect(await names()).toEqual([]);
    expect(repositories).toEqual([]);
  });

  it('may leave out optional files but not required ones', async () => {
    await seed({ skipOptionalBootstrapFiles: ['SOUL.md', 'USER.md', 'AGENTS.md', 'TOOLS.md'] });
    expect(await names()).toEqual([
      '.openclaw',
      'AGENTS.md',
      'BOOTSTRAP.md',
      'HEARTBEAT.md',
      'IDENTITY.md',
      'TOOLS.md',
    ]);
  });
});

describe('an existing workspace', () => {
  it('keeps every file as it is, also an empty one', async () => {
    await given({ 'AGENTS.md': 'mine', 'TOOLS.md': '' });
    expect((await seed()).created).not.toContain('AGENTS.md');
    expect(await text('AGENTS.md')).toBe('mine');
    expect(await text('TOOLS.md')).toBe('');
    expect(repositories).toEqual([]);
  });

  it('gets no first run when a person has introduced the agent already', async () => {
    for (const name of ['SOUL.md', 'IDENTITY.md', 'USER.md', 'MEMORY.md', 'memory/2026-01-01.md', '.git/HEAD']) {
      dir = join(root, name.replace('/', '-'));
      await given({ [name]: 'custom' });
      expect((await seed()).firstRun).toBe('complete');
      expect(await names()).not.toContain('BOOTSTRAP.md');
      expect(await state()).toEqual({ version: 1, setupCompletedAt: DATE });
    }
    expect(repositories).toEqual([]);
  });

  it('gets one when only its instructions were written', async () => {
    await given({ 'AGENTS.md': 'mine', 'memory.md': 'notes' });
    expect((await seed()).firstRun).toBe('pending');
  });

  it('with BOOTSTRAP.md and an edited profile is past its first run, and the file stays', async () => {
    await given({ 'BOOTSTRAP.md': 'my own words', 'USER.md': 'Ana' });
    expect((await seed()).firstRun).toBe('complete');
    expect(await text('BOOTSTRAP.md')).toBe('my own words');
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE, setupCompletedAt: DATE });
  });

  it('with BOOTSTRAP.md and nothing else has its first run before it', async () => {
    await given({ 'BOOTSTRAP.md': 'my own words' });
    expect((await seed()).firstRun).toBe('pending');
    expect(await text('BOOTSTRAP.md')).toBe('my own words');
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE });
  });

  it("is believed when it says that it was set up, in today's words or the older ones", async () => {
    for (const key of ['setupCompletedAt', 'onboardingCompletedAt']) {
      dir = join(root, key);
      await given({ '.openclaw/workspace-state.json': `{"${key}":"2026-01-01T00:00:00Z"}` });
      expect((await seed()).firstRun).toBe('complete');
      expect(await names()).not.toContain('BOOTSTRAP.md');
      expect(await state()).toMatchObject({ setupCompletedAt: '2026-01-01T00:00:00Z' });
    }
  });

  it('begins anew when its state cannot be understood', async () => {
    await given({ '.openclaw/workspace-state.json': '{broken' });
    expect((await seed()).firstRun).toBe('pending');
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE });
  });
});

describe('the first run', () => {
  it('goes on while the agent writes down what it learns', async () => {
    await seed();
    await given({ 'IDENTITY.md': 'Name: Ada', 'memory/today.md': 'met Ana' });
    expect((await seed()).firstRun).toBe('pending');
  });

  it('is complete when BOOTSTRAP.md is deleted, and is never begun again', async () => {
    await seed();
    await unlink(join(dir, 'BOOTSTRAP.md'));
    expect((await seed()).firstRun).toBe('complete');
    expect((await seed()).created).toEqual([]);
    expect(await names()).not.toContain('BOOTSTRAP.md');
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE, setupCompletedAt: DATE });
  });

  it('is complete when the operator says so, and BOOTSTRAP.md stays', async () => {
    await seed();
    await completeFirstRun(dir, NOW);
    expect((await seed()).firstRun).toBe('complete');
    expect(await names()).toContain('BOOTSTRAP.md');
  });

  it('is the same for twenty who begin it at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        seed({ initRepository: (path) => mkdir(join(path, '.git'), { recursive: true }).then(() => undefined) }),
      ),
    );
    expect(all.every((one) => one.firstRun === 'pending')).toBe(true);
    expect(all.flatMap((one) => one.created).sort()).toEqual(Object.keys(WORKSPACE_TEMPLATES.openclaw).sort());
    expect(await state()).toEqual({ version: 1, bootstrapSeededAt: DATE });
    expect(await readdir(join(dir, '.openclaw'))).toEqual(['workspace-state.json']);
  });
});

describe('a hostile place', () => {
  it('where a file stands instead of the workspace, or above it, is an error of its own', async () => {
    await writeFile(dir, 'a file');
    await expect(seed()).rejects.toThrow(WorkspaceNotDirectoryError);
    await expect(seed({ dir: join(dir, 'below') })).rejects.toThrow(WorkspaceNotDirectoryError);
    expect(await readFile(dir, 'utf8')).toBe('a file');
  });

  it('where a dead link stands instead of the workspace is one too', async () => {
    await symlink(join(root, 'gone'), dir);
    await expect(seed()).rejects.toThrow(WorkspaceNotDirectoryError);
    expect(await readdir(root)).toEqual(['workspace']);
  });

  it('is written to through no link, dangling or not', async () => {
    await mkdir(dir);
    await writeFile(join(root, 'target.md'), 'outside');
    await symlink(join(root, 'created-outside.md'), join(dir, 'AGENTS.md'));
    await symlink(join(root, 'target.md'), join(dir, 'SOUL.md'));
    await symlink(join(root, 'created-outside.md'), join(dir, 'BOOTSTRAP.md'));
    const { created } = await seed();
    expect(created).not.toContain('AGENTS.md');
    expect(await readFile(join(root, 'target.md'), 'utf8')).toBe('outside');
    expect((await readdir(root)).sort()).toEqual(['target.md', 'workspace']);
  });

  it('may be reached through a link, which is then the workspace', async () => {
    await mkdir(join(root, 'real'));
    await symlink(join(root, 'real'), dir);
    expect((await seed()).firstRun).toBe('pending');
    expect((await stat(join(root, 'real', 'AGENTS.md'))).isFile()).toBe(true);
  });

  it('that cannot be written to gives one clear error', async () => {
    await mkdir(dir);
    await chmod(root, 0o755);
    await chmod(dir, 0o555);
    await asOrdinaryUser(async () => {
      const failure = await seed().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WorkspaceNotWritableError);
      expect(failure).toMatchObject({ code: 'ATRIUM_WORKSPACE_NOT_WRITABLE', dir });
      expect((failure as Error).message).toContain('EACCES');
      await expect(seed({ dir: join(dir, 'below') })).rejects.toThrow(WorkspaceNotWritableError);
    });
  });

  it('that cannot be written to is no trouble when nothing has to be written', async () => {
    await seed();
    await completeFirstRun(dir, NOW);
    await chmod(root, 0o755);
    await chmod(join(dir, '.openclaw', 'workspace-state.json'), 0o644);
    await chmod(dir, 0o555);
    await asOrdinaryUser(async () => expect((await seed()).firstRun).toBe('complete'));
  });
});

/** Permissions do not bind the superuser, so the test changes to another user for a moment. */
async function asOrdinaryUser(act: () => Promise<void>): Promise<void> {
  const isSuperuser = process.geteuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65534);
  try {
    await act();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}
