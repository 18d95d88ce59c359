// Builds another revision of the project in a folder that is thrown away, to run it beside this one. The sources come from
// git as they were committed. The packages are this tree's own, unless the revision names others; then they are installed.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const run = promisify(execFile);

/** Returns the folder of its build. */
export async function buildRevision(revision, root) {
  const folder = await mkdtemp(join(root, 'revision-'));
  const { stdout } = await run('git', ['rev-parse', '--verify', `${revision}^{commit}`], { cwd: project }).catch(() => {
    throw new Error(`This clone does not have the revision ${revision}. A shallow clone has only the newest ones.`);
  });
  const archive = join(root, 'revision.tar');
  await run('git', ['archive', '--format=tar', '-o', archive, stdout.trim()], { cwd: project });
  await run('tar', ['-xf', archive, '-C', folder]);
  const [ours, theirs] = await Promise.all([project, folder].map((each) => readFile(join(each, 'package-lock.json'))));
  if (ours.equals(theirs)) await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  await run(process.execPath, ['node_modules/jiti/lib/jiti-cli.mjs', 'scripts/build.ts', '--only', 'dist'], {
    cwd: folder,
  });
  return join(folder, 'dist');
}
