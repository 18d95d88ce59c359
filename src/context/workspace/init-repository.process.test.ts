import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { seedWorkspace } from './ensure-workspace.ts';

let root: string;
let dir: string;

beforeEach(async () => {
  root = await folderForTest();
  dir = join(root, 'workspace');
  await mkdir(dir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
});

const seed = () => seedWorkspace({ dir, now: new Date(0) });

describe('a new workspace', () => {
  it('becomes a real repository when git is there, wherever the environment points', async () => {
    vi.stubEnv('GIT_DIR', join(root, 'other.git'));
    await seed();
    expect(await readdir(dir)).toContain('.git');
    expect(await readdir(root)).toEqual(['workspace']);
  });

  it('is complete without git', async () => {
    vi.stubEnv('PATH', root);
    expect((await seed()).firstRun).toBe('pending');
    expect(await readdir(dir)).not.toContain('.git');
  });
});
