import { expect, it } from 'vitest';
import { expandContent } from './content-spec.ts';

it('a content description expands to its text', () => {
  expect(expandContent('plain')).toBe('plain');
  expect(expandContent({ text: 'ab', repeat: 2 })).toBe('abab');
  expect(expandContent(['a', { text: '-', repeat: 3 }, { lines: { from: 9, to: 10, template: '{i} {i4}' } }])).toBe(
    'a---9 0009\n10 0010',
  );
  expect(expandContent([{ lines: { from: 1, to: 3, template: '{i}', join: ',' } }])).toBe('1,2,3');
});
