import { describe, expect, it } from 'vitest';
import { accessRulesFor } from './access.ts';
import type { DiscordAccount } from './account.ts';

const account = {
  accountId: 'default',
  path: 'channels.discord',
  dmPolicy: 'pairing',
  allowFrom: ['1'],
  groupPolicy: 'allowlist',
  matchesNames: false,
  guilds: {},
} as unknown as DiscordAccount;

describe('who may talk on Discord', () => {
  it('has the rules of direct messages', () => {
    expect(rules({}, { peer: { kind: 'direct', id: '1' } })).toEqual({
      kind: 'direct',
      policy: 'pairing',
      allowFrom: { entries: ['1'], matchesNames: false },
      setting: 'channels.discord.dmPolicy',
    });
  });

  it('lists a server by its id, by its name, or with all others', () => {
    const isListed = (guilds: DiscordAccount['guilds']) => shared(rules({ guilds })).isListed;
    expect(isListed({})).toBe(false);
    expect(isListed({ g1: { isOn: true } })).toBe(true);
    expect(isListed({ 'friends-of-ann': { isOn: true } })).toBe(true);
    expect(isListed({ other: { isOn: true } })).toBe(false);
    expect(isListed({ '*': { isOn: true } })).toBe(true);
  });

  it('answers only in channels that a server names, and not where it is switched off', () => {
    const channels = { c1: { isOn: true }, 'the-lobby': { isOn: true }, c3: { isOn: false } };
    const inChannel = (id: string, name?: string) =>
      shared(rules({ guilds: { g1: { isOn: true, channels } } }, { peer: { kind: 'channel', id } }, name));
    expect(inChannel('c1').isListed).toBe(true);
    expect(inChannel('c2', 'The Lobby').isListed).toBe(true);
    expect(inChannel('c2', 'elsewhere').isListed).toBe(false);
    expect(inChannel('c3')).toMatchObject({ policy: 'disabled', isListed: false });
    expect(shared(rules({ groupPolicy: 'open', guilds: { g1: { isOn: false } } }))).toMatchObject({
      policy: 'disabled',
    });
  });

  it('keeps the places that are not named shut under open, where some are named', () => {
    const policyWith = (guilds: DiscordAccount['guilds'], id = 'c1') =>
      shared(rules({ groupPolicy: 'open', guilds }, { peer: { kind: 'channel', id } })).policy;
    expect(policyWith({})).toBe('open');
    expect(policyWith({ g1: { isOn: true } })).toBe('open');
    expect(policyWith({ other: { isOn: true } })).toBe('allowlist');
    expect(policyWith({ g1: { isOn: true, channels: { c1: { isOn: true } } } })).toBe('open');
    expect(policyWith({ g1: { isOn: true, channels: { c1: { isOn: true } } } }, 'c2')).toBe('allowlist');
    expect(policyWith({ g1: { isOn: true, channels: {} } })).toBe('open');
  });

  it('lets the people and the roles of the closest place in', () => {
    const guilds = { g1: { isOn: true, users: ['9'], channels: { c1: { isOn: true, roles: ['r1'], users: ['8'] } } } };
    const people = (senderRoles: readonly string[]) =>
      shared(rules({ guilds }, {}, undefined, senderRoles)).allowFrom?.entries;
    expect(people([])).toEqual(['8']);
    expect(people(['r1'])).toEqual(['*']);
    expect(shared(rules({ guilds: { g1: { isOn: true, users: [] } } })).allowFrom).toBeUndefined();
    expect(shared(rules({ guilds: {}, groupAllowFrom: ['7'] }))).toMatchObject({
      isListed: true,
      allowFrom: { entries: ['7'] },
    });
    expect(shared(rules({ guilds: { g1: { isOn: true } }, groupAllowFrom: ['7'] })).allowFrom?.entries).toEqual(['7']);
  });

  it('wants a mention unless the closest setting says otherwise', () => {
    const wants = (guilds: DiscordAccount['guilds']) => shared(rules({ guilds })).requireMention;
    expect(wants({})).toBe(true);
    expect(wants({ g1: { isOn: true, requireMention: false } })).toBe(false);
    expect(
      wants({ g1: { isOn: true, requireMention: false, channels: { c1: { isOn: true, requireMention: true } } } }),
    ).toBe(true);
  });
});

function rules(
  settings: Partial<DiscordAccount>,
  place: { readonly peer?: { readonly kind: 'direct' | 'channel'; readonly id: string } } = {},
  name?: string,
  senderRoles: readonly string[] = [],
) {
  const surface = {
    channel: 'discord',
    accountId: 'default',
    peer: place.peer ?? { kind: 'channel' as const, id: 'c1' },
  };
  const space = surface.peer.kind === 'direct' ? undefined : { id: 'g1', name: 'Friends of Ann', senderRoles };
  return accessRulesFor({ ...account, ...settings }, { surface, sender: { id: '5' }, space }, () => name);
}

function shared(found: ReturnType<typeof accessRulesFor>) {
  if (found.kind !== 'shared') throw new Error('These are the rules of a direct conversation.');
  return found;
}
