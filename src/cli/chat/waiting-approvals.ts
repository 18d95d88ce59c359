// What waits for a person in a session, for whoever talks there from a terminal.

import { isAtriumError } from '../../protocol/errors.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { callGateway, type GatewayAddress } from '../gateway/call-gateway.ts';

export interface WaitingApproval {
  readonly id: string;
  readonly title: string;
  readonly allowedDecisions: readonly string[];
}

/** None when the gateway cannot be asked: whoever comes back asks again. */
export async function waitingApprovals(
  gateway: { find(): Promise<GatewayAddress> },
  sessionKey: string | undefined,
): Promise<readonly WaitingApproval[]> {
  if (sessionKey === undefined) return [];
  try {
    const query = new URLSearchParams({ status: 'waiting', session: sessionKey });
    const { approvals } = await callGateway(await gateway.find(), 'GET', `/api/approvals?${query}`);
    return (Array.isArray(approvals) ? approvals : []).filter(isJsonObject).map(({ id, title, allowedDecisions }) => ({
      id: String(id),
      title: String(title),
      allowedDecisions: Array.isArray(allowedDecisions) ? allowedDecisions.map(String) : [],
    }));
  } catch (error) {
    if (isAtriumError(error)) return [];
    throw error;
  }
}

/** One line, with what matters in front. */
export function describeWaiting({ id, title, allowedDecisions }: WaitingApproval): string {
  return `approval ${id} waits (${allowedDecisions.join(' | ')}): ${title}`;
}
