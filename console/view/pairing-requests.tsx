// The people on chat platforms who ask to talk to the agent, each with the code that they were told and two answers.
// Names are what people call themselves, so the id stands beside them. Without a request there is nothing to see.

import type { WaitingPairing } from '../client/gateway-client.ts';
import { formatCount } from './format.ts';

export type PairingAnswer = 'approve' | 'refuse';

export interface PairingRequestsProps {
  readonly requests: readonly WaitingPairing[];
  /** The request that is being answered. */
  readonly answering: WaitingPairing | undefined;
  onAnswer(request: WaitingPairing, answer: PairingAnswer): void;
}

export function PairingRequests({ requests, answering, onAnswer }: PairingRequestsProps) {
  if (requests.length === 0) return null;
  const title =
    requests.length === 1
      ? 'A person asks to talk to the agent'
      : `${formatCount(requests.length)} people ask to talk to the agent`;
  return (
    <section class="pairings" aria-label="Requests to talk">
      <h3>{title}</h3>
      <ul>
        {requests.map((request) => (
          <li key={`${request.channel} ${request.accountId} ${request.senderId}`}>
            <span class="who">
              {request.senderName !== null && <b>{request.senderName}</b>}
              {` ${request.senderId} on ${request.channel}`}
              {request.accountId === 'default' ? '' : ` (${request.accountId})`}
            </span>
            <span>
              {'code '}
              <code>{request.code}</code>
            </span>
            <span class="choices">
              <button type="button" disabled={answering !== undefined} onClick={() => onAnswer(request, 'approve')}>
                Approve
              </button>
              <button
                type="button"
                class="quiet"
                disabled={answering !== undefined}
                onClick={() => onAnswer(request, 'refuse')}
              >
                Refuse
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
