// Who may answer an approval by typing: the operator anywhere, whoever talks to the agent alone in their own session, and
// in a place that several people share only those whom the operator has named.

import type { Inbound } from '../../protocol/inbound.ts';
import type { ApprovalRow } from '../../store/tables.ts';

/** Who types where. */
export interface Answerer {
  readonly sessionKey: string;
  readonly inbound: Pick<Inbound, 'surface' | 'sender'>;
}

/** Whoever reaches these has the gateway's token. */
const OPERATOR_CHANNELS: readonly string[] = ['web', 'cli', 'api'];

/** `approvers` are the operator's, as `channel:sender`. */
export function mayAnswer({ inbound }: Answerer, approvers: readonly string[]): boolean {
  const { surface, sender } = inbound;
  if (isOperator(inbound) || surface.peer.kind === 'direct') return true;
  return approvers.includes(`${surface.channel}:${sender.id}`);
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
  return OPERATOR_CHANNELS.includes(surface.channel);
}
