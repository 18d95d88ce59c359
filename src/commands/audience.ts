// Decides which people may use a command. A row names its audience, and only this file knows what the names mean.

import type { Inbound } from '../protocol/inbound.ts';
import { isOperator } from '../protocol/operator-channels.ts';

/**
 * `anyone`: every person that the agent answers. `approvers`: the operator, and the people named in
 * `approvals.approvers`. `answerers`: the same, and a person who talks to the agent alone. `operator`: the operator
 * alone.
 */
export type Audience = 'anyone' | 'answerers' | 'approvers' | 'operator';

/** The sender and the place of a message. */
type Sent = Pick<Inbound, 'surface' | 'sender'>;

/** The people that the operator named. */
export interface CommandPeople {
  /** Who may answer approvals, as `channel:sender`. */
  readonly approvers: readonly string[];
  /** Who is the operator in their own direct conversation, as `channel:sender` in lower case. */
  readonly owners: readonly string[];
  /**
   * `commands.allowFrom`: by channel, or by `*` for the other channels, who may use commands at all, as ids or as
   * `channel:sender`; `*` means everyone. On a channel without a list nobody is kept out.
   */
  readonly allowFrom: Readonly<Record<string, readonly (string | number)[]>>;
}

/** A sentence for a person who may not use the command; undefined for a person who may. */
export function refusalOf(
  { name, who }: { readonly name: string; readonly who: Audience },
  inbound: Sent,
  people: CommandPeople,
): string | undefined {
  if (!isAllowed(inbound, people))
    return `You may not use /${name} here. The operator named in commands.allowFrom who may use commands.`;
  return RULES[who].includes(inbound, people) ? undefined : RULES[who].refusal(name);
}

/** The operator is never kept out. */
function isAllowed(sent: Sent, { allowFrom, owners }: CommandPeople): boolean {
  const { surface, sender } = sent;
  const { channel } = surface;
  const list = Object.hasOwn(allowFrom, channel) ? allowFrom[channel] : allowFrom['*'];
  if (list === undefined || isOperator(sent, owners)) return true;
  const names = ['*', sender.id, `${channel}:${sender.id}`].map((each) => each.toLowerCase());
  return list.some((entry) => names.includes(String(entry).trim().toLowerCase()));
}

/** The operator, or a person that the operator named. */
export function isApprover(sent: Sent, { approvers, owners }: Pick<CommandPeople, 'approvers' | 'owners'>): boolean {
  const { surface, sender } = sent;
  return isOperator(sent, owners) || approvers.includes(`${surface.channel}:${sender.id}`);
}

interface AudienceRule {
  includes(inbound: Sent, people: CommandPeople): boolean;
  refusal(name: string): string;
}

const RULES: Readonly<Record<Audience, AudienceRule>> = {
  anyone: { includes: () => true, refusal: () => '' },
  answerers: {
    // A person alone with the agent answers for their own session; in a shared place the operator decides who may.
    includes: (inbound, people) => inbound.surface.peer.kind === 'direct' || isApprover(inbound, people),
    refusal: () =>
      'You may not answer approvals here. In a group or channel only people that the operator named in approvals.approvers may.',
  },
  operator: {
    includes: (sent, { owners }) => isOperator(sent, owners),
    refusal: (name) => `You may not use /${name} here. Only the operator may.`,
  },
  approvers: {
    includes: isApprover,
    refusal: (name) => `You may not use /${name} here. Only the operator and those named in approvals.approvers may.`,
  },
};
