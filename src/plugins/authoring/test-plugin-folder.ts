// Runs the tests that lie beside a plugin's entry. A test file is evaluated with the SDK and the modules that are handed
// in, so it needs neither an installation nor a compiler, and may import the plugin's own files as well as run it whole. `node:test` in this process prints the outcome and sets the exit code: a
// command calls this last.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluateModule, type ModuleEnvironment } from '../../hooks/packs/evaluate-module.ts';
import { PluginWithoutTestsError } from '../errors.ts';
import { SDK_SUBPATHS } from '../openclaw-sdk/sdk-subpaths.ts';
import { SHARED_SYMBOLS } from '../openclaw-sdk/shared-symbols.ts';

export async function testPluginFolder(dir: string, environment: ModuleEnvironment): Promise<void> {
  const names = await readdir(dir).catch((): string[] => []);
  const tests = names.filter((name) => /\.test\.[cm]?[jt]s$/.test(name)).sort();
  if (tests.length === 0) throw new PluginWithoutTestsError({ dir });
  const virtualModules = { ...sdkModules(), ...environment.virtualModules };
  for (const name of tests) await evaluateModule(join(dir, name), { ...environment, virtualModules });
}

/** The modules of the SDK under every name, without what a plugin gets only when it is loaded. */
function sdkModules(): Readonly<Record<string, unknown>> {
  const roots = ['atrium/plugin-sdk', 'openclaw/plugin-sdk'];
  const names = roots.flatMap((root) => [root, ...[...SDK_SUBPATHS].map((subpath) => `${root}/${subpath}`)]);
  return Object.fromEntries(names.map((name) => [name, SHARED_SYMBOLS]));
}
