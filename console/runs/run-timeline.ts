// What happened in a run, on one line of time: hooks, model calls, tools, approvals, subagents. It is put together from
// what the gateway keeps about the run; where an end is not kept, the next thing that happened ends it. Pure.

import type { ChildView } from '../../src/protocol/child-view.ts';
import type { CalledHook, RunCall, ToldApproval, ToldRun, TranscriptEntry } from '../client/gateway-client.ts';

export interface RunFacts {
  readonly run: ToldRun;
  readonly calls: readonly RunCall[];
  readonly hooks: readonly CalledHook[];
  /** The entries of this run. */
  readonly entries: readonly TranscriptEntry[];
  readonly approvals: readonly ToldApproval[];
  readonly subagents: readonly ChildView[];
}

export interface TimelineRow {
  readonly kind: 'hook' | 'model' | 'tool' | 'approval' | 'subagent';
  readonly label: string;
  readonly detail: string;
  readonly start: number;
  readonly ms: number;
  readonly isFault: boolean;
}

export function runTimeline(facts: RunFacts): readonly TimelineRow[] {
  const rows = [
    ...hookRows(facts),
    ...modelRows(facts),
    ...toolRows(facts),
    ...approvalRows(facts),
    ...childRows(facts),
  ];
  return rows.toSorted((one, other) => one.start - other.start);
}

function hookRows({ hooks }: RunFacts): readonly TimelineRow[] {
  return hooks.map(({ hook, handler, owner, at, ms, outcome, error, changed }) => ({
    kind: 'hook',
    label: hook,
    detail: [
      owner === handler ? owner : `${handler} of ${owner}`,
      changed.length > 0 ? `changed ${changed.join(', ')}` : 'changed nothing',
      ...(outcome === 'done' ? [] : [error === null ? outcome : `${outcome}: ${error}`]),
    ].join(' · '),
    start: at,
    ms,
    isFault: outcome !== 'done',
  }));
}

/** The n-th answer in the transcript ends the n-th call. */
function modelRows({ run, calls, entries }: RunFacts): readonly TimelineRow[] {
  const answers = entries.filter(({ kind, message }) => kind === 'message' && message.role === 'assistant');
  return calls.map(({ call, at, provider, model, size }, index) => {
    const end = answers[index]?.at ?? run.endedAt ?? at;
    const isFault = answers[index] === undefined && run.status === 'failed';
    return {
      kind: 'model',
      label: `Model call ${call}`,
      detail: `${provider}/${model} · ${size.toLocaleString('en-US')} bytes sent${isFault ? ` · ${run.outcome?.error ?? 'failed'}` : ''}`,
      start: at,
      ms: Math.max(0, end - at),
      isFault,
    };
  });
}

function toolRows({ entries }: RunFacts): readonly TimelineRow[] {
  return entries.flatMap(({ message, at }, index): TimelineRow[] => {
    if (message.role !== 'tool') return [];
    const start = entries[index - 1]?.at ?? at;
    return [
      {
        kind: 'tool',
        label: message.toolName,
        detail: message.content.slice(0, 160),
        start,
        ms: at - start,
        isFault: message.isError === true,
      },
    ];
  });
}

function approvalRows({ run, approvals }: RunFacts): readonly TimelineRow[] {
  return approvals.map(({ title, createdAt, decidedAt, decision, decidedBy, status }) => ({
    kind: 'approval',
    label: title,
    detail:
      status === 'waiting'
        ? 'waits for a person'
        : `${decision ?? 'void'}${decidedBy === null ? '' : ` by ${decidedBy}`}`,
    start: createdAt,
    ms: (decidedAt ?? run.endedAt ?? Date.now()) - createdAt,
    isFault: decision === 'timeout',
  }));
}

function childRows({ subagents }: RunFacts): readonly TimelineRow[] {
  return subagents.map(({ label, taskName, task, state, createdAt, startedAt, elapsedMs, error }) => ({
    kind: 'subagent',
    label: label ?? taskName ?? task.slice(0, 60),
    detail: error === null ? state : `${state}: ${error}`,
    start: startedAt ?? createdAt,
    ms: elapsedMs,
    isFault: state === 'error' || state === 'timeout',
  }));
}
