// Who may talk to the agent through a channel. The channel reads the operator's settings for the place and the sender
// and states them as rules; the gateway decides with these rules and with what the store knows about pairing. A channel
// that declares no access lets everybody through: its clients have the gateway's token.
//
// Errors: `rulesFor` never throws. A setting that cannot be read gives the strictest rule.
// Rules: the channel hands over every message, also one that the rules refuse, and never decides itself. Names and
// user names can be changed by their owners, so an entry of a list matches the platform's id, unless the operator
// allowed names.

import type { Inbound, Sender } from '../protocol/inbound.ts';

export interface Access {
  rulesFor(inbound: Pick<Inbound, 'surface' | 'sender' | 'space'>): AccessRules;
}

export type AccessRules = DirectRules | SharedRules;

/**
 * For direct messages. `pairing`: an unknown sender gets a code that the operator approves. `allowlist`: only the people
 * in the list. `open`: the people in the list, which has to contain `*` to admit everybody. `disabled`: no person.
 */
export interface DirectRules {
  readonly kind: 'direct';
  readonly policy: 'pairing' | 'allowlist' | 'open' | 'disabled';
  readonly allowFrom: SenderList;
  /** The path of the setting, for sentences: `channels.telegram.dmPolicy`. */
  readonly setting: string;
}

/** The rules for groups, channels and their threads. */
export interface SharedRules {
  readonly kind: 'shared';
  /**
   * `open`: every place. `allowlist`: only places that are listed. `disabled`: no place; a single place that the settings
   * switch off has this policy too.
   */
  readonly policy: 'open' | 'allowlist' | 'disabled';
  /**
   * Whether the settings allow this place: they name it, or they name no places at all but only people, who are then in
   * `allowFrom`.
   */
  readonly isListed: boolean;
  /**
   * The people who may speak to the agent here, under every policy. Undefined means that the place decides alone; an
   * empty list admits no person.
   */
  readonly allowFrom?: SenderList | undefined;
  /** Whether the agent answers only messages that speak to it. */
  readonly requireMention: boolean;
  readonly setting: string;
  /** The path of the setting that names the people of `allowFrom`, for sentences. */
  readonly peopleSetting?: string | undefined;
}

/** Entries as the operator writes them: an id, `channel:id`, or `*` for everybody. */
export interface SenderList {
  readonly entries: readonly string[];
  /** Whether an entry may also be a user name, such as `@name`. */
  readonly matchesNames: boolean;
}

export function isInList({ entries, matchesNames }: SenderList, channel: string, sender: Sender): boolean {
  const { id, username } = sender;
  const names = matchesNames && username ? [username, `@${username}`] : [];
  const own = new Set([id, ...names].flatMap((name) => [name, `${channel}:${name}`]).map((name) => name.toLowerCase()));
  return entries.some((entry) => entry.trim() === '*' || own.has(entry.trim().toLowerCase()));
}
