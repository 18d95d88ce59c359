// Evaluates a TypeScript or JavaScript file from outside of the product, again each time, and returns its exports. The
// file may import the modules that are handed in by name, from any folder. Errors that it throws are passed on.
// Node keeps a module that it imported itself until the process ends, so the file is always compiled here. The files
// that it imports are evaluated again too, except those that Node loads itself: `.mjs`, `.cjs`, CommonJS, and packages.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

export interface ModuleEnvironment {
  /** Module objects by import name, such as `atrium/context`. Anything that answers `in` and a look-up will do. */
  readonly virtualModules?: Record<string, unknown> | undefined;
  /** The directory for compiled text, which only the operator may be able to write. Without it, nothing is cached. */
  readonly cacheDir?: string | undefined;
}

export async function evaluateModule(path: string, environment: ModuleEnvironment): Promise<unknown> {
  const [source, { createJiti }] = await Promise.all([readFile(path, 'utf8'), import('jiti')]);
  const jiti = createJiti(pathToFileURL(path).href, {
    tryNative: false,
    moduleCache: false,
    fsCache: environment.cacheDir ?? false,
    // This gives the plain exports, not a proxy that also answers with properties of the default export.
    interopDefault: false,
    virtualModules: environment.virtualModules ?? {},
  });
  return await jiti.evalModule(source, { filename: path, async: true, forceTranspile: true });
}
