// A tool call that waits for a person, as a card in the talk: the call as plain text, the time that is left, one button
// per offered decision, and afterwards the outcome.

import { useEffect, useReducer } from 'preact/hooks';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import { type Approval, DECISION_LABELS, isDecision } from '../talk/approval.ts';
import { ScrollText } from './scroll-text.tsx';

export interface ApprovalCardProps {
  readonly approval: Approval;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
}

export function ApprovalCard({ approval, onAnswer }: ApprovalCardProps) {
  const { approvalId, title, description, severity, allowedDecisions, expiresAt, state, outcome, isAllowed } = approval;
  const isOver = state === 'over';
  const heading = `approval-${approvalId}`;
  return (
    <section
      class={['approval', isOver && 'over', isAllowed && 'allowed'].filter(Boolean).join(' ')}
      data-severity={severity}
      aria-labelledby={heading}
    >
      <header>
        <h3 id={heading}>{title}</h3>
        <span class="severity">{severity}</span>
        <span class="left">{!isOver && <TimeLeft until={expiresAt} />}</span>
      </header>
      <ScrollText label="What would run">{description}</ScrollText>
      {!isOver && (
        <div class="choices">
          {allowedDecisions.filter(isDecision).map((decision) => (
            <button
              key={decision}
              type="button"
              class={decision === 'allow-once' ? '' : 'quiet'}
              disabled={state === 'sending'}
              onClick={() => onAnswer(approvalId, decision)}
            >
              {DECISION_LABELS[decision]}
            </button>
          ))}
        </div>
      )}
      <p class="outcome" role="status">
        {outcome}
      </p>
    </section>
  );
}

function TimeLeft({ until }: { until: number }) {
  const [, tick] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => tick(undefined), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
  return <>{seconds >= 90 ? `${Math.round(seconds / 60)} min left` : `${seconds} s left`}</>;
}
