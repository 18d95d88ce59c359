import { expect, it } from 'vitest';
import { listOwnerProblems, ownersOf } from './owners.ts';

const commands = { ownerAllowFrom: ['telegram:123', ' Slack:U7 ', 456, '*', 'telegram:*', 'accessGroup:staff', 'x:'] };

it('takes whole addresses only, and names the other entries', () => {
  expect(ownersOf({ commands })).toEqual(['telegram:123', 'slack:u7']);
  expect(listOwnerProblems({ commands })).toHaveLength(5);
  expect(listOwnerProblems({ commands })[0]).toContain('"456"');
  expect(listOwnerProblems({})).toEqual([]);
});

it.each([
  { dmScope: 'main' },
  { dmScope: 'per-peer' },
  { scope: 'global' },
] as const)('knows no owner with %j, and says why', (session) => {
  expect(ownersOf({ commands, session })).toEqual([]);
  expect(listOwnerProblems({ commands, session })).toEqual([expect.stringContaining('other people may reach')]);
});

it('knows no owner whose name stands for other people too', () => {
  const session = { identityLinks: { '123': ['telegram:666'] } };
  expect(ownersOf({ commands, session })).toEqual(['slack:u7']);
  expect(listOwnerProblems({ commands, session })[0]).toContain('session.identityLinks');
});
