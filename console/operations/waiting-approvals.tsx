// Tool calls that wait for a person, with exactly what would run.

import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { ToldApproval } from '../client/gateway-client.ts';
import { DECISION_LABELS } from '../talk/approval.ts';
import { formatClock } from '../view/format.ts';
import { Link } from '../view/link.tsx';
import { ScrollText } from '../view/scroll-text.tsx';
import { Block } from './block.tsx';

export interface WaitingApprovalsProps {
  readonly approvals: readonly ToldApproval[];
  readonly busy: string;
  onAnswer(id: string, decision: ApprovalDecision): void;
}

export function WaitingApprovals({ approvals, busy, onAnswer }: WaitingApprovalsProps) {
  return (
    <Block
      title="Approvals that wait"
      empty={approvals.length === 0 && 'No tool waits for you. When one does, it stands here and in its conversation.'}
    >
      <ul class="cards">
        {approvals.map(({ id, title, description, agentId, sessionKey, expiresAt, severity, allowedDecisions }) => (
          <li key={id} class="card" data-severity={severity}>
            <header>
              <b>{title}</b>
              <span class="soft">{`until ${formatClock(expiresAt)}`}</span>
            </header>
            <ScrollText label="What would run">{description}</ScrollText>
            <div class="choices">
              {allowedDecisions.map((decision) => (
                <button
                  key={decision}
                  type="button"
                  class={decision === 'allow-once' ? 'small' : 'quiet small'}
                  disabled={busy !== ''}
                  onClick={() => onAnswer(id, decision)}
                >
                  {DECISION_LABELS[decision]}
                </button>
              ))}
              <span class="grow" />
              <Link class="ghost" to={{ page: 'session', session: sessionKey }}>
                {`Conversation with ${agentId}`}
              </Link>
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}
