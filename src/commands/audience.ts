// Decides which people may use a command. A row names its audience, and only this file knows what the names mean.

import type { Inbound } from '../protocol/inbound.ts';
import { isOperatorChannel } from '../protocol/operator-channels.ts';

/**
 * `anyone`: every person that the agent answers. `approvers`: the operator, and the people named in
 * `approvals.approvers`. `answerers`: the same, and a person who talks to the agent alone.
 */
export type Audience = 'anyone' | 'answerers' | 'approvers';

/** The sender and the place of a message. */
type Sent = Pick<Inbound, 'surface' | 'sender'>;

/** A sentence for a person who may not use the command; undefined for a person who may. */
export function refusalOf(
  { name, who }: { readonly name: string; readonly who: Audience },
  inbound: Sent,
  approvers: readonly string[],
): string | undefined {
  return RULES[who].includes(inbound, approvers) ? undefined : RULES[who].refusal(name);
}

/** The operator, or a person that the operator named. `approvers` are written as `channel:sender`. */
export function isApprover({ surface, sender }: Sent, approvers: readonly string[]): boolean {
  return isOperatorChannel(surface.channel) || approvers.includes(`${surface.channel}:${sender.id}`);
}

interface AudienceRule {
  includes(inbound: Sent, approvers: readonly string[]): boolean;
  refusal(name: string): string;
}

const RULES: Readonly<Record<Audience, AudienceRule>> = {
  anyone: { includes: () => true, refusal: () => '' },
  answerers: {
    // A person alone with the agent answers for their own session; in a shared place the operator decides who may.
    includes: (inbound, approvers) => inbound.surface.peer.kind === 'direct' || isApprover(inbound, approvers),
    refusal: () =>
      'You may not answer approvals here. In a group or channel only people that the operator named in approvals.approvers may.',
  },
  approvers: {
    includes: isApprover,
    refusal: (name) => `You may not use /${name} here. Only the operator and those named in approvals.approvers may.`,
  },
};
