// One thing that happened in a turn: words, thoughts, a tool call, an approval, a note or a failure.

import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { FlowItem, ToolContent } from '../talk/turn.ts';
import { ApprovalCard } from './approval-card.tsx';
import { FileList, type LoadFile } from './file-list.tsx';
import { formatDuration, shorten } from './format.ts';
import { Icon } from './icon.tsx';
import { ScrollText } from './scroll-text.tsx';
import { Words } from './words.tsx';

export interface FlowItemViewProps {
  readonly item: FlowItem;
  /** For a tool: it was not allowed to run. */
  readonly isRefused: boolean;
  readonly isGrowing: boolean;
  onAnswer(approvalId: string, decision: ApprovalDecision): void;
  readonly loadFile: LoadFile;
}

export function FlowItemView({ item, isRefused, isGrowing, onAnswer, loadFile }: FlowItemViewProps) {
  switch (item.kind) {
    case 'draft':
    case 'words':
      return <Words text={item.text} />;
    case 'thoughts':
      return <Thoughts text={item.text} isGrowing={isGrowing} />;
    case 'part':
      return (
        <>
          {item.text !== '' && <Words text={item.text} isPart />}
          {item.files && <FileList files={item.files} load={loadFile} />}
        </>
      );
    case 'tool':
      return <Tool tool={item} isRefused={isRefused} />;
    case 'approval':
      return <ApprovalCard approval={item.approval} onAnswer={onAnswer} />;
    case 'notice':
      return (
        <p class="notice" dir="auto">
          {item.text}
        </p>
      );
    case 'problem':
      return (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p class="problem">{item.text}</p>
        </div>
      );
  }
}

/** While the model thinks, the last line can be seen; the rest is folded. */
function Thoughts({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const lines = text.trimEnd().split('\n');
  return (
    <details class={isGrowing ? 'thoughts growing' : 'thoughts'}>
      <summary>
        <Icon name="chevron" size={14} />
        <span class="name">{isGrowing ? 'Thinking…' : 'Thoughts'}</span>
        {isGrowing && <span class="brief">{shorten(lines.at(-1) ?? '', 160)}</span>}
      </summary>
      <div class="thought-text" dir="auto">
        {text.trim()}
      </div>
    </details>
  );
}

function Tool({ tool: { name, params, outcome }, isRefused }: { tool: ToolContent; isRefused: boolean }) {
  const isText = typeof params === 'string';
  const state = !outcome ? 'tool running' : outcome.isError ? 'tool failed' : 'tool';
  return (
    <details class={state}>
      <summary>
        <Icon name="tool" size={16} />
        <span class="name">{name}</span>
        <span class="brief">{shorten(isText ? params : briefOf(params), 200)}</span>
        <span class="time">{isRefused && outcome ? 'not run' : describeOutcome(outcome)}</span>
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
