// A folder that is removed after the test. It can be made in a test or in code that runs before each test.

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
