import { expect, it } from 'vitest';
import type { LocatedOrigin } from '../context/report/located-origin.ts';
import { formatAuthor, readAuthor } from './span-author.ts';

it.each<[LocatedOrigin, object]>([
  [
    { kind: 'file', path: '/w/AGENTS.md', lines: [3, 9] },
    { kind: 'file', path: '/w/AGENTS.md', lines: [3, 9] },
  ],
  [
    { kind: 'file', path: '/w/a, lines 1-2.md', lines: [4, 4] },
    { path: '/w/a, lines 1-2.md', lines: [4, 4] },
  ],
  [
    { kind: 'file', path: '/w/A.md', derived: true, lines: [1, 2] },
    { path: '/w/A.md', isVerbatim: false },
  ],
  [
    { kind: 'handler', id: 'global-files', path: '/s/my files/A.md', lines: [1, 1] },
    { kind: 'handler', name: 'global-files', path: '/s/my files/A.md', lines: [1, 1], isVerbatim: true },
  ],
  [
    { kind: 'handler', id: 'x', rewritten: true },
    { kind: 'handler', name: 'x', isVerbatim: false },
  ],
  [
    { kind: 'rule', id: 'friday' },
    { kind: 'rule', name: 'friday', path: undefined, lines: undefined },
  ],
  [
    { kind: 'product', part: 'heading' },
    { kind: 'product', name: 'heading' },
  ],
])('reads back what %j was written as', (origin, author) => {
  expect(readAuthor('system', formatAuthor(origin))).toMatchObject(author);
});

it.each([
  ['system', 'before_prompt_build of framer', { kind: 'plugin', name: 'framer' }],
  ['messages', 'injection of weather, news', { kind: 'plugin', name: 'weather, news' }],
  ['tools', 'tool forecast of skies', { kind: 'tool', name: 'forecast' }],
  ['messages', 'tool read', { kind: 'tool', name: 'read' }],
  ['messages', 'message', { kind: 'conversation', name: 'message' }],
  ['messages', 'user, as the client told it', { kind: 'conversation', name: 'user, as the client told it' }],
] as const)('knows in %s who "%s" is', (where, text, author) => {
  expect(readAuthor(where, text)).toMatchObject(author);
});
