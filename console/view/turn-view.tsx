// One turn on the page. It is drawn again only when it has changed, because a long talk has many turns and usually only
// one grows.

import type { ReadonlySignal } from '@preact/signals';
import { Component } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import { titleOf } from '../shell/session-title.ts';
import type { AnswerFacts } from '../talk/answer-facts.ts';
import type { Fork } from '../talk/forks.ts';
import type { FlowItem, SaidWords, Turn } from '../talk/turn.ts';
import { CopyButton } from './copy-button.tsx';
import { directionOf } from './direction-of.ts';
import { FileList, type LoadFile } from './file-list.tsx';
import { FlowItemView } from './flow-item-view.tsx';
import { formatClock, formatPlural } from './format.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { type LoadThread, SubagentTree } from './subagent-tree.tsx';

export interface TurnViewProps {
  readonly turn: Turn;
  readonly version: number;
  /** The session of the turn, for the address of its context. */
  readonly session: string | undefined;
  readonly facts: ReadonlySignal<ReadonlyMap<string, AnswerFacts>>;
  /** Set when the conversation parts from others before this turn. */
  readonly fork: Fork | undefined;
  /** False where nothing can be said, such as in a conversation that has ended. */
  readonly canSpeak: boolean;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  onInspect(runId: string): void;
  onStopSubagent(sessionKey: string): void;
  readonly loadThread: LoadThread;
  /** Says it again in a branch before this turn, with other words where some are given. */
  onResend(turn: Turn, text: string): void;
  onBranch(turn: Turn): void;
  readonly loadFile: LoadFile;
}

export class TurnView extends Component<TurnViewProps, { readonly isEditing: boolean }> {
  override state = { isEditing: false };

  override shouldComponentUpdate(next: TurnViewProps, { isEditing }: { isEditing: boolean }): boolean {
    const { turn, version, session, fork, canSpeak } = this.props;
    return (
      turn !== next.turn ||
      version !== next.version ||
      session !== next.session ||
      canSpeak !== next.canSpeak ||
      keyOfFork(fork) !== keyOfFork(next.fork) ||
      isEditing !== this.state.isEditing
    );
  }

  override render(props: TurnViewProps, { isEditing }: { isEditing: boolean }) {
    const { turn, session, facts, fork, canSpeak, loadFile } = props;
    const { onAnswer, onInspect, onStopSubagent, onResend, onBranch, loadThread } = props;
    const { said, flow, isLive, isOver, subagents, awaited } = turn;
    // What can be said in another way is in the record.
    const canChange = canSpeak && isOver && session !== undefined && turn.position !== undefined;
    return (
      <article class="turn" hidden={!turn.isShown} aria-busy={isLive}>
        {said && isEditing && (
          <EditWords
            text={said.text}
            onCancel={() => this.setState({ isEditing: false })}
            onSend={(text) => {
              this.setState({ isEditing: false });
              onResend(turn, text);
            }}
          />
        )}
        {said && !isEditing && (
          <div class="saying">
            <Said said={said} at={turn.at} loadFile={loadFile} />
            <div class="said-foot">
              {canChange && (
                <button type="button" class="ghost" onClick={() => this.setState({ isEditing: true })}>
                  <Icon name="edit" size={16} />
                  Edit
                </button>
              )}
              {said.text !== '' && <CopyButton text={said.text} label="Copy message" />}
              {said.isWaiting && <span class="sending">Sending…</span>}
              {fork && session !== undefined && <Ways fork={fork} session={session} />}
            </div>
          </div>
        )}
        {turn.from !== undefined && (
          <p class="origin">
            <Link to={{ page: 'session', session: turn.from }} title={turn.from}>
              {turn.from.includes(':cron:') ? 'Sent by a scheduled job' : 'Sent from another conversation'}
            </Link>
          </p>
        )}
        <div class={isLive ? 'flow live' : 'flow'}>
          {isLive && flow.length === 0 && <div class="thinking">Working…</div>}
          {flow.map((item, index) => (
            <FlowItemView
              key={item.key}
              item={item}
              isRefused={item.kind === 'tool' && isRefused(flow, item.toolCallId)}
              isGrowing={isLive && index === flow.length - 1}
              onAnswer={onAnswer}
              loadFile={loadFile}
            />
          ))}
        </div>
        {awaited > 0 && <p class="thinking" role="status">{`Waits for ${formatPlural(awaited, 'subagent')}…`}</p>}
        {subagents.length > 0 && <SubagentTree subagents={subagents} onStop={onStopSubagent} loadThread={loadThread} />}
        {isOver && (
          <footer class="foot">
            {flow.some(({ kind }) => kind === 'part' || kind === 'words' || kind === 'draft') && (
              <CopyButton text={() => wordsOf(flow)} label="Copy answer" />
            )}
            {said && canChange && (
              <button
                type="button"
                class="ghost"
                aria-label="Retry"
                title="Ask for another answer"
                onClick={() => onResend(turn, said.text)}
              >
                <Icon name="retry" size={16} />
                <span>Retry</span>
              </button>
            )}
            {canChange && (
              <button
                type="button"
                class="ghost"
                aria-label="Branch from here"
                title="Go on from here in a new conversation; this one stays as it is"
                onClick={() => onBranch(turn)}
              >
                <Icon name="branch" size={16} />
                <span>Branch from here</span>
              </button>
            )}
            <button
              type="button"
              class="ghost"
              aria-label="What was it given?"
              title="What was it given?"
              onClick={() => onInspect(turn.runId)}
            >
              <Icon name="panel" size={16} />
            </button>
            <Facts runId={turn.runId} facts={facts} />
            <span class="foot-links">
              {session !== undefined && (
                <Link class="ghost" to={{ page: 'context', session, runId: turn.runId }}>
                  Context
                </Link>
              )}
              <Link class="ghost" to={{ page: 'run', runId: turn.runId }}>
                Run
              </Link>
            </span>
          </footer>
        )}
      </article>
    );
  }
}

