// Who may answer an approval by typing: the operator anywhere, whoever talks to the agent alone in their own session, and
// in a place that several people share only those whom the operator has named.

import type { Inbound } from '../../protocol/inbound.ts';
import { isOperatorChannel } from '../../protocol/operator-channels.ts';
import type { ApprovalRow } from '../../store/tables.ts';

/** Who types where. */
export interface Answerer {
  readonly sessionKey: string;
  readonly inbound: Pick<Inbound, 'surface' | 'sender'>;
}

/** `approvers` are the operator's, as `channel:sender`. */
export function mayAnswer({ inbound }: Answerer, approvers: readonly string[]): boolean {
  return inbound.surface.peer.kind === 'direct' || mayAllowAlways({ inbound }, approvers);
}

/** A rule holds for the agent in all its sessions, so that it is more than one's own affair. */
export function mayAllowAlways({ inbound }: Pick<Answerer, 'inbound'>, approvers: readonly string[]): boolean {
  const { surface, sender } = inbound;
  return isOperator(inbound) || approvers.includes(`${surface.channel}:${sender.id}`);
}

/** What is asked in another session is nobody's business but the operator's. */
export function maySee({ inbound, sessionKey }: Answerer, approval: Pick<ApprovalRow, 'sessionKey'>): boolean {
  return isOperator(inbound) || approval.sessionKey === sessionKey;
}

/** For the record. */
export function answererName({ inbound }: Answerer): string {
  const { surface, sender } = inbound;
  return isOperator(inbound) ? surface.channel : `${surface.channel}:${sender.id}`;
}

function isOperator({ surface }: Answerer['inbound']): boolean {
  return isOperatorChannel(surface.channel);
}
