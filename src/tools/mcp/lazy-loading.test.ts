import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const here = new URL('.', import.meta.url);

describe('the MCP servers', () => {
  it('load the library of the protocol with the first connection and not before', async () => {
    const names = (await readdir(here)).filter((name) => /\.ts$/.test(name) && !/test\.ts$/.test(name));
    expect(names.length).toBeGreaterThan(6);
    for (const name of names) {
      const text = await readFile(new URL(name, here), 'utf8');
      const loaded = [...text.matchAll(/^import (?!type )[^;]*? from '([^']+)';/gm)].map(([, module]) => module ?? '');
      const packages = loaded.filter((module) => !module.startsWith('.') && !module.startsWith('node:'));
      expect(packages, name).toEqual([]);
      expect(loaded.includes('./connect-mcp.ts'), name).toBe(false);
    }
  });
});
