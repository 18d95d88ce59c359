// A tool call that waits for a person, as a card in the talk: the call as plain text, the time that is left, one button
// and one key per offered decision, and afterwards the outcome. The card takes the focus when nothing is being written and
// no other question has it. Its keys and buttons work after a moment, so that a word that was begun before it came, or a
// press that was meant for what stood there before, decides nothing.

import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
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
  const card = useRef<HTMLElement>(null);
  const [isNew, setNew] = useState(true);
  useEffect(() => {
    if (!isOver && !isBusy()) card.current?.focus({ preventScroll: false });
    const timer = setTimeout(() => setNew(false), CALM_MS);
    return () => clearTimeout(timer);
  }, []);
  const pressKey = (event: KeyboardEvent) => {
    const decision = KEYS[event.key.toLowerCase()];
    if (!decision || isOver || state === 'sending' || !allowedDecisions.includes(decision)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || isNew) return;
    event.preventDefault();
    onAnswer(approvalId, decision);
  };
  return (
    <section
      ref={card}
      tabIndex={isOver ? undefined : -1}
      onKeyDown={pressKey}
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
              disabled={isNew || state === 'sending'}
              onClick={() => onAnswer(approvalId, decision)}
            >
              {DECISION_LABELS[decision]}
              <kbd>{keyOf(decision)}</kbd>
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

const KEYS: Readonly<Record<string, ApprovalDecision>> = { y: 'allow-once', a: 'allow-always', n: 'deny' };

function keyOf(decision: ApprovalDecision): string {
  return (
    Object.keys(KEYS)
      .find((key) => KEYS[key] === decision)
      ?.toUpperCase() ?? ''
  );
}

/** How long after the card came its keys and buttons do nothing. */
const CALM_MS = 700;

/** A field with words in it has the focus, or another question that waits. */
function isBusy(): boolean {
  const focused = document.activeElement;
  const isField = focused instanceof HTMLTextAreaElement || focused instanceof HTMLInputElement;
  return (isField && focused.value !== '') || focused?.closest('.approval:not(.over)') != null;
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
