import fc from 'fast-check';
import { expect, it } from 'vitest';
import { caselessFinder, exactFinder } from '../../../context/report/find-text.ts';
import { placesIn } from './piece-places.ts';

const line = fc.string({ maxLength: 6 }).map((text) => text.replace(/\n/g, ''));

it('names the lines of the file that has the words, wherever they stand in a prompt', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 9 }),
      fc.nat(),
      fc.nat(),
      fc.nat(20),
      (lines, from, to, before) => {
        const first = from % lines.length;
        const last = first + (to % (lines.length - first));
        const marked = lines.map((each, index) => `${each}${index === first ? '<' : ''}${index === last ? '>' : ''}`);
        const file = marked.join('\n');
        const heading = '#'.repeat(before + 1);
        const spans = [
          ['atrium: heading', heading.length],
          [`/w/A.md, lines 1-${lines.length}`, file.length],
        ] as const;
        const wanted = file.slice(file.lastIndexOf('<', file.length), file.lastIndexOf('>') + 1);
        fc.pre(file.split('<').length === 2 && file.split('>').length === 2 && wanted.startsWith('<'));
        const places = placesIn(heading + file, { where: 'system', spans }, exactFinder(wanted));
        expect(places).toMatchObject([{ kind: 'file', path: '/w/A.md', lines: [first + 1, last + 1] }]);
      },
    ),
  );
});

it('names every author of words that several have written, and gives all lines of words that were shortened', () => {
  const spans = [
    ['/w/A.md (derived), lines 3-9', 6],
    ['', 1],
    ['before_prompt_build of framer', 5],
  ] as const;
  expect(placesIn('short.\nframe', { where: 'system', spans }, exactFinder('rt.\nfr'))).toMatchObject([
    { kind: 'file', path: '/w/A.md', lines: [3, 9] },
    { kind: 'plugin', name: 'framer' },
  ]);
});

it('finds letters of both cases, and takes signs as they are', () => {
  const find = caselessFinder('A.b(É');
  expect(find('xa.B(é a-b(é')).toEqual([{ start: 1, end: 6 }]);
  expect(caselessFinder('k')('\u212a')).toEqual([]);
});
