// One composition's view of the files: each question is answered once and remembered. So a file that changes while a
// prompt is composed is the same file for every handler, and reads can begin before they are needed.

import type { FileRead, FileSource } from './file-source.ts';

export class RunFiles implements FileSource {
  readonly #files: FileSource;
  readonly #reads = new Map<string, Promise<FileRead>>();
  readonly #lists = new Map<string, Promise<readonly string[] | undefined>>();

  constructor(files: FileSource) {
    this.#files = files;
  }

  read(path: string, roots: readonly string[]): Promise<FileRead> {
    return remember(this.#reads, roots.length === 1 ? `${path}\0${roots[0]}` : `${path}\0${roots.join('\0')}`, () =>
      this.#files.read(path, roots),
    );
  }

  list(dir: string): Promise<readonly string[] | undefined> {
    return remember(this.#lists, dir, () => this.#files.list(dir));
  }

  isDirectory(path: string): Promise<boolean> {
    return this.#files.isDirectory(path);
  }

  realPath(path: string): Promise<string> {
    return this.#files.realPath(path);
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
