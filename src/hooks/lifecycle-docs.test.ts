import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HOOK_CATALOG, HOOK_PLACES, type HookRow } from './catalog.ts';

const text = readFileSync(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8');
const picture = text.split('```')[1] ?? '';

interface Drawn {
  readonly place: string;
  readonly hook: string;
  readonly kind: string;
  /** `*` for an observer that is waited for, `!` for a gate. */
  readonly mark: string;
}

/** The boxes from top to bottom, and the hooks in each. */
function drawn(): Drawn[] {
  const hooks: Drawn[] = [];
  let place = '';
  for (const line of picture.split('\n')) {
    place = /^┌─ (\w+) ─/.exec(line)?.[1] ?? place;
    const [, hook, kind, mark] = /^│ {2}([a-z_:-]+) +([a-z]+) ([*!]?) +\S/.exec(line) ?? [];
    if (hook && kind) hooks.push({ place, hook, kind, mark: mark ?? '' });
  }
  return hooks;
}

describe('docs/lifecycle.md', () => {
  it('draws every hook of the catalog once, in its order, at its place, with what it may do', () => {
    const rows = Object.entries<HookRow>(HOOK_CATALOG).map(([hook, row]) => ({
      place: row.place,
      hook,
      kind: row.kind,
      mark: row.awaited ? '*' : row.onFailure === 'refuse' ? '!' : '',
    }));
    expect(drawn()).toEqual(rows);
  });

  it('draws the places in their order', () => {
    expect([...new Set(drawn().map(({ place }) => place))]).toEqual(HOOK_PLACES);
  });

  it('names a hook nowhere else that does not exist', () => {
    const named = [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !Object.hasOwn(HOOK_CATALOG, name))).toEqual([]);
  });

  it('keeps the boxes straight', () => {
    const boxes = picture.split('\n').filter((line) => /^[┌│└]/.test(line));
    const edge = boxes[0]?.indexOf('┐') ?? -1;
    expect(boxes.filter((line) => !'┐│┘'.includes(line[edge] ?? 'nothing'))).toEqual([]);
  });
});
