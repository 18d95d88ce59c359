import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { WorkspaceNotFoundError, WorkspaceStateOutsideError } from '../errors.ts';
import {
  completeFirstRun,
  isSetupCompleted,
  loadFirstRunStatus,
  loadWorkspaceState,
  migrateWorkspaceState,
  recordWorkspaceState,
} from './workspace-state.ts';

const NOW = new Date('2026-03-01T10:00:00Z');
const LATER = new Date('2026-03-02T10:00:00Z');

let root: string;
let dir: string;

beforeEach(async () => {
  root = await folderForTest();
  dir = join(root, 'workspace');
  await mkdir(join(dir, '.openclaw'), { recursive: true });
});

const statePath = () => join(dir, '.openclaw', 'workspace-state.json');

async function isCompletedWith(text: string): Promise<boolean> {
  await writeFile(statePath(), text);
  return isSetupCompleted(await loadWorkspaceState(dir));
}

describe('loading the state', () => {
  it('reads a home that OpenClaw has set up', async () => {
    expect(await isCompletedWith('{"version":1,"setupCompletedAt":"2026-01-01T00:00:00Z"}')).toBe(true);
    expect(await isCompletedWith('{"onboardingCompletedAt":"2026-01-01T00:00:00Z"}')).toBe(true);
    expect(await isCompletedWith('{"setupCompletedAt":" ","onboardingCompletedAt":"2026-01-01T00:00:00Z"}')).toBe(true);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '42',
    '{"setupCompletedAt":"  "}',
    '{"setupCompletedAt":true}',
    '{"version":1}',
  ])('takes %j for a first run that is not complete', async (text) => {
    expect(await isCompletedWith(text)).toBe(false);
  });

  it('does not read a file of more than 64 KiB', async () => {
    const state = '{"setupCompletedAt":"2026-01-01T00:00:00Z"}';
    expect(await isCompletedWith(state.padEnd(64 * 1024))).toBe(true);
    expect(await isCompletedWith(state.padEnd(64 * 1024 + 1))).toBe(false);
  });

  it('says nothing when there is no workspace at all', async () => {
    expect(await loadWorkspaceState(join(root, 'nowhere'))).toEqual({ version: 1 });
  });

  it('does not wait for a pipe, and does not follow a link', async () => {
    execFileSync('mkfifo', [statePath()]);
    expect(await loadWorkspaceState(dir)).toEqual({ version: 1 });
    await rm(statePath());
    await writeFile(join(root, 'elsewhere.json'), '{"setupCompletedAt":"2026-01-01T00:00:00Z"}');
    await symlink(join(root, 'elsewhere.json'), statePath());
    expect(await loadWorkspaceState(dir)).toEqual({ version: 1 });
  });
});

describe('the first run', () => {
  it('is pending while BOOTSTRAP.md is there and the first run has not ended', async () => {
    expect(await loadFirstRunStatus(dir)).toBe('complete');
    await writeFile(join(dir, 'BOOTSTRAP.md'), 'hello');
    expect(await loadFirstRunStatus(dir)).toBe('pending');
    await completeFirstRun(dir, NOW);
    expect(await loadFirstRunStatus(dir)).toBe('complete');
  });

  it('ends by a command that leaves BOOTSTRAP.md alone and keeps the first date', async () => {
    await writeFile(join(dir, 'BOOTSTRAP.md'), 'hello');
    await recordWorkspaceState(dir, { bootstrapSeededAt: NOW.toISOString() });
    await completeFirstRun(dir, NOW);
    await completeFirstRun(dir, LATER);
    expect(JSON.parse(await readFile(statePath(), 'utf8'))).toEqual({
      version: 1,
      bootstrapSeededAt: NOW.toISOString(),
      setupCompletedAt: NOW.toISOString(),
    });
    expect(await readFile(join(dir, 'BOOTSTRAP.md'), 'utf8')).toBe('hello');
  });

  it('cannot end where there is no workspace', async () => {
    await expect(completeFirstRun(join(root, 'nowhere'), NOW)).rejects.toThrow(WorkspaceNotFoundError);
  });
});

describe('writing the state', () => {
  it('moves the older word to the newer one', async () => {
    await writeFile(statePath(), '{"onboardingCompletedAt":"2026-01-01T00:00:00Z"}');
    await migrateWorkspaceState(dir);
    expect(JSON.parse(await readFile(statePath(), 'utf8'))).toEqual({
      version: 1,
      setupCompletedAt: '2026-01-01T00:00:00Z',
    });
  });

  it('leaves no draft behind and keeps the file private', async () => {
    await Promise.all(Array.from({ length: 20 }, () => completeFirstRun(dir, NOW)));
    expect(await readdir(join(dir, '.openclaw'))).toEqual(['workspace-state.json']);
    expect((await stat(statePath())).mode & 0o777).toBe(0o600);
  });

  it('refuses to write through a link that leaves the workspace', async () => {
    await rm(join(dir, '.openclaw'), { recursive: true });
    await mkdir(join(root, 'outside'));
    await symlink(join(root, 'outside'), join(dir, '.openclaw'));
    await expect(completeFirstRun(dir, NOW)).rejects.toThrow(WorkspaceStateOutsideError);
    expect(await readdir(join(root, 'outside'))).toEqual([]);
  });
});
