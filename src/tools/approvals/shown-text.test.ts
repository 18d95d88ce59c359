import { expect, it } from 'vitest';
import { shownLine, shownText } from './shown-text.ts';

it.each([
  ['rm -rf build\n\tmake all', 'rm -rf build\n    make all'],
  ['echo safe\rrm -rf /', 'echo safe\\x0drm -rf /'],
  ['\u001b[2Jls', '\\x1b[2Jls'],
  ['a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['l\u200bs\ufeff \u00ad', 'l\\u{200b}s\\u{feff} \\xad'],
  ['ls \u{e0041}', 'ls \\u{e0041}'],
  ['größe 漢字', 'größe 漢字'],
])('%j is shown as %j', (text, shown) => {
  expect(shownText(text)).toBe(shown);
  expect(shownText(shown)).toBe(shown);
});

it('a title stays on its line', () => {
  expect(shownLine('  Run\nit \u2028 now ')).toBe('Run it now');
});
