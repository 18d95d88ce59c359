// Decides whether a person may reach the agent at a place, from the rules that the channel states and from what the
// operator approved. It is pure: it reads no store, sends nothing, and does not look at the words of a message.

import {
  type AccessRules,
  type DirectRules,
  isInList,
  type SenderList,
  type SharedRules,
} from '../../channels/access.ts';
import type { Inbound } from '../../protocol/inbound.ts';

export type AccessDecision =
  | { readonly kind: 'admit' }
  /** The person is not known and may ask for a code. */
  | { readonly kind: 'pair' }
  /** The person may talk, but this message does not speak to the agent. */
  | { readonly kind: 'overhear' }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason; readonly why: string };

export type RefusalReason = 'disabled' | 'place-not-listed' | 'sender-not-listed' | 'rules-unreadable';

export interface AccessFacts {
  readonly rules: AccessRules;
  readonly inbound: Pick<Inbound, 'surface' | 'sender' | 'wasMentioned'>;
  /** Whether the operator has approved the person for direct messages. Only `pairing` asks for it. */
  readonly isPaired: boolean;
  /** The entries of a list, with those that stand for groups of people replaced by their members. */
  readonly expand: (list: SenderList) => SenderList;
}

export function decideAccess({ rules, inbound, isPaired, expand }: AccessFacts): AccessDecision {
  const { surface, sender } = inbound;
  const isListed = (list: SenderList) => isInList(expand(list), surface.channel, sender);
  if (rules.kind === 'direct') return decideDirect(rules, isPaired, isListed);
  return decideShared(rules, inbound.wasMentioned === true, isListed);
}

type IsListed = (list: SenderList) => boolean;

const ADMIT: AccessDecision = { kind: 'admit' };

function decideDirect(
  { policy, allowFrom, setting }: DirectRules,
  isPaired: boolean,
  isListed: IsListed,
): AccessDecision {
  if (policy === 'disabled') return refuse('disabled', `${setting} is "disabled"`);
  if (isListed(allowFrom)) return ADMIT;
  if (policy === 'pairing') return isPaired ? ADMIT : { kind: 'pair' };
  return refuse('sender-not-listed', `${setting} is "${policy}", and the list of people does not contain them`);
}

function decideShared(rules: SharedRules, wasMentioned: boolean, isListed: IsListed): AccessDecision {
  const { policy, allowFrom, setting } = rules;
  if (policy === 'disabled') return refuse('disabled', `${setting} does not allow the agent to answer there`);
  if (policy !== 'open' && !rules.isListed) {
    return refuse('place-not-listed', `${setting} is "allowlist", and the settings do not name the place`);
  }
  if (allowFrom && !isListed(allowFrom)) {
    return refuse('sender-not-listed', whyNotListed(rules, allowFrom));
  }
  return rules.requireMention && !wasMentioned ? { kind: 'overhear' } : ADMIT;
}

function whyNotListed({ setting, peopleSetting }: SharedRules, { entries }: SenderList): string {
  if (entries.length > 0) return 'the list of people for that place does not contain them';
  const where = peopleSetting ?? `the people of ${setting}`;
  return `the settings have no list of people for that place; name them in ${where}, or "*" for everybody there`;
}

function refuse(reason: RefusalReason, why: string): AccessDecision {
  return { kind: 'refuse', reason, why };
}
