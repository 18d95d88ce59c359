// One composition's view of the files: each question is answered once and remembered. So a file that changes while a
// prompt is composed is the same file for every handler, and reads can begin before they are needed.
// The folders that the operator allowed are roots of every read.

import { type FileRead, type FileSource, type FileTrust, keyOfBounds } from './file-source.ts';

export class RunFiles implements FileSource {
  readonly #files: FileSource;
  readonly #reads = new Map<string, Promise<FileRead>>();
  readonly #lists = new Map<string, Promise<readonly string[] | undefined>>();
  /** Only paths that lead elsewhere. */
  readonly #realPaths = new Map<string, string>();

  readonly #allowedRoots: readonly string[];

  constructor(files: FileSource, allowedRoots: readonly string[] = []) {
    this.#files = files;
    this.#allowedRoots = allowedRoots;
  }

  read(path: string, roots: readonly string[], trust: FileTrust = {}): Promise<FileRead> {
    const allowed = this.#allowedRoots;
    const all = allowed.length === 0 ? roots : [...new Set([...roots, ...allowed])];
    const trusted = allowed.length === 0 ? trust : { ...trust, folders: allowed };
    return remember(this.#reads, `${path}\0${keyOfBounds(all, trusted)}`, () => this.#files.read(path, all, trusted));
  }

  list(dir: string): Promise<readonly string[] | undefined> {
    return remember(this.#lists, dir, () => this.#files.list(dir));
  }

  isDirectory(path: string): Promise<boolean> {
    return this.#files.isDirectory(path);
  }

  async realPath(path: string): Promise<string> {
    const real = await this.#files.realPath(path);
    if (real !== path) this.#realPaths.set(path, real);
    return real;
  }

  /** The paths that were asked for so far and that lead through links, with the places that they lead to. */
  get realPaths(): ReadonlyMap<string, string> {
    return this.#realPaths;
  }
}

function remember<Answer>(
  answers: Map<string, Promise<Answer>>,
  key: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let answer = answers.get(key);
  if (!answer) {
    answer = ask();
    answers.set(key, answer);
  }
  return answer;
}
