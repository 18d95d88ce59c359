import { describe, expect, it } from 'vitest';
import type { DirectRules, SharedRules } from '../../channels/access.ts';
import { decideAccess } from './decide-access.ts';

const people = (...entries: readonly string[]) => ({ entries, matchesNames: false });
const accountId = 'default';

function direct(rules: Partial<DirectRules>, isPaired = false): string {
  return decideAccess({
    rules: { kind: 'direct', policy: 'pairing', allowFrom: people(), setting: 'channels.chat.dmPolicy', ...rules },
    inbound: { surface: { channel: 'chat', accountId, peer: { kind: 'direct', id: 'ann' } }, sender: { id: 'ann' } },
    isPaired,
    expand: (list) => list,
  }).kind;
}

function shared(rules: Partial<SharedRules>, wasMentioned?: boolean): string {
  return decideAccess({
    rules: { kind: 'shared', policy: 'allowlist', isListed: true, requireMention: true, setting: 's', ...rules },
    inbound: {
      surface: { channel: 'chat', accountId, peer: { kind: 'group', id: 'g' } },
      sender: { id: 'ann', name: 'bob', username: 'bob' },
      wasMentioned,
    },
    isPaired: true,
    expand: (list) => list,
  }).kind;
}

describe('a direct message', () => {
  it.each([
    [{ policy: 'pairing', allowFrom: people('ann') }, 'admit'],
    [{ policy: 'pairing', allowFrom: people('chat:ANN') }, 'admit'],
    [{ policy: 'pairing', allowFrom: people('other:ann') }, 'pair'],
    [{ policy: 'pairing', allowFrom: people('*') }, 'admit'],
    [{ policy: 'pairing' }, 'pair'],
    [{ policy: 'allowlist', allowFrom: people('ann') }, 'admit'],
    [{ policy: 'allowlist', allowFrom: people('bob') }, 'refuse'],
    [{ policy: 'open', allowFrom: people('*') }, 'admit'],
    [{ policy: 'open', allowFrom: people('bob') }, 'refuse'],
    [{ policy: 'open' }, 'refuse'],
    [{ policy: 'disabled', allowFrom: people('*') }, 'refuse'],
  ] as const)('under the rules %j: %s', (rules, decision) => {
    expect(direct(rules)).toBe(decision);
  });

  it('of a person whom the operator approved counts under "pairing" only', () => {
    const policies = ['pairing', 'allowlist', 'open', 'disabled'] as const;
    expect(policies.map((policy) => direct({ policy }, true))).toEqual(['admit', 'refuse', 'refuse', 'refuse']);
  });
});

describe('a message in a group', () => {
  it('of a person who is not listed is refused with what is true', () => {
    const why = (rules: Partial<SharedRules>) =>
      decideAccess({
        rules: { kind: 'shared', policy: 'allowlist', isListed: true, requireMention: true, setting: 's', ...rules },
        inbound: {
          surface: { channel: 'chat', accountId, peer: { kind: 'group', id: 'g' } },
          sender: { id: 'ann' },
        },
        isPaired: false,
        expand: (list) => list,
      });
    expect(why({ allowFrom: people('bob') })).toMatchObject({
      why: 'the list of people for that place does not contain them',
    });
    expect(why({ allowFrom: people(), peopleSetting: 'channels.chat.groupAllowFrom' })).toMatchObject({
      why: 'the settings have no list of people for that place; name them in channels.chat.groupAllowFrom, or "*" for everybody there',
    });
  });

  it.each([
    [{}, 'admit'],
    [{ isListed: false }, 'refuse'],
    [{ policy: 'open', isListed: false }, 'admit'],
    [{ policy: 'disabled' }, 'refuse'],
    [{ allowFrom: people('ann') }, 'admit'],
    [{ allowFrom: people('ann'), isListed: false }, 'refuse'],
    [{ allowFrom: people('bob') }, 'refuse'],
    [{ allowFrom: { entries: ['bob'], matchesNames: true } }, 'admit'],
    [{ allowFrom: people() }, 'refuse'],
    [{ policy: 'open', allowFrom: people('bob') }, 'refuse'],
  ] as const)('under the rules %j: %s', (rules, decision) => {
    expect(shared(rules, true)).toBe(decision);
  });

  it('that does not speak to the agent is overheard, unless no mention is needed or the person may not talk', () => {
    expect(shared({})).toBe('overhear');
    expect(shared({}, false)).toBe('overhear');
    expect(shared({ requireMention: false }, false)).toBe('admit');
    expect(shared({ allowFrom: people() }, false)).toBe('refuse');
  });
});
