// The list of turns. It scrolls to its end by itself as long as the reader stays at the end.

import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { Talk } from '../talk/talk.ts';
import { TurnView } from './turn-view.tsx';

export interface TalkLogProps {
  readonly talk: Talk | undefined;
  /** Increases with every change of the talk. */
  readonly version: number;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  onInspect(runId: string): void;
  onStopSubagent(sessionKey: string): void;
  onSubmit(text: string): void;
}

export function TalkLog({ talk, version, onAnswer, onInspect, onStopSubagent, onSubmit }: TalkLogProps) {
  const log = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (log.current && talk?.isFollowing) log.current.scrollTop = log.current.scrollHeight;
  }, [talk, version]);
  return (
    <div
      ref={log}
      id="log"
      class="log"
      role="log"
      aria-live="polite"
      aria-relevant="additions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled.
      tabIndex={0}
      aria-label="Messages"
      onScroll={({ currentTarget }) => talk?.scrolled(isAtEnd(currentTarget))}
    >
      <div id="turns" class="turns">
        {talk?.isWelcoming && <Welcome agentId={talk.place.agentId} onSubmit={onSubmit} />}
        {talk?.turns.map((turn) => (
          <TurnView
            key={`${talk.place.id} ${turn.key}`}
            turn={turn}
            version={turn.version}
            onAnswer={onAnswer}
            onInspect={onInspect}
            onStopSubagent={onStopSubagent}
            loadFile={talk.loadFile}
          />
        ))}
      </div>
    </div>
  );
}

function isAtEnd(log: HTMLElement): boolean {
  return log.scrollHeight - log.scrollTop - log.clientHeight < 80;
}

function Welcome({ agentId, onSubmit }: { agentId: string; onSubmit(text: string): void }) {
  return (
    <div class="welcome">
      <h2>{`Talk to ${agentId}`}</h2>
      <p>Everything that the agent is given for an answer is shown beside it, with its author and its size.</p>
      <ul>
        {['Hello, who are you?', '/status', '/help'].map((text) => (
          <li key={text}>
            <button type="button" class="quiet" onClick={() => onSubmit(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
