// One turn on the page. It is drawn again only when it has changed, because a long talk has many turns and usually only
// one grows.

import type { ReadonlySignal } from '@preact/signals';
import { Component } from 'preact';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { AnswerFacts } from '../talk/answer-facts.ts';
import type { FlowItem, ToolContent, Turn } from '../talk/turn.ts';
import { ApprovalCard } from './approval-card.tsx';
import { CopyButton } from './copy-button.tsx';
import { FileList, type LoadFile } from './file-list.tsx';
import { formatClock, formatDuration, formatPlural, shorten } from './format.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { ScrollText } from './scroll-text.tsx';
import { SubagentTree } from './subagent-tree.tsx';
import { Words } from './words.tsx';

export interface TurnViewProps {
  readonly turn: Turn;
  readonly version: number;
  /** The session of the turn, for the address of its context. */
  readonly session: string | undefined;
  readonly facts: ReadonlySignal<ReadonlyMap<string, AnswerFacts>>;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  onInspect(runId: string): void;
  onStopSubagent(sessionKey: string): void;
  onRetry(text: string): void;
  readonly loadFile: LoadFile;
}

export class TurnView extends Component<TurnViewProps> {
  override shouldComponentUpdate({ turn, version, session }: TurnViewProps): boolean {
    return turn !== this.props.turn || version !== this.props.version || session !== this.props.session;
  }

  override render({ turn, session, facts, onAnswer, onInspect, onStopSubagent, onRetry, loadFile }: TurnViewProps) {
    const { said, flow, isLive, isOver, subagents, awaited } = turn;
    return (
      <article class="turn" hidden={!turn.isShown} aria-busy={isLive}>
        <div
          class={said?.isWaiting ? 'said waiting' : 'said'}
          hidden={!said}
          title={turn.at === undefined ? undefined : formatClock(turn.at)}
        >
          {said?.text}
          {said && said.files.length > 0 && <FileList files={said.files} load={loadFile} />}
        </div>
        <div class={isLive ? 'flow live' : 'flow'}>
          {isLive && flow.length === 0 && <div class="thinking">Working…</div>}
          {flow.map((item) => (
            <Item key={item.key} item={item} onAnswer={onAnswer} loadFile={loadFile} />
          ))}
        </div>
        {awaited > 0 && <p class="thinking" role="status">{`Waits for ${formatPlural(awaited, 'subagent')}…`}</p>}
        {subagents.length > 0 && <SubagentTree subagents={subagents} onStop={onStopSubagent} />}
        {isOver && (
          <footer class="foot">
            <button type="button" class="ghost" onClick={() => onInspect(turn.runId)}>
              What was it given?
            </button>
            {session !== undefined && (
              <Link class="ghost" to={{ page: 'context', session, runId: turn.runId }}>
                Context
              </Link>
            )}
            <Link class="ghost" to={{ page: 'run', runId: turn.runId }}>
              Run
            </Link>
            {flow.some(({ kind }) => kind === 'part' || kind === 'words' || kind === 'draft') && (
              <CopyButton text={() => wordsOf(flow)} label="Copy answer" />
            )}
            {said && said.files.length === 0 && said.text !== '' && (
              <button type="button" class="ghost" title="Send the same words again" onClick={() => onRetry(said.text)}>
                <Icon name="retry" size={16} />
                <span>Retry</span>
              </button>
            )}
            <Facts runId={turn.runId} facts={facts} />
          </footer>
        )}
      </article>
    );
  }
}

/** It listens to the facts by itself, because they come after the turn. */
function Facts({ runId, facts }: { runId: string } & Pick<TurnViewProps, 'facts'>) {
  const found = facts.value.get(runId);
  if (!found) return null;
  const parts = [...(found.model === undefined ? [] : [found.model]), ...found.details];
  return <span class="facts">{parts.join(' · ')}</span>;
}

function wordsOf(flow: readonly FlowItem[]): string {
  return flow
    .flatMap((item) => (item.kind === 'part' || item.kind === 'words' || item.kind === 'draft' ? [item.text] : []))
    .join('\n\n');
}

function Item({ item, onAnswer, loadFile }: { item: FlowItem } & Pick<TurnViewProps, 'onAnswer' | 'loadFile'>) {
  switch (item.kind) {
    case 'draft':
    case 'words':
      return <Words text={item.text} />;
    case 'part':
      return (
        <>
          {item.text !== '' && <Words text={item.text} isPart />}
          {item.files && <FileList files={item.files} load={loadFile} />}
        </>
      );
    case 'tool':
      return <Tool tool={item} />;
    case 'approval':
      return <ApprovalCard approval={item.approval} onAnswer={onAnswer} />;
    case 'notice':
      return <p class="notice">{item.text}</p>;
    case 'problem':
      return (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p class="problem">{item.text}</p>
        </div>
      );
  }
}

function Tool({ tool: { name, params, outcome } }: { tool: ToolContent }) {
  const isText = typeof params === 'string';
  const state = !outcome ? 'tool running' : outcome.isError ? 'tool failed' : 'tool';
  return (
    <details class={state}>
      <summary>
        <Icon name="tool" size={16} />
        <span class="name">{name}</span>
        <span class="brief">{shorten(isText ? params : briefOf(params), 200)}</span>
        <span class="time">{describeOutcome(outcome)}</span>
      </summary>
      <p class="caption">Input</p>
      <ScrollText label="Parameters">{isText ? params : JSON.stringify(params, null, 2)}</ScrollText>
      {outcome && <p class="caption">{outcome.isError ? 'Error' : 'Output'}</p>}
      {outcome && <ScrollText label="Result">{outcome.content || '(nothing)'}</ScrollText>}
    </details>
  );
}

/** A call with one short parameter is best told by its value. */
function briefOf(params: Exclude<ToolContent['params'], string>): string {
  const values = params !== null && typeof params === 'object' && !Array.isArray(params) ? Object.values(params) : [];
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : (JSON.stringify(params) ?? '');
}

function describeOutcome(outcome: ToolContent['outcome']): string {
  if (!outcome) return 'running';
  if (outcome.isError) return 'failed';
  return outcome.ms === undefined ? 'done' : formatDuration(outcome.ms);
}
