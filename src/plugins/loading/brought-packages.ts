// The packages that a plugin brings, loaded by Node itself and kept by it. Jiti would compile every file whose text looks
// like an ES module, which takes many seconds for a large one. Compiling is for packages that Node cannot read: TypeScript,
// or code that imports the SDK, which only the plugin's loader knows.
//
// Errors: what a package throws itself is thrown as it is, and its code does not run a second time.

import { createRequire } from 'node:module';
import { importModule } from '../../protocol/import-module.ts';

export class BroughtPackages {
  readonly #failures = new Map<string, unknown>();

  async import(path: string): Promise<unknown> {
    try {
      return withAllNames((await importModule(path)) as object, path);
    } catch (error) {
      this.#failures.set(path, error);
      throw error;
    }
  }

  require(path: string, load: (path: string) => unknown): unknown {
    try {
      return load(path);
    } catch (error) {
      this.#failures.set(path, error);
      throw error;
    }
  }

  /** Whether Node should be asked for this file. Throws what the file itself threw, when it has been asked already. */
  isForNode(path: string): boolean {
    if (!this.#failures.has(path)) return true;
    const failure = this.#failures.get(path);
    if (isUnreadable(failure)) return false;
    throw failure;
  }
}

/** Node finds the exports of CommonJS by reading its text, and some only exist when it has run. */
function withAllNames(namespace: object, path: string): object {
  const common: unknown = createRequire(path).cache[path]?.exports;
  if ((typeof common !== 'object' && typeof common !== 'function') || common === null) return namespace;
  const hidden = Object.keys(common).filter((name) => !(name in namespace));
  if (hidden.length === 0) return namespace;
  const getters = hidden.map((name) => [name, { enumerable: true, get: (): unknown => Reflect.get(common, name) }]);
  return Object.defineProperties({ ...namespace }, Object.fromEntries(getters));
}

function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SyntaxError) return true;
  if (error instanceof ReferenceError) return NOT_IN_MODULES.test(error.message);
  return 'code' in error && typeof error.code === 'string' && UNREADABLE.has(error.code);
}

const NOT_IN_MODULES = /^(?:require|module|exports|__filename|__dirname) is not defined/;

const UNREADABLE: ReadonlySet<string> = new Set([
  'ERR_IMPORT_ASSERTION_TYPE_MISSING',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_REQUIRE_ASYNC_MODULE',
  'ERR_REQUIRE_ESM',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'MODULE_NOT_FOUND',
]);
