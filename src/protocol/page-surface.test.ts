import { describe, expect, it } from 'vitest';
import { pageSurface, SURFACE_NAME } from './page-surface.ts';

describe('the surface of a conversation on pages', () => {
  it('is the one in the key of a conversation that began on a page', () => {
    expect(pageSurface('agent:main:web:direct:b1f2.n77')).toBe('b1f2.n77');
  });

  it('is a name of its own for every other conversation', () => {
    const keys = [
      'agent:main:main',
      'agent:main:telegram:direct:77',
      'agent:main:cli:direct:terminal',
      `agent:main:web:direct:${'x'.repeat(70)}`,
      'agent:other:main',
      'global',
    ];
    const names = keys.map(pageSurface);
    expect(new Set(names).size).toBe(keys.length);
    for (const name of names) expect(name).toMatch(SURFACE_NAME);
  });

  it('differs for thousands of conversations, and stays the same', () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `agent:main:telegram:direct:${index}`);
    expect(new Set(keys.map(pageSurface)).size).toBe(keys.length);
    expect(pageSurface('agent:main:main')).toBe(pageSurface('agent:main:main'));
  });
});
