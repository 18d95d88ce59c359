import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HOOK_CATALOG, HOOK_PLACES, type HookRow } from './catalog.ts';
import { MAX_WAITING } from './observer-queue.ts';

const text = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const section = text.slice(text.indexOf('## The catalog'), text.indexOf('## How answers combine'));
const rows = Object.entries<HookRow>(HOOK_CATALOG);

describe('docs/hooks.md', () => {
  it('says rightly in which order handlers run, and which hook is the exception', () => {
    const exceptions = rows.filter(([, row]) => row.order !== 'highest-first' || row.defaultPriority !== 0);
    expect(exceptions.map(([name]) => name)).toEqual(['agent:bootstrap']);
    expect(section).toContain('the highest priority first; without one, a handler has 0');
    expect(section).toContain('`agent:bootstrap` runs the lowest first, and there the default is 100');
  });

  it('says rightly how many observations may wait', () => {
    expect(text).toContain(`${MAX_WAITING.toLocaleString('en')} observations may wait for one owner`);
  });
});

describe('the catalog', () => {
  it('is sorted by place', () => {
    const places = rows.map(([, row]) => HOOK_PLACES.indexOf(row.place));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('asks observers for nothing, and waits for observers only', () => {
    for (const [name, row] of rows) {
      expect(Object.keys(row.combine).length === 0, name).toBe(row.kind === 'observe');
      if (row.awaited && row.audience === undefined) expect(row.kind, name).toBe('observe');
    }
  });
});
