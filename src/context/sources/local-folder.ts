// Says whether a folder lies on a disk of this machine. A look at a file there takes microseconds, so it need not be handed
// to another thread, which takes ten times as long. On a network a look may take seconds, and must not stop everything else.
//
// Errors: none. What is not known to be local counts as far away.

import { statfs } from 'node:fs';
import { dirname } from 'node:path';

/** The types of file systems that keep their files on this machine, as Linux numbers them. */
const LOCAL_TYPES = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/** Something else may be mounted at a place later, so an answer does not hold for ever. */
const ANSWER_LASTS_MS = 60_000;
const MOST_FOLDERS = 1_024;

export class LocalFolders {
  readonly #answers = new Map<string, { readonly at: number; readonly isLocal: boolean }>();

  /** Answers at once. The first question about a folder is answered with no, and asks the system for the next ones. */
  has(dir: string): boolean {
    const now = performance.now();
    const known = this.#answers.get(dir);
    if (known && now - known.at < ANSWER_LASTS_MS) return known.isLocal;
    if (this.#answers.size >= MOST_FOLDERS) this.#answers.clear();
    const answer = { at: now, isLocal: false };
    this.#answers.set(dir, answer);
    if (process.platform === 'linux') askAbout(dir, (isLocal) => Object.assign(answer, { isLocal }));
    return false;
  }
}

/** A folder that is not there would lie where the nearest one above it does. */
function askAbout(dir: string, tell: (isLocal: boolean) => void): void {
  statfs(dir, (error, stats) => {
    const above = dirname(dir);
    if (!error) tell(LOCAL_TYPES.has(stats.type));
    else if (error.code === 'ENOENT' && above !== dir) askAbout(above, tell);
  });
}
