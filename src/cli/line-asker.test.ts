import { expect, it } from 'vitest';
import { linesOf } from './line-asker.ts';

it.each([
  ['', []],
  ['\n', ['']],
  ['one', ['one']],
  ['one\r\ntwo\n', ['one', 'two']],
])('reads the lines of %j', (input, lines) => {
  expect(linesOf(input)).toEqual(lines);
});
