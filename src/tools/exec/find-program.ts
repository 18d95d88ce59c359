// The file that a program's name stands for, as a shell would find it: the first one in the search path that may be
// executed. Folders of the workspace are no part of that path, because an agent that writes there could put another `ls` in
// front.

import { constants } from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** Undefined when there is none. `cwd` is for programs that are given with a path. */
export async function findProgram(program: string, path: readonly string[], cwd: string): Promise<string | undefined> {
  const files = program.includes('/')
    ? [isAbsolute(program) ? program : join(cwd, program)]
    : path.map((folder) => join(folder, program));
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** The folders of a search path that exist and that no link leads through the workspace to. */
export async function foldersOutside(path: readonly string[], workspaceDir: string): Promise<readonly string[]> {
  const isOutside = await Promise.all(
    path.map(async (folder) => !(await isInWorkspace(folder, workspaceDir).catch(() => true))),
  );
  return path.filter((_, index) => isOutside[index]);
}

/**
 * Whether the file, or a link on the way to it, lies in the workspace: an agent that writes there decides what it is. Rejects
 * when there is no such file.
 */
export async function isInWorkspace(file: string, workspaceDir: string): Promise<boolean> {
  const root = await realpath(workspaceDir);
  let real: string = sep;
  const left = partsOf(file);
  for (let part = left.shift(), links = 0; part !== undefined; part = left.shift()) {
    const next = join(real, part);
    if (isWithin(root, next)) return true;
    const target = await targetOf(next);
    if (target === undefined) {
      real = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new Error(`Too many links lead to ${file}.`);
    if (isAbsolute(target)) real = sep;
    left.unshift(...partsOf(target));
  }
  return false;
}

/** As many as a kernel follows. */
const MOST_LINKS = 40;

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Undefined for what is no link. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EINVAL') return undefined;
    throw error;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
