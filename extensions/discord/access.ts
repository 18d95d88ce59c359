// The account's settings as the rules for a place and a sender. A thread has the rules of its channel. Roles are looked
// up here, because a list of people cannot name them: a sender with a role that is named is in the list.

import type { AccessRules } from '../../src/channels/access.ts';
import type { Inbound, Surface } from '../../src/protocol/inbound.ts';
import type { DiscordAccount, GuildChannelSettings, GuildSettings } from './account.ts';

/** How the channels of servers are called, for settings that name them so. */
export type NameOf = (channelId: string) => string | undefined;

export function accessRulesFor(
  account: DiscordAccount,
  { surface, sender: _, space }: Pick<Inbound, 'surface' | 'sender' | 'space'>,
  nameOf: NameOf,
): AccessRules {
  const { matchesNames, path } = account;
  if (surface.peer.kind === 'direct') {
    const allowFrom = { entries: account.allowFrom, matchesNames };
    return { kind: 'direct', policy: account.dmPolicy, allowFrom, setting: `${path}.dmPolicy` };
  }
  const { guild, channel } = settingsFor(account, space, surface, nameOf);
  const namesPlaces = Object.keys(account.guilds).length > 0;
  const namesPeopleOnly = !namesPlaces && account.groupAllowFrom !== undefined;
  const namesChannels = Object.keys(guild?.channels ?? {}).length > 0;
  const isNamed = guild !== undefined && (!namesChannels || channel !== undefined);
  const { groupPolicy } = account;
  const isListed = isNamed || namesPeopleOnly;
  const isOff = guild?.isOn === false || channel?.isOn === false;
  const people = allowedPeople(account, guild, channel, space?.senderRoles ?? []);
  return {
    kind: 'shared',
    // Where the settings name places, the others are shut, also under `open`.
    policy: isOff ? 'disabled' : groupPolicy === 'open' && namesPlaces && !isNamed ? 'allowlist' : groupPolicy,
    isListed: isListed && !isOff,
    ...(people && { allowFrom: { entries: people, matchesNames } }),
    requireMention: channel?.requireMention ?? guild?.requireMention ?? true,
    setting: guild ? `${path}.guilds` : `${path}.groupPolicy`,
  };
}

/** What the settings say about a channel of a server. */
export function settingsFor(
  account: DiscordAccount,
  space: Inbound['space'],
  { peer }: Pick<Surface, 'peer'>,
  nameOf: NameOf,
): { readonly guild?: GuildSettings | undefined; readonly channel?: GuildChannelSettings | undefined } {
  const guild = entryFor(account.guilds, space?.id ?? '', space?.name);
  const channel = guild?.channels && entryFor(guild.channels, peer.id, nameOf(peer.id));
  return { guild, channel };
}

/** Undefined means that the place decides alone. */
function allowedPeople(
  { groupAllowFrom }: DiscordAccount,
  guild: GuildSettings | undefined,
  channel: GuildChannelSettings | undefined,
  senderRoles: readonly string[],
): readonly string[] | undefined {
  const users = channel?.users ?? guild?.users ?? [];
  const roles = channel?.roles ?? guild?.roles ?? [];
  // An empty list is no list, as in OpenClaw.
  if (users.length + roles.length === 0) return groupAllowFrom;
  return roles.some((role) => role === '*' || senderRoles.includes(role)) ? ['*'] : users;
}

function entryFor<Entry>(
  entries: Readonly<Record<string, Entry>>,
  id: string,
  name: string | undefined,
): Entry | undefined {
  const own = (key: string): Entry | undefined => (Object.hasOwn(entries, key) ? entries[key] : undefined);
  const slug = name === undefined ? undefined : slugOf(name);
  const named = slug ? Object.keys(entries).find((key) => slugOf(key) === slug) : undefined;
  return own(id) ?? (named === undefined ? undefined : own(named)) ?? own('*');
}

/** A name as settings write it: `Friends of Ann` and `#friends-of-ann` are `friends-of-ann`. */
function slugOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^#/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
