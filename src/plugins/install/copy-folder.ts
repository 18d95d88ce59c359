// Copies the folder of a plugin or skill into an empty place. Left out are `.git` and `node_modules`: dependencies are
// installed again, so that they come from the registry. A link to a file inside of the folder becomes that file;
// every other link, and whatever is no file, refuses the folder.
//
// Errors: FolderRefusedError that names the entry.

import { copyFile, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../hooks/packs/contained-file.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { FolderRefusedError } from '../errors.ts';
import { makePrivate, PACKAGE_LIMITS, type TreeLimits, TreeMeter } from './package-tree.ts';

const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export async function copyFolder(folder: string, into: string, limits: TreeLimits = PACKAGE_LIMITS): Promise<void> {
  try {
    const root = await realpath(folder);
    await copyInto({ folder, root, meter: new TreeMeter(limits) }, root, into, '');
    await makePrivate(into);
  } catch (error) {
    if (isAtriumError(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new FolderRefusedError({ folder, problem: `it cannot be copied (${code ?? message})` }, { cause: error });
  }
}

interface Copy {
  /** The path as the person wrote it. */
  readonly folder: string;
  readonly root: string;
  readonly meter: TreeMeter;
}

async function copyInto(copy: Copy, from: string, into: string, prefix: string): Promise<void> {
  await mkdir(into, { recursive: true, mode: 0o700 });
  for (const name of (await readdir(from)).sort()) {
    if (LEFT_OUT.has(name)) continue;
    const path = prefix + name;
    const refuse = (problem: string) => new FolderRefusedError({ folder: copy.folder, problem });
    const entry = await lstat(join(from, name));
    if (entry.isDirectory()) {
      const problem = copy.meter.problemWith(path, 0);
      if (problem !== undefined) throw refuse(problem);
      await copyInto(copy, join(from, name), join(into, name), `${path}/`);
      continue;
    }
    const source = await realpath(join(from, name)).catch(() => {
      throw refuse(`${JSON.stringify(path)} is a link to nowhere`);
    });
    if (!isInside(copy.root, source)) throw refuse(`${JSON.stringify(path)} is a link that leads out of it`);
    const { size, ...target } = await fileFacts(source);
    if (!target.isFile) throw refuse(`${JSON.stringify(path)} is neither a file nor a folder`);
    const problem = copy.meter.problemWith(path, size);
    if (problem !== undefined) throw refuse(problem);
    await copyFile(source, join(into, name));
  }
}

async function fileFacts(path: string): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const entry = await stat(path);
  return { size: entry.size, isFile: entry.isFile() };
}
