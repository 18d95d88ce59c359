// Finds a regular file and proves that, after all links are followed, it lies inside a given directory. Every other
// case is returned as data. Only regular files are opened afterwards, so a pipe under a known name cannot hang a run.

import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

export type ContainedFile =
  | { readonly kind: 'file'; readonly realPath: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'outside'; readonly realPath: string }
  | { readonly kind: 'unreadable'; readonly detail: string };

export async function findContainedFile(rootDir: string, path: string): Promise<ContainedFile> {
  try {
    const [realRoot, realPath] = await Promise.all([realpath(rootDir), realpath(path)]);
    if (!isInside(realRoot, realPath)) return { kind: 'outside', realPath };
    const isFile = (await stat(realPath)).isFile();
    return isFile ? { kind: 'file', realPath } : { kind: 'unreadable', detail: 'not a regular file' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', detail: code ?? String(error) };
  }
}

/** True for the directory itself and everything below it. Compares text: hand in real paths where links matter. */
export function isInside(dir: string, path: string): boolean {
  const rest = relative(dir, path);
  return rest !== '..' && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
}
