// One turn on the page. It is drawn again only when it has changed, because a long talk has many turns and usually only
// one grows.

import { Component } from 'preact';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { FlowItem, ToolContent, Turn } from '../talk/turn.ts';
import { ApprovalCard } from './approval-card.tsx';
import { FileList, type LoadFile } from './file-list.tsx';
import { formatDuration, formatPlural, shorten } from './format.ts';
import { ScrollText } from './scroll-text.tsx';
import { SubagentTree } from './subagent-tree.tsx';
import { Words } from './words.tsx';

export interface TurnViewProps {
  readonly turn: Turn;
  readonly version: number;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  onInspect(runId: string): void;
  onStopSubagent(sessionKey: string): void;
  readonly loadFile: LoadFile;
}

export class TurnView extends Component<TurnViewProps> {
  override shouldComponentUpdate({ turn, version }: TurnViewProps): boolean {
    return turn !== this.props.turn || version !== this.props.version;
  }

  override render({ turn, onAnswer, onInspect, onStopSubagent, loadFile }: TurnViewProps) {
    const { said, flow, isLive, isOver, subagents, awaited } = turn;
    return (
      <article class="turn" hidden={!turn.isShown}>
        <div class={said?.isWaiting ? 'said waiting' : 'said'} hidden={!said}>
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
        <div class="foot">
          {isOver && (
            <button type="button" class="plain" onClick={() => onInspect(turn.runId)}>
              What was it given?
            </button>
          )}
        </div>
      </article>
    );
  }
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
    case 'problem':
      return <p class={item.kind}>{item.text}</p>;
  }
}

function Tool({ tool: { name, params, outcome } }: { tool: ToolContent }) {
  const isText = typeof params === 'string';
  return (
    <details class={outcome?.isError ? 'tool failed' : 'tool'}>
      <summary>
        <span class="name">{name}</span>
        <span class="brief">{shorten(isText ? params : (JSON.stringify(params) ?? ''), 200)}</span>
        <span class="time">{describeOutcome(outcome)}</span>
      </summary>
      <ScrollText label="Parameters">{isText ? params : JSON.stringify(params, null, 2)}</ScrollText>
      {outcome && <ScrollText label="Result">{outcome.content || '(nothing)'}</ScrollText>}
    </details>
  );
}

function describeOutcome(outcome: ToolContent['outcome']): string {
  if (!outcome) return 'running';
  if (outcome.isError) return 'failed';
  return outcome.ms === undefined ? 'done' : formatDuration(outcome.ms);
}
