// The account's settings as the rules for a place and a sender. What a topic does not set, it takes from its group, and a
// group from the account. It states rules only; the gateway decides.

import type { AccessRules, SenderList } from '../../src/channels/access.ts';
import type { Inbound } from '../../src/protocol/inbound.ts';
import type { TelegramAccount, TelegramGroup, TelegramTopic } from './account.ts';
import { GENERAL_TOPIC } from './surface.ts';

export function rulesFor(
  account: TelegramAccount,
  { surface }: Pick<Inbound, 'surface' | 'sender'>,
  /** The ids that the group had before, when it was moved. */
  formerIds: readonly string[] = [],
): AccessRules {
  const { peer, threadId } = surface;
  if (peer.kind === 'direct') return directRules(account, peer.id, threadId);
  return sharedRules(account, [peer.id, ...formerIds], threadId, peer.kind === 'channel');
}

/** The agent that the settings name for a topic. */
export function agentOf({ groups }: TelegramAccount, { surface }: Pick<Inbound, 'surface'>): string | undefined {
  const { peer, threadId } = surface;
  const group = groups[peer.id] ?? groups['*'];
  return peer.kind === 'group' ? topicOf(group, threadId)?.agentId : undefined;
}

function directRules(account: TelegramAccount, chatId: string, threadId: string | undefined): AccessRules {
  const own = account.direct[chatId];
  const topic = own?.topics?.[threadId ?? String(GENERAL_TOPIC)];
  const isOff = own?.enabled === false || topic?.enabled === false;
  const setting = own === undefined ? `${account.path}.dmPolicy` : `${account.path}.direct.${chatId}`;
  return {
    kind: 'direct',
    policy: isOff ? 'disabled' : (own?.dmPolicy ?? account.dmPolicy),
    allowFrom: listOf(account, topic?.allowFrom ?? own?.allowFrom ?? account.allowFrom),
    setting,
  };
}

function sharedRules(
  account: TelegramAccount,
  chatIds: readonly string[],
  threadId: string | undefined,
  isChannel: boolean,
): AccessRules {
  const { groups, path } = account;
  const chatId = chatIds.find((id) => groups[id] !== undefined);
  const group = groups[chatId ?? '*'];
  const topic = topicOf(group, threadId);
  const isOff = group?.enabled === false || topic?.enabled === false;
  const policy = topic?.groupPolicy ?? group?.groupPolicy ?? account.groupPolicy;
  const namesPlaces = Object.keys(groups).length > 0;
  const people = topic?.allowFrom ?? group?.allowFrom;
  const everybody = account.groupAllowFrom ?? account.allowFrom;
  return {
    kind: 'shared',
    // Where the settings name places, the others are shut, also under `open`.
    policy: isOff ? 'disabled' : policy === 'open' && namesPlaces && !group ? 'allowlist' : policy,
    isListed: group !== undefined && !isOff,
    // What is written in a channel is written by the channel, and not by a person.
    ...(people !== undefined || (policy === 'allowlist' && !isChannel)
      ? { allowFrom: listOf(account, people ?? everybody) }
      : {}),
    requireMention: topic?.requireMention ?? group?.requireMention ?? groups['*']?.requireMention ?? true,
    setting: group === undefined ? `${path}.groupPolicy` : `${path}.groups.${chatId ?? '*'}`,
    peopleSetting: people === undefined ? `${path}.groupAllowFrom` : `${path}.groups.${chatId ?? '*'}.allowFrom`,
  };
}

function topicOf(group: TelegramGroup | undefined, threadId: string | undefined): TelegramTopic | undefined {
  const topics = group?.topics ?? {};
  return topics[threadId ?? String(GENERAL_TOPIC)] ?? (threadId === undefined ? undefined : topics['*']);
}

/** OpenClaw also writes `tg:` before an id. */
function listOf({ matchesNames }: TelegramAccount, entries: readonly string[]): SenderList {
  return { entries: entries.map((entry) => entry.trim().replace(/^(tg|telegram):/i, '')), matchesNames };
}
