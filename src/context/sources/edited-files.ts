// The files of a workspace with other texts in place of some, as if an editor had saved them. What is refused on the disk,
// such as a link that leads out, is refused here too; a file that is not there yet is there. Nothing is written.

import { basename, dirname, join } from 'node:path';
import type { FileRead, FileSource, FileTrust } from './file-source.ts';

export class EditedFiles implements FileSource {
  readonly #files: FileSource;
  readonly #dir: string;
  readonly #texts: ReadonlyMap<string, string>;

  /** `texts` are by name; only files directly in the folder are meant. */
  constructor(files: FileSource, dir: string, texts: Readonly<Record<string, string>>) {
    this.#files = files;
    this.#dir = dir;
    const own = Object.entries(texts).filter(([name]) => basename(name) === name);
    this.#texts = new Map(own.map(([name, text]) => [join(dir, name), text]));
  }

  async read(path: string, roots: readonly string[], trust?: FileTrust): Promise<FileRead> {
    const read = await this.#files.read(path, roots, trust);
    const text = this.#texts.get(path);
    if (text === undefined) return read;
    if (read.kind === 'text') return { ...read, text };
    if (read.reason !== 'missing' || read.entryExists) return read;
    return { kind: 'text', path, realPath: path, identity: `edited:${path}`, text };
  }

  async list(dir: string): Promise<readonly string[] | undefined> {
    const names = await this.#files.list(dir);
    if (dir !== this.#dir || names === undefined) return names;
    return [
      ...new Set([
        ...names,
        ...[...this.#texts.keys()].filter((path) => dirname(path) === dir).map((path) => basename(path)),
      ]),
    ].sort();
  }

  isDirectory(path: string): Promise<boolean> {
    return this.#files.isDirectory(path);
  }

  realPath(path: string): Promise<string> {
    return this.#files.realPath(path);
  }
}
