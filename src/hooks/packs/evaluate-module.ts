// Evaluates a TypeScript or JavaScript file from outside of the product, afresh each time, and returns its exports.
// The file may import the modules that are handed in by name, wherever it lies. Whatever it throws is thrown on.
//
// The file itself is always compiled anew, because Node would keep a native module until the process ends. So does
// everything that it imports, except `.cjs`, `.mjs` and plain CommonJS neighbours, which Node keeps.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

export interface ModuleEnvironment {
  /** Module objects by import name, such as `atrium/context`. */
  readonly virtualModules?: Readonly<Record<string, unknown>> | undefined;
  /** Where compiled text may be kept. A directory that only the operator can write, or nothing is kept. */
  readonly cacheDir?: string | undefined;
}

export async function evaluateModule(path: string, environment: ModuleEnvironment): Promise<unknown> {
  const [source, { createJiti }] = await Promise.all([readFile(path, 'utf8'), import('jiti')]);
  const jiti = createJiti(pathToFileURL(path).href, {
    tryNative: false,
    moduleCache: false,
    fsCache: environment.cacheDir ?? false,
    // Without this an absent export would be looked up on the default export.
    interopDefault: false,
    virtualModules: { ...environment.virtualModules },
  });
  return await jiti.evalModule(source, { filename: path, async: true, forceTranspile: true });
}
