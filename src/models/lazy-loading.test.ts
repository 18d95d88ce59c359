import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const here = new URL('.', import.meta.url);

describe('the models', () => {
  it('load no package of a provider before they are used', async () => {
    const names = (await readdir(here, { recursive: true })).filter(
      (name) => /\.ts$/.test(name) && !/test\.ts$/.test(name),
    );
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const text = await readFile(new URL(name, here), 'utf8');
      const loaded = [...text.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gm)].map(([, module]) => module ?? '');
      const packages = loaded.filter((module) => !module.startsWith('.') && !module.startsWith('node:'));
      expect(packages, name).toEqual(name === 'model-suite.ts' ? ['vitest'] : []);
    }
  });
});
