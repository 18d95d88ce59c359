// Keeps the compiled text of plugins' files on disk, by the hash of what was compiled, because compiling takes
// most of the time of a load. When the folder cannot be used, loading takes longer and nothing else changes.

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class CompiledFiles {
  readonly #dir: string;
  readonly #unkept = new Map<string, string>();
  #hasTidied = false;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** `facts` are everything besides the source that decides what it becomes. */
  find(source: string, facts: readonly unknown[]): string | undefined {
    const path = this.#pathOf(source, facts);
    return this.#unkept.get(path) ?? read(path);
  }

  /** Gives the code back. It is found from now on, also where nothing can be written. */
  put(source: string, facts: readonly unknown[], code: string): string {
    const path = this.#pathOf(source, facts);
    if (!this.#keep(path, code)) this.#unkept.set(path, code);
    return code;
  }

  #pathOf(source: string, facts: readonly unknown[]): string {
    const hash = createHash('sha256').update(JSON.stringify(facts)).update('\0').update(source).digest('hex');
    return join(this.#dir, `${hash}.js`);
  }

  #keep(path: string, code: string): boolean {
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
      if (!this.#hasTidied) this.#tidy();
      // A draft is renamed, so that a reader never sees half a file.
      const draft = join(this.#dir, `${randomUUID()}.tmp`);
      writeFileSync(draft, code, { mode: 0o600 });
      renameSync(draft, path);
      return true;
    } catch {
      // A draft that is left over is removed with the oldest files.
      return false;
    }
  }

  /** Removes the oldest files when there are too many. */
  #tidy(): void {
    this.#hasTidied = true;
    const files = readdirSync(this.#dir).map((name) => join(this.#dir, name));
    if (files.length <= MAX_FILES) return;
    const byAge = files.map((path) => ({ path, at: statSync(path).mtimeMs })).sort((a, b) => a.at - b.at);
    for (const { path } of byAge.slice(0, files.length - MAX_FILES)) rmSync(path, { force: true });
  }
}

const MAX_FILES = 2_000;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
