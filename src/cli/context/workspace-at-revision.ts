// A workspace as it was at a revision of its git repository, in a temporary folder that is gone when it was used. The
// repository, its index and its files stay as they are: git reads the revision into an index of its own.
// Errors: RevisionUnknownError when the folder is in no repository, or there is no such revision.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { oneLine } from '../../protocol/one-line.ts';
import { RevisionUnknownError } from '../errors.ts';

export async function withWorkspaceAt<Value>(
  workspaceDir: string,
  revision: string,
  variables: Variables,
  use: (dir: string) => Promise<Value>,
): Promise<Value> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'atrium-revision-')));
  try {
    const files = join(dir, 'workspace');
    await mkdir(files);
    const index = join(dir, 'index');
    const git = gitIn(workspaceDir, revision, { ...variables, GIT_INDEX_FILE: index });
    const prefix = (await git('rev-parse', '--show-prefix')).trim();
    const commit = (await git('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)).trim();
    const top = (await git('rev-parse', '--show-toplevel')).trim();
    const inTop = gitIn(top, revision, { ...variables, GIT_INDEX_FILE: index });
    await inTop('read-tree', prefix === '' ? commit : `${commit}:${prefix.replace(/\/$/, '')}`);
    await inTop('checkout-index', '--all', `--prefix=${files}/`);
    return await use(files);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const run = promisify(execFile);
const GIT_MS = 60_000;

type Variables = Readonly<Record<string, string | undefined>>;

function gitIn(cwd: string, revision: string, env: Variables) {
  return async (...argv: readonly string[]): Promise<string> => {
    try {
      const { stdout } = await run('git', argv, { cwd, env, timeout: GIT_MS });
      return stdout;
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string };
      throw new RevisionUnknownError({ revision, dir: cwd, detail: oneLine(stderr || message, 300) }, { cause: error });
    }
  };
}
