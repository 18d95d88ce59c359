import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const here = new URL('.', import.meta.url);

describe('what every folder imports', () => {
  it('loads no package: the checker of schemas comes with the first schema', async () => {
    const names = (await readdir(here)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    expect(names).toContain('check-schema.ts');
    for (const name of names) {
      const text = await readFile(new URL(name, here), 'utf8');
      const loaded = [...text.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gm)].map(([, module]) => module ?? '');
      expect(
        loaded.filter((module) => !module.startsWith('.') && !module.startsWith('node:')),
        name,
      ).toEqual([]);
    }
  });
});
