import { expect, it } from 'vitest';
import { expandAccessGroups, listAccessGroupProblems } from './access-groups.ts';

const config = {
  accessGroups: {
    friends: { type: 'message.senders', members: { chat: ['ann', 7], '*': ['carl', 'accessGroup:staff', ' * '] } },
    staff: { type: 'message.senders', members: { other: ['bob'] } },
    dynamic: { type: 'discord.channelAudience', members: { chat: ['ann'] } },
  },
};

it.each([
  [['accessGroup:friends'], ['ann', '7', 'carl']],
  [
    ['1', ' AccessGroup:friends'],
    ['1', 'ann', '7', 'carl'],
  ],
  [['accessGroup:staff'], []],
  [['accessGroup:dynamic', 'accessGroup:unknown', 'accessGroup:constructor', 'accessGroup:'], []],
  [
    ['*', 'ann'],
    ['*', 'ann'],
  ],
])('expands %j to %j', (entries, expanded) => {
  expect(expandAccessGroups(config, entries, 'chat')).toEqual(expanded);
});

it('names the groups that admit no person', () => {
  const channels = {
    chat: { allowFrom: ['accessGroup:friends', 'accessGroup:unknown'], groups: { g: ['accessGroup:dynamic'] } },
  };
  const problems = listAccessGroupProblems({ ...config, channels });
  expect(problems).toHaveLength(2);
  expect(problems.join()).toContain('no group "unknown"');
  expect(problems.join()).toContain('"dynamic" of accessGroups is not of the type');
});
