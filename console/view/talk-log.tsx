// The list of turns. It scrolls to its end by itself as long as the reader stays at the end.

import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { AnswerFacts } from '../talk/answer-facts.ts';
import type { Fork } from '../talk/forks.ts';
import type { Talk } from '../talk/talk.ts';
import type { Turn } from '../talk/turn.ts';
import { Icon } from './icon.tsx';
import { type Sought, showSought } from './show-sought.ts';
import { TurnView } from './turn-view.tsx';

export interface TalkLogProps {
  readonly talk: Talk | undefined;
  /** Increases with every change of the talk. */
  readonly version: number;
  readonly session: string | undefined;
  /** The position in the transcript that is to be shown. */
  readonly sought: Sought | undefined;
  readonly facts: ReadonlySignal<ReadonlyMap<string, AnswerFacts>>;
  readonly forks: readonly Fork[];
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  onInspect(runId: string): void;
  onStopSubagent(sessionKey: string): void;
  onResend(turn: Turn, text: string): void;
  onBranch(turn: Turn): void;
  /** What is shown before the first message. */
  readonly welcome: ComponentChildren;
}

export function TalkLog(props: TalkLogProps) {
  const { talk, version, session, sought, facts, forks, welcome } = props;
  const { onAnswer, onInspect, onStopSubagent, onResend, onBranch } = props;
  const turnOfFork = useMemo(
    () => new Map(forks.map((fork) => [turnBehind(talk, fork), fork])),
    [talk, version, forks],
  );
  const log = useRef<HTMLDivElement>(null);
  /** How far the reader was from the end before earlier turns were put on top. */
  const fromEnd = useRef<number | undefined>(undefined);
  const isLoading = useRef(false);
  const [isAway, setAway] = useState(false);
  useEffect(() => setAway(false), [talk]);
  useLayoutEffect(() => {
    if (!log.current) return;
    if (talk?.isFollowing) log.current.scrollTop = log.current.scrollHeight;
    else if (fromEnd.current !== undefined) log.current.scrollTop = log.current.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
  }, [talk, version]);
  // The keyboard of a telephone, a longer draft or a narrower window leave less of the log; who read its end reads on there.
  useEffect(() => {
    const element = log.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (talk?.isFollowing) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [talk]);
  const found = useRef<object | undefined>(undefined);
  useLayoutEffect(() => {
    if (!talk || !sought || found.current === sought || !log.current || talk.turns.length === 0) return;
    const first = talk.turns.find(({ position }) => position !== undefined)?.position;
    if (first === undefined) return;
    // What is looked for may be further back than what is shown; each part that is loaded leads here again.
    if (first > sought.position && talk.hasEarlier) {
      loadEarlier();
      return;
    }
    found.current = sought;
    const index = talk.turns.findLastIndex(({ position }) => position !== undefined && position <= sought.position);
    const turn = log.current.querySelectorAll('.turn')[Math.max(0, index)];
    talk.scrolled(false);
    if (turn) showSought(turn, sought.words);
  }, [talk, version, sought]);

  const loadEarlier = () => {
    if (!talk || isLoading.current) return;
    isLoading.current = true;
    void talk
      .loadEarlier(() => {
        if (log.current) fromEnd.current = log.current.scrollHeight - log.current.scrollTop;
      })
      .finally(() => {
        isLoading.current = false;
      });
  };
  const goToEnd = () => {
    const go = () => {
      talk?.scrolled(true);
      if (log.current) log.current.scrollTop = log.current.scrollHeight;
    };
    go();
    // The turns on the way get their real height when they are drawn.
    requestAnimationFrame(go);
    log.current?.focus({ preventScroll: true });
  };
  return (
    <>
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
        onScroll={({ currentTarget }) => {
          talk?.scrolled(isAtEnd(currentTarget));
          setAway(isFarFromEnd(currentTarget));
          if (currentTarget.scrollTop < NEAR_TOP && talk?.hasEarlier) loadEarlier();
        }}
      >
        <div id="turns" class="turns">
          {talk?.hasEarlier && (
            <button type="button" class="quiet earlier" onClick={loadEarlier}>
              Show what was said before
            </button>
          )}
          {talk?.isWelcoming && welcome}
          {talk?.turns.map((turn) => (
            <TurnView
              key={`${talk.place.id} ${turn.key}`}
              turn={turn}
              version={turn.version}
              session={session}
              facts={facts}
              fork={turnOfFork.get(turn)}
              canSpeak={talk.place.closed === undefined}
              onResend={onResend}
              onBranch={onBranch}
              onAnswer={onAnswer}
              onInspect={onInspect}
              onStopSubagent={onStopSubagent}
              loadThread={talk.loadThread}
              loadFile={talk.loadFile}
            />
          ))}
        </div>
      </div>
      <div class="to-end">
        {isAway && (
          <button
            type="button"
            class="quiet round"
            aria-label="To the latest words"
            title="To the latest words"
            onClick={goToEnd}
          >
            <Icon name="down" />
          </button>
        )}
      </div>
    </>
  );
}

/** So far that the latest words are out of sight. */
function isFarFromEnd(log: HTMLElement): boolean {
  return log.scrollHeight - log.scrollTop - log.clientHeight > log.clientHeight / 2;
}

function isAtEnd(log: HTMLElement): boolean {
  return log.scrollHeight - log.scrollTop - log.clientHeight < 80;
}

/** The first turn behind the place where conversations part. */
function turnBehind(talk: Talk | undefined, { at }: Fork): Turn | undefined {
  return talk?.turns.find(({ position, said }) => said !== undefined && (position ?? Number.POSITIVE_INFINITY) > at);
}

/** So near to the top, what was said before is loaded. */
const NEAR_TOP = 300;
