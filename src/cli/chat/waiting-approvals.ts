// The approvals that wait in a session, for a person who talks there from a terminal.

import { isAtriumError } from '../../protocol/errors.ts';
import { clientAt, type GatewayAddress } from '../gateway/gateway-client.ts';

export interface WaitingApproval {
  readonly id: string;
  readonly runId: string;
  readonly title: string;
  readonly allowedDecisions: readonly string[];
}

/** Empty when the gateway cannot be asked; a chat asks again after it has reconnected. */
export async function waitingApprovals(
  gateway: { find(): Promise<GatewayAddress> },
  sessionKey: string | undefined,
): Promise<readonly WaitingApproval[]> {
  if (sessionKey === undefined) return [];
  try {
    const query = { status: 'waiting', session: sessionKey };
    const client = clientAt(await gateway.find());
    return (await client.get<{ approvals: readonly WaitingApproval[] }>('/api/approvals', query)).approvals;
  } catch (error) {
    if (isAtriumError(error)) return [];
    throw error;
  }
}

/** One line, with the important part first. */
export function describeWaiting({ id, title, allowedDecisions }: WaitingApproval): string {
  return `approval ${id} waits (${allowedDecisions.join(' | ')}): ${title}`;
}
