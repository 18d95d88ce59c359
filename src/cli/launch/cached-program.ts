// Loads the modules of the built program, with the code that an earlier process has compiled where there is some. It is
// what `require` of Node does for files of a build, which are CommonJS for this purpose: V8 gives out the code of scripts,
// and not of ES modules. Everything that is not a file of the build is left to Node.

import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { type CodeCachePlaces, type CompiledCode, readCodeCache, stampOf, writeCodeCache } from './code-cache.ts';
import { readPlainText } from './read-plain-text.ts';

const HEAD = '(function (exports, require, module, __filename, __dirname) { ';
const TAIL = '\n})';

interface LoadedModule {
  readonly exports: object;
}

interface CompiledFile {
  readonly stamp: string;
  readonly script: Script;
}

export class CachedProgram {
  readonly #places: CodeCachePlaces;
  readonly #native: NodeJS.Require;
  readonly #modules = new Map<string, LoadedModule>();
  /** The code that was kept, until this process has kept its own or has no use for it any more. */
  #kept: CompiledCode;
  /** What had to be compiled here; undefined once it was kept. */
  #compiled: CompiledFile[] | undefined = [];

  constructor(places: CodeCachePlaces) {
    this.#places = places;
    this.#native = createRequire(join(places.program, 'package.json'));
    this.#kept = readCodeCache(places);
  }

  /** The exports of a file of the program, by its path below the program's folder. */
  load(file: string): object {
    return this.#loadFile(join(this.#places.program, file));
  }

  /** For specifiers that are known only at run time. A file of the program is the one that is loaded already. */
  async import(specifier: string, otherwise: (specifier: string) => Promise<unknown>): Promise<unknown> {
    const file = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier;
    return file.startsWith(this.#places.program + sep) ? this.#loadFile(file) : otherwise(specifier);
  }

  /**
   * Keeps for later processes what this one had to compile, beside what was kept already; a function that has run by now
   * is kept as well. Without anything new, and the second time, it does nothing. What is loaded afterwards is compiled, and
   * not kept.
   */
  keepCode(): void {
    const compiled = this.#compiled ?? [];
    const kept = this.#kept;
    this.#compiled = undefined;
    this.#kept = new Map();
    if (compiled.length === 0) return;
    const own = compiled.map(({ stamp, script }) => [stamp, script.createCachedData()] as const);
    writeCodeCache(this.#places, new Map([...kept, ...own]));
  }

  #loadFile(file: string): object {
    const loaded = this.#modules.get(file);
    if (loaded) return loaded.exports;
    const module = { exports: {} };
    // Before it runs, because modules may require each other in a circle.
    this.#modules.set(file, module);
    try {
      const folder = dirname(file);
      const require = Object.assign(
        (id: string): unknown => (id.startsWith('.') ? this.#loadFile(join(folder, id)) : this.#native(id)),
        { resolve: this.#native.resolve },
      );
      this.#compile(file).call(module.exports, module.exports, require, module, file, folder);
    } catch (error) {
      this.#modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  #compile(file: string): (...values: readonly unknown[]) => unknown {
    const stamp = stampOf(this.#places.program, file);
    const cachedData = this.#kept.get(stamp);
    // The build writes plain letters only, so nothing need be decoded.
    const script = new Script(readPlainText(file, { before: HEAD, behind: TAIL }), {
      // As Node names files in stacks.
      filename: file,
      columnOffset: -HEAD.length,
      ...(cachedData && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected) this.#compiled?.push({ stamp, script });
    return script.runInThisContext() as (...values: readonly unknown[]) => unknown;
  }
}
