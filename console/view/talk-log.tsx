// The list of turns. It scrolls to its end by itself as long as the reader stays at the end.

import type { ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { AnswerFacts } from '../talk/answer-facts.ts';
import type { Talk } from '../talk/talk.ts';
import { TurnView } from './turn-view.tsx';

export interface TalkLogProps {
  readonly talk: Talk | undefined;
  /** Increases with every change of the talk. */
  readonly version: number;
  readonly session: string | undefined;
  readonly facts: ReadonlySignal<ReadonlyMap<string, AnswerFacts>>;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  onInspect(runId: string): void;
  onStopSubagent(sessionKey: string): void;
  onSubmit(text: string): void;
}

export function TalkLog(props: TalkLogProps) {
  const { talk, version, session, facts, onAnswer, onInspect, onStopSubagent, onSubmit } = props;
  const log = useRef<HTMLDivElement>(null);
  /** How far the reader was from the end before earlier turns were put on top. */
  const fromEnd = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (!log.current) return;
    if (talk?.isFollowing) log.current.scrollTop = log.current.scrollHeight;
    else if (fromEnd.current !== undefined) log.current.scrollTop = log.current.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
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
        {talk?.hasEarlier && (
          <button
            type="button"
            class="quiet earlier"
            onClick={() => {
              if (log.current) fromEnd.current = log.current.scrollHeight - log.current.scrollTop;
              void talk?.loadEarlier();
            }}
          >
            Show what was said before
          </button>
        )}
        {talk?.isWelcoming && <Welcome agentId={talk.place.agentId} onSubmit={onSubmit} />}
        {talk?.turns.map((turn) => (
          <TurnView
            key={`${talk.place.id} ${turn.key}`}
            turn={turn}
            version={turn.version}
            session={session}
            facts={facts}
            onRetry={onSubmit}
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
      <p>
        Everything that the agent is given for an answer can be seen: each word with its author, its size and its place.
      </p>
      <ul>
        {['Hello, who are you?', 'What can you do?', '/status', '/help'].map((text) => (
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
