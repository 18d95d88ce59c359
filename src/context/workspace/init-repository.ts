// Puts a new workspace under version control, so that what an agent does to its own files can be seen and undone. A
// convenience only: without git, or when git refuses, the workspace is simply not a repository.

import { execFile } from 'node:child_process';
import { join } from 'node:path';

const DEADLINE_MS = 10_000;

/** Never rejects, and never waits longer than the deadline. */
export function initRepository(dir: string): Promise<void> {
  // Naming the repository outright keeps a GIT_DIR in the environment from sending git elsewhere.
  const args = ['--git-dir', join(dir, '.git'), '--work-tree', dir, 'init', '--quiet'];
  const options = { cwd: dir, timeout: DEADLINE_MS, killSignal: 'SIGKILL', windowsHide: true } as const;
  return new Promise((done) => {
    execFile('git', args, options, () => done());
  });
}
