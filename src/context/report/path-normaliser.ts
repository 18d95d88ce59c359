// Replaces the folders of one machine by names, so that two checkouts of the same files read the same. Only whole
// paths are replaced: `/home/ana` is not found in `/home/anabel`, nor in `/srv/home/ana`.

import { escapePattern } from '../../protocol/escape-pattern.ts';

export interface MachineFolder {
  /** An absolute path. */
  readonly path: string;
  /** What stands in its place, such as `<workspace>`. */
  readonly name: string;
}

/** When one folder is inside another, the inner one is named; when one folder has two names, the first one counts. */
export function pathNormaliser(folders: readonly MachineFolder[]): (text: string) => string {
  const names = new Map<string, string>();
  for (const { path, name } of folders) {
    const folder = path.replace(/[\\/]+$/, '');
    // The root of a disk is part of every path, so it gets no name.
    if (/[\\/]/.test(folder) && !names.has(folder)) names.set(folder, name);
  }
  if (names.size === 0) return (text) => text;
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const pattern = new RegExp(`${PATH_START}(?:${longestFirst.map(escapePattern).join('|')})${PATH_END}`, 'gu');
  return (text) => text.replace(pattern, (folder) => names.get(folder) ?? folder);
}

const PATH_START = '(?<![\\p{L}\\p{N}_.~-])';
/** A full stop ends a path, unless a file name continues after it. */
const PATH_END = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_-])';
