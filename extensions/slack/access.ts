// The settings of an account as rules for a place and a sender. It decides nothing.

import type { AccessRules } from '../../src/channels/access.ts';
import type { Inbound } from '../../src/protocol/inbound.ts';
import { channelSettingsOf, type SlackAccount } from './account.ts';

export function rulesFor(
  account: SlackAccount,
  { surface }: Pick<Inbound, 'surface'>,
  placeName: string | undefined,
): AccessRules {
  const { kind, id } = surface.peer;
  if (kind === 'direct') return directRules(account);
  const settings = channelSettingsOf(account, id, placeName);
  const { path, matchesNames, groupAllowFrom } = account;
  const people = settings?.users ?? groupAllowFrom;
  const shared = {
    kind: 'shared',
    requireMention: settings?.requireMention ?? account.requireMention,
    ...(people && { allowFrom: { entries: people, matchesNames } }),
  } as const;
  if (settings && !settings.isEnabled) {
    return { ...shared, policy: 'disabled', isListed: false, setting: `${path}.channels.${id}` };
  }
  if (kind === 'channel' || settings) {
    // Settings that name people and no channel are about those people in every channel.
    const isListed =
      settings !== undefined || (groupAllowFrom !== undefined && Object.keys(account.channels).length === 0);
    return { ...shared, policy: account.groupPolicy, isListed, setting: `${path}.groupPolicy` };
  }
  const { isEnabled, only } = account.groupDirects;
  if (!isEnabled) return { ...shared, policy: 'disabled', isListed: false, setting: `${path}.dm.groupEnabled` };
  const isListed = only === undefined || only.includes(id) || only.includes('*');
  return { ...shared, policy: 'allowlist', isListed, setting: `${path}.dm.groupChannels` };
}

/** An account that is not there any more lets no person through. */
export function closedRules({ surface }: Pick<Inbound, 'surface'>): AccessRules {
  const setting = 'channels.slack.accounts';
  return surface.peer.kind === 'direct'
    ? { kind: 'direct', policy: 'disabled', allowFrom: { entries: [], matchesNames: false }, setting }
    : { kind: 'shared', policy: 'disabled', isListed: false, requireMention: true, setting };
}

function directRules({ dmPolicy, allowFrom, matchesNames, path }: SlackAccount): AccessRules {
  const setting = `${path}.dmPolicy`;
  return { kind: 'direct', policy: dmPolicy, allowFrom: { entries: allowFrom, matchesNames }, setting };
}
