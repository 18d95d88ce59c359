import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { resolveHookCollisions } from './hook-collisions.ts';
import type { HookSource } from './hook-pack.ts';

const SOURCES: HookSource[] = ['openclaw-bundled', 'openclaw-plugin', 'openclaw-managed', 'openclaw-workspace'];
const pack = fc.record({ name: fc.constantFrom('a', 'b', 'c'), source: fc.constantFrom(...SOURCES) });

describe('packs of the same name', () => {
  it('come out once each', () => {
    forAll([fc.array(pack)], (packs) => {
      const names = resolveHookCollisions(packs).packs.map(({ name }) => name);
      expect(names).toHaveLength(new Set(packs.map(({ name }) => name)).size);
      expect(new Set(names).size).toBe(names.length);
    });
  });

  it('never let a workspace take the place of something installed, and say so', () => {
    forAll([fc.array(pack)], (packs) => {
      const { packs: kept, ignored } = resolveHookCollisions(packs);
      for (const { name, source } of kept) {
        if (source !== 'openclaw-workspace') continue;
        expect(packs.filter((other) => other.name === name).every((other) => other.source === source)).toBe(true);
      }
      for (const collision of ignored) expect(kept.map(({ name }) => name)).toContain(collision.ignored.name);
    });
  });

  it('keep the place of the one that was replaced', () => {
    const { packs } = resolveHookCollisions([
      { name: 'x', source: 'openclaw-bundled' },
      { name: 'y', source: 'openclaw-bundled' },
      { name: 'x', source: 'openclaw-managed' },
    ]);
    expect(packs.map(({ name, source }) => `${name} ${source}`)).toEqual(['x openclaw-managed', 'y openclaw-bundled']);
  });
});
