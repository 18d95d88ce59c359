import { expect, it } from 'vitest';
import { formatOrigin, type Origin, product, sameOrigin } from './origin.ts';

const ORIGINS: readonly Origin[] = [
  { kind: 'file', path: '/w/AGENTS.md' },
  { kind: 'file', path: '/w/SOUL.md' },
  { kind: 'file', path: '/w/AGENTS.md', derived: true },
  { kind: 'handler', id: 'a' },
  { kind: 'handler', id: 'b' },
  { kind: 'handler', id: 'a', path: '/state/AGENTS.md' },
  { kind: 'handler', id: 'a', rewritten: true },
  { kind: 'rule', id: 'a' },
  { kind: 'rule', id: 'a', path: '/state/x.md' },
  product('heading'),
  product('preamble'),
];

it('is the same as an equal one and as no other', () => {
  ORIGINS.forEach((a, i) => {
    ORIGINS.forEach((b, j) => {
      expect(sameOrigin(a, { ...b }), `${formatOrigin(a)} / ${formatOrigin(b)}`).toBe(i === j);
    });
  });
});

it('reads as one line', () => {
  expect(ORIGINS.map(formatOrigin)).toEqual([
    '/w/AGENTS.md',
    '/w/SOUL.md',
    '/w/AGENTS.md (derived)',
    'handler a',
    'handler b',
    'handler a from /state/AGENTS.md',
    'handler a (rewritten)',
    'rule a',
    'rule a from /state/x.md',
    'atrium: heading',
    'atrium: preamble',
  ]);
});
