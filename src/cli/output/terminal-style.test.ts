import { expect, it } from 'vitest';
import { terminalStyle } from './terminal-style.ts';

it.each([
  ['a terminal', true, {}, true, true],
  ['a pipe', false, {}, false, false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, false, true],
  ['an empty NO_COLOR, which counts as none', true, { NO_COLOR: '' }, true, true],
  ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true, false],
  ['FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false, true],
  ['TERM=dumb', true, { TERM: 'dumb' }, false, false],
])('%s', (_, isTerminal, variables, isColoured, isLive) => {
  const style = terminalStyle({ isTerminal, variables });
  expect([style.isColoured, style.isLive]).toEqual([isColoured, isLive]);
  expect(style.paint('x', 'bold', 'red')).toBe(isColoured ? '\x1b[1;31mx\x1b[0m' : 'x');
});
