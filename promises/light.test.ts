// A start loads only what it needs: neither the schema nor the parsers for a configuration that does not exist, nor
// packages for model providers. `npm run bench:turn` measures what a start costs.

import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const config = new URL('../src/config/', import.meta.url);
const models = new URL('../src/models/', import.meta.url);
const source = new URL('../src/', import.meta.url);

/** Modules that a file loads as soon as it is loaded itself, without types. */
async function staticImports(file: URL): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  return [...text.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gm)].map(([, module]) => module ?? '');
}

describe('an untouched home', () => {
  it('never loads the schema or a parser', async () => {
    const names = (await readdir(config)).filter((name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name));
    const heavy = new Set(['zod', 'yaml', 'json5', '@humanwhocodes/momoa']);
    const users = new Map<string, string[]>();
    for (const name of names) users.set(name, await staticImports(new URL(name, config)));

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

describe('the models', () => {
  it('need no package: neither at start nor later', async () => {
    const names = (await readdir(models, { recursive: true })).filter(
      (name) => /\.ts$/.test(name) && !/test\.ts$/.test(name) && !name.startsWith('fixtures'),
    );
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const text = await readFile(new URL(name, models), 'utf8');
      const loaded = [...text.matchAll(/(?: from |import\()'([^']+)'/g)].map(([, module]) => module ?? '');
      const packages = loaded.filter((module) => !module.startsWith('.') && !module.startsWith('node:'));
      expect(packages, name).toEqual(name === 'model-suite.ts' ? ['vitest'] : []);
    }
  });
});

describe('a gateway with its store in a file', () => {
  it('loads nothing that several nodes or a database need', async () => {
    const reached = new Set<string>([new URL('gateway/start-gateway.ts', source).href]);
    const packages = new Set<string>();
    for (const file of reached) {
      for (const module of await staticImports(new URL(file))) {
        if (module.startsWith('.')) reached.add(new URL(module, file).href);
        else packages.add(module);
      }
    }
    const names = [...reached].map((file) => file.slice(source.href.length));
    expect(names).toContain('gateway/sharing/alone.ts');
    expect(names.length).toBeGreaterThan(500);
    expect([...packages].filter((name) => /^(pg|graphile)/.test(name))).toEqual([]);
    expect(names.filter((name) => /postgres|cluster-|shared-outbox|sharing\/(?!alone|sharing)/.test(name))).toEqual([]);
  });
});
