import { array, assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overGrownList } from './grown-list.ts';

const ITEMS = Array.from({ length: 5 }, (_, value) => ({ value }));

describe('overGrownList', () => {
  it('gives what comes out item by item, whatever was asked before', () => {
    const lists = array(array(integer({ min: 0, max: 4 }), { maxLength: 6 }), { maxLength: 20 });
    assert(
      property(lists, (asked) => {
        const joined = overGrownList<{ value: number }, string>('', (made, items, from) =>
          items.slice(from).reduce((text, { value }) => text + value, made),
        );
        for (const list of asked) {
          const items = list.flatMap((index) => ITEMS[index] ?? []);
          expect(joined(items)).toBe(list.join(''));
        }
      }),
    );
  });

  it('looks at new items only, also when the caller goes on with its list', () => {
    let looks = 0;
    const sum = overGrownList<{ value: number }, number>(0, (made, items, from) => {
      looks += items.length - from;
      return items.slice(from).reduce((total, { value }) => total + value, made);
    });
    const items = ITEMS.slice(0, 3);
    expect(sum(items)).toBe(3);
    items.push({ value: 10 });
    expect(sum(items)).toBe(13);
    expect(sum([...items])).toBe(13);
    expect(looks).toBe(4);
    expect(sum(items.slice(0, 2))).toBe(1);
    expect(sum([])).toBe(0);
  });
});
