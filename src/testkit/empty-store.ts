// Writes an empty store to a file. The real code makes it once in each process, and every further one is a copy: making
// all tables takes longer than most of what a test does with them.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';

export async function writeEmptyStore(file: string): Promise<void> {
  contents ??= makeContents();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, await contents, { mode: 0o600 });
}

let contents: Promise<Buffer> | undefined;

async function makeContents(): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-store-'));
  try {
    const file = join(dir, 'empty.sqlite');
    await (await openSqliteStore({ file })).close();
    return await readFile(file);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
