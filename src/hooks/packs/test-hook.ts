// Runs the tests that lie beside a pack's handler. The test file is evaluated with the same modules that the handler
// sees in the product, so it needs neither an installation nor a compiler. `node:test` in this process prints the
// outcome and sets the exit code, so a command calls this last.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HookWithoutTestsError } from '../errors.ts';
import { evaluateModule, type ModuleEnvironment } from './evaluate-module.ts';
import type { HookPack } from './hook-pack.ts';

export async function testHook(pack: Pick<HookPack, 'name' | 'dir'>, environment: ModuleEnvironment): Promise<void> {
  const names = (await readdir(pack.dir)).filter((name) => /\.test\.[cm]?[jt]s$/.test(name)).sort();
  if (names.length === 0) throw new HookWithoutTestsError({ hook: pack.name, dir: pack.dir });
  for (const name of names) await evaluateModule(join(pack.dir, name), environment);
}
