// The approvals that wait in a session, for a person who talks there from a terminal.

import { isAtriumError } from '../../protocol/errors.ts';
import { clip } from '../../protocol/one-line.ts';
import { clientAt, type GatewayAddress } from '../gateway/gateway-client.ts';
import { oneLine } from '../output/text.ts';

export interface WaitingApproval {
  readonly id: string;
  readonly runId: string;
  readonly title: string;
  /** Exactly what would run. */
  readonly description?: string | undefined;
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

/** For a person who answers from elsewhere: what exactly would run, and the command that answers. */
export function describeForShell({ id, title, description = '', allowedDecisions }: WaitingApproval): string {
  const what = clip(oneLine(description), LONGEST_WHAT);
  const about = what === '' || title.includes(what) ? title : `${title}: ${what}`;
  return `approval ${id} waits: ${about}. Answer it with: atrium approvals answer ${id} ${allowedDecisions.join(' | ')}`;
}

/** "atrium approvals list" shows all of it. */
const LONGEST_WHAT = 200;

/** One line, with the important part first. */
export function describeWaiting({ id, title, allowedDecisions }: WaitingApproval): string {
  return `approval ${id} waits (${allowedDecisions.join(' | ')}): ${title}`;
}
