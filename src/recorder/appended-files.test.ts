import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { AppendedFiles } from './appended-files.ts';

describe.each([
  ['on a disk of this machine', true],
  ['far away', false],
])('a folder %s', (_, isLocal) => {
  let dir: string;
  let told: string[];
  let files: AppendedFiles;
  beforeEach(async () => {
    dir = await folderForTest();
    told = [];
    files = new AppendedFiles({ warn: (sentence) => told.push(sentence), isLocal: () => isLocal });
  });

  async function append(...names: readonly string[]): Promise<void> {
    const write = (_: unknown, texts: string[]) => texts.push('{', '}');
    for (const name of names) files.append(join(dir, name), { length: 2, write });
    await files.drain();
  }

  it('each file that can never be written is told once, also beside others in the same folder', async () => {
    await mkdir(join(dir, 'folder.jsonl'));
    await symlink(join(dir, 'elsewhere'), join(dir, 'link.jsonl'));
    for (let times = 0; times < 2; times++) await append('folder.jsonl', 'link.jsonl', 'good.jsonl');
    expect(told.toSorted()).toEqual([
      `Records cannot be written to ${join(dir, 'folder.jsonl')} (EISDIR). Runs go on without them; remove what is in its place, or name another file.`,
      `Records cannot be written to ${join(dir, 'link.jsonl')} (it is a link). Runs go on without them; remove what is in its place, or name another file.`,
    ]);
    expect(files.warnings.toSorted()).toEqual(told.toSorted());
    expect(await readFile(join(dir, 'good.jsonl'), 'utf8')).toBe('{}\n{}\n');
  });

  it('a folder that cannot be written is told once for all of its files, until it can be', async () => {
    await writeFile(join(dir, 'sessions'), 'a file');
    await append('sessions/one.jsonl', 'sessions/two.jsonl');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/ENOTDIR\). Runs go on without them; check the folder and its permissions\.$/);
    expect(files.warnings).toHaveLength(1);
    await rm(join(dir, 'sessions'));
    await append('sessions/one.jsonl');
    expect(files.warnings).toEqual([]);
  });
});
