// A folder that is gone when the test is. It can be asked for in a test or in what runs before each test.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The real path, without links in it. */
export async function folderForTest(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'atrium-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
