// The file that a program's name stands for, as a shell would find it: the first one in the search path that may be
// executed. Folders of the workspace are no part of that path, because whoever can write there could put another `ls` in
// front.

import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** Undefined when there is none. `cwd` is for programs that are given with a path. */
export async function findProgram(program: string, path: readonly string[], cwd: string): Promise<string | undefined> {
  const files = program.includes('/')
    ? [isAbsolute(program) ? program : join(cwd, program)]
    : path.map((folder) => join(folder, program));
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** Those folders of a search path that are there, and not in the workspace. */
export async function foldersOutside(path: readonly string[], workspaceDir: string): Promise<readonly string[]> {
  const isOutside = await Promise.all(
    path.map(async (folder) => !(await isInWorkspace(folder, workspaceDir).catch(() => true))),
  );
  return path.filter((_, index) => isOutside[index]);
}

/** After links are followed. Rejects when the file is not there. */
export async function isInWorkspace(file: string, workspaceDir: string): Promise<boolean> {
  const [real, root] = await Promise.all([realpath(file), realpath(workspaceDir)]);
  const way = relative(root, real);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