function Said({ said, at, loadFile }: { said: SaidWords; at: number | undefined; loadFile: LoadFile }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = isLongText(said.text);
  return (
    <div
      class={said.isWaiting ? 'said waiting' : 'said'}
      dir="auto"
      title={at === undefined ? undefined : formatClock(at)}
    >
      {isLong ? <div class={isWhole ? 'long whole' : 'long'}>{said.text}</div> : said.text}
      {isLong && (
        <button type="button" class="ghost" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all of ${formatPlural(said.text.length, 'character')}`}
        </button>
      )}
      {said.files.length > 0 && <FileList files={said.files} load={loadFile} />}
    </div>
  );
}

/** A log that somebody pasted must not push the answer out of sight. */
function isLongText(text: string): boolean {
  return text.length > 3_000 || text.split('\n', 31).length > 30;
}

interface EditWordsProps {
  readonly text: string;
  onSend(text: string): void;
  onCancel(): void;
}

/** The words of a person, to be changed and said again. */
function EditWords({ text, onSend, onCancel }: EditWordsProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState(text);
  // Before the next frame: who begins to write at once writes at the end, and the cursor does not move afterwards.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  const canSend = words.trim() !== '';
  return (
    <form
      class="edit-words"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend(words);
      }}
    >
      <textarea
        ref={field}
        aria-label="Edit the message"
        dir={directionOf(words)}
        rows={Math.min(12, words.split('\n').length + 1)}
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') onCancel();
          else if (event.key === 'Enter' && !event.shiftKey && canSend) onSend(words);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div class="choices">
        <span class="hint">What was said before stays reachable.</span>
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" disabled={!canSend}>
          Send
        </button>
      </div>
    </form>
  );
}

/** The ways in which the conversation goes on from here, one beside the other. */
function Ways({ fork: { ways }, session }: { fork: Fork; session: string }) {
  const at = ways.findIndex(({ sessionKey }) => sessionKey === session);
  const link = (index: number, icon: 'back' | 'chevron', label: string) => {
    const way = ways[index];
    if (!way)
      return (
        <span class="ghost way off">
          <Icon name={icon} size={14} />
        </span>
      );
    const to = { page: 'session', session: way.sessionKey } as const;
    return (
      <Link class="ghost way" to={to} label={`${label}: ${titleOf(way)}`} title={titleOf(way)}>
        <Icon name={icon} size={14} />
      </Link>
    );
  };
  return (
    <nav class="ways" aria-label="Ways from here">
      {link(at - 1, 'back', 'The way before')}
      <span>{`${at + 1} of ${ways.length}`}</span>
      {link(at + 1, 'chevron', 'The next way')}
    </nav>
  );
}

function keyOfFork(fork: Fork | undefined): string {
  return fork?.ways.map(({ sessionId }) => sessionId).join(' ') ?? '';
}

/** It listens to the facts by itself, because they come after the turn. */
function Facts({ runId, facts }: { runId: string } & Pick<TurnViewProps, 'facts'>) {
  const found = facts.value.get(runId);
  if (!found) return null;
  const parts = [...(found.model === undefined ? [] : [found.model]), ...found.details];
  return <span class="facts">{parts.join(' · ')}</span>;
}

/** A person, or the time that ran out, did not let the call happen. */
function isRefused(flow: readonly FlowItem[], toolCallId: string): boolean {
  const about = flow.flatMap((item) =>
    item.kind === 'approval' && item.approval.toolCallId === toolCallId ? [item.approval] : [],
  );
  return about.length > 0 && about.every(({ state, isAllowed }) => state === 'over' && !isAllowed);
}

function wordsOf(flow: readonly FlowItem[]): string {
  return flow
    .flatMap((item) => (item.kind === 'part' || item.kind === 'words' || item.kind === 'draft' ? [item.text] : []))
    .join('\n\n');
}
