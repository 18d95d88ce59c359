import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const here = new URL('.', import.meta.url);

/** Modules that a file of this folder loads as soon as it is loaded itself, types not counted. */
async function staticImports(name: string): Promise<string[]> {
  const text = await readFile(new URL(name, here), 'utf8');
  return [...text.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gm)].map(([, module]) => module ?? '');
}

describe('an untouched home', () => {
  it('never loads the schema or a parser', async () => {
    const names = (await readdir(here)).filter((name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name));
    const heavy = new Set(['zod', 'yaml', 'json5', '@humanwhocodes/momoa']);
    const users = new Map<string, string[]>();
    for (const name of names) users.set(name, await staticImports(name));

    const reached = new Set<string>(['load-config.ts', 'edit-config.ts', 'agent-workspace.ts', 'bootstrap-limits.ts']);
    for (const name of reached) {
      for (const module of users.get(name) ?? []) {
        expect(heavy, `${name} loads ${module}`).not.toContain(module);
        if (module.startsWith('./')) reached.add(module.slice(2));
      }
    }
    expect(reached.size).toBeGreaterThan(10);
  });
});
