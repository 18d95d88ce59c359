import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import type { BundleFacts } from './bundle-format.ts';
import { BundleWriter } from './bundle-writer.ts';
import { openBundle } from './open-bundle.ts';

let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
});

const FACTS: BundleFacts = {
  createdAt: '2026-01-02T00:00:00.000Z',
  sessionKey: 'agent:main:main',
  sessionIds: ['ses_1'],
  isRedacted: true,
  versions: { atrium: '1.0.0', node: 'v20', platform: 'linux', arch: 'x64' },
  runs: [{ runId: 'run_1', dir: 'runs/run_1', status: 'done', startedAt: 1, endedAt: 2 }],
  missing: [],
};

async function written(): Promise<string> {
  const writer = await BundleWriter.create(path.join(dir, 'out'), 'bundle');
  await writer.add('sessions.jsonl', '{}\n');
  await writer.addJson('runs/run_1/run.json', { runId: 'run_1', text: 'zażółć' });
  return writer.finish(FACTS);
}

/** Changes the manifest, as a person could who hands a bundle on. */
async function forge(bundle: string, change: (manifest: { files: object[] }) => void): Promise<void> {
  const file = path.join(bundle, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  change(manifest);
  await writeFile(file, JSON.stringify(manifest));
}

describe('a bundle', () => {
  it('is read as it was written, and is private', async () => {
    const bundle = await written();
    const { manifest, problems, read } = await openBundle(bundle);
    expect(manifest).toMatchObject(FACTS);
    expect(problems).toEqual([]);
    expect(JSON.parse((await read('runs/run_1/run.json')) ?? '')).toEqual({ runId: 'run_1', text: 'zażółć' });
    for (const name of ['', 'runs', 'runs/run_1'])
      expect((await stat(path.join(bundle, name))).mode & 0o777).toBe(0o700);
    for (const { path: name } of manifest.files) {
      expect((await stat(path.join(bundle, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('is named as incomplete until its end, and leaves nothing when it is abandoned', async () => {
    const writer = await BundleWriter.create(dir, 'bundle');
    await writer.add('sessions.jsonl', '{}\n');
    expect(await readdir(dir)).toEqual(['bundle.incomplete']);
    await expect(openBundle(path.join(dir, 'bundle.incomplete'))).rejects.toThrow('not written to its end');
    await writer.abandon();
    expect(await readdir(dir)).toEqual([]);
  });

  it('overwrites nothing that has its name', async () => {
    await written();
    expect(path.basename(await written())).toBe('bundle-2');
    const writer = await BundleWriter.create(path.join(dir, 'out'), 'bundle');
    await writer.add('sessions.jsonl', '1');
    await expect(writer.add('sessions.jsonl', '2')).rejects.toMatchObject({ code: 'ATRIUM_BUNDLE_NOT_WRITTEN' });
    await expect(writer.add('../outside', '')).rejects.toMatchObject({ code: 'ATRIUM_BUNDLE_NOT_WRITTEN' });
    await writeFile(path.join(dir, 'file'), '');
    await expect(BundleWriter.create(path.join(dir, 'file'), 'bundle')).rejects.toThrow(/could not be written/);
  });

  it('names every file that is missing, changed, replaced or added', async () => {
    const bundle = await written();
    const run = path.join(bundle, 'runs/run_1/run.json');
    await appendFile(run, ' ');
    await writeFile(path.join(bundle, 'extra.txt'), '');
    await rm(path.join(bundle, 'sessions.jsonl'));
    const changed = await openBundle(bundle);
    expect(changed.problems).toEqual([
      { path: 'runs/run_1/run.json', problem: 'changed' },
      { path: 'sessions.jsonl', problem: 'missing' },
      { path: 'extra.txt', problem: 'not in the manifest' },
    ]);
    expect(await changed.read('runs/run_1/run.json')).toBeUndefined();
    expect(await changed.read('extra.txt')).toBeUndefined();
  });

  it('follows no link out of the folder and waits for no pipe', async () => {
    const bundle = await written();
    const run = path.join(bundle, 'runs/run_1/run.json');
    // The same bytes elsewhere do not make it a file of the bundle.
    await mkdir(path.join(dir, 'elsewhere'));
    await rename(run, path.join(dir, 'elsewhere/run.json'));
    await symlink(path.join(dir, 'elsewhere/run.json'), run);
    await rm(path.join(bundle, 'sessions.jsonl'));
    execFileSync('mkfifo', [path.join(bundle, 'sessions.jsonl')]);
    const { problems, read } = await openBundle(bundle);
    expect(problems.map(({ path: name, problem }) => `${name}: ${problem}`)).toEqual([
      'runs/run_1/run.json: not a regular file',
      'sessions.jsonl: not a regular file',
    ]);
    expect(await read('runs/run_1/run.json')).toBeUndefined();
    await rename(path.join(bundle, 'runs'), path.join(dir, 'elsewhere/runs'));
    await symlink(path.join(dir, 'elsewhere/runs'), path.join(bundle, 'runs'));
    expect((await openBundle(bundle)).problems.map(({ problem }) => problem)).toContain('not a regular file');
  });

  it.each([
    '../../etc/passwd',
    '/etc/passwd',
    'runs/../../x',
    'a\\b',
    '.hidden',
    'runs//x',
    '',
  ])('is refused with the path %j in its manifest', async (name) => {
    const bundle = await written();
    await forge(bundle, ({ files }) => files.push({ path: name, size: 0, sha256: '0'.repeat(64) }));
    await expect(openBundle(bundle)).rejects.toMatchObject({ code: 'ATRIUM_BUNDLE_UNREADABLE' });
  });

  it('is refused when it is none, or when its manifest makes no sense', async () => {
    await expect(openBundle(path.join(dir, 'nowhere'))).rejects.toThrow('there is nothing there');
    await expect(openBundle(dir)).rejects.toThrow('it has no manifest.json');
    await writeFile(path.join(dir, 'a.tar.gz'), '');
    await expect(openBundle(path.join(dir, 'a.tar.gz'))).rejects.toThrow('unpack it first');
    const bundle = await written();
    await forge(bundle, (manifest) => Object.assign(manifest, { schemaVersion: 2 }));
    await expect(openBundle(bundle)).rejects.toThrow('made by a newer version of Atrium');
    await forge(bundle, (manifest) => Object.assign(manifest, { schemaVersion: 0 }));
    await expect(openBundle(bundle)).rejects.toThrow('schemaVersion');
    await writeFile(path.join(bundle, 'manifest.json'), 'no JSON');
    await expect(openBundle(bundle)).rejects.toThrow('is damaged');
  });
});
