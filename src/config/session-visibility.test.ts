import { expect, it } from 'vitest';
import { sessionVisibilityOf } from './session-visibility.ts';

it.each([
  [undefined, 'self'],
  ['self', 'self'],
  ['tree', 'self'],
  ['agent', 'agent'],
  ['all', 'agent'],
] as const)('reads tools.sessions.visibility %s as %s', (visibility, expected) => {
  expect(sessionVisibilityOf({ tools: { sessions: { visibility } } })).toBe(expected);
});
