// What happened in a run, on one line of time: its wait in the inbox, composition, handlers, model calls, tools, approvals,
// subagents and delivery. It is put together from the rows of the run and from its trajectory, which alone knows when a
// model began to answer and when a part arrived. Without a trajectory, the next thing that was stored ends a step. It is pure.

import type { ChildView } from '../../protocol/child-view.ts';
import { isJsonObject, type JsonValue } from '../../protocol/json.ts';
import { clip } from '../../protocol/one-line.ts';
import { STEP_KINDS, type TimelineStep } from '../../protocol/timeline-step.ts';
import type { ApprovalRow, CaptureRow, InboxRow, OutboxRow, TranscriptRow } from '../../store/tables.ts';
import type { ShownHookRecord } from './read-run.ts';
import type { TraceLine } from './read-trace.ts';
import type { FoundRun } from './runs.ts';

export interface TimelineFacts {
  readonly run: Pick<FoundRun, 'status' | 'startedAt' | 'endedAt' | 'outcome'>;
  readonly inbox: Pick<InboxRow, 'kind' | 'acceptedAt'> | undefined;
  readonly calls: readonly Pick<CaptureRow, 'call' | 'at' | 'provider' | 'model' | 'size'>[];
  readonly hooks: readonly ShownHookRecord[];
  /** The entries of this run, in order. */
  readonly entries: readonly Pick<TranscriptRow, 'at' | 'kind' | 'message'>[];
  readonly approvals: readonly Omit<ApprovalRow, 'digest'>[];
  readonly subagents: readonly ChildView[];
  readonly deliveries: readonly Pick<OutboxRow, 'part' | 'surface' | 'status' | 'attempts' | 'createdAt' | 'error'>[];
  /** The records of the run's trajectory; empty when there are none. */
  readonly trace: readonly TraceLine[];
}

export function runTimeline(facts: TimelineFacts): readonly TimelineStep[] {
  const steps = [
    ...inboxSteps(facts),
    ...compositionSteps(facts),
    ...facts.hooks.map(hookStep),
    ...modelSteps(facts),
    ...toolSteps(facts),
    ...facts.approvals.map(approvalStep),
    ...facts.subagents.map(childStep),
    ...deliverySteps(facts),
  ];
  // What began at the same moment stands in the order of the life of a message.
  return steps.toSorted((one, other) => one.at - other.at || orderOf(one) - orderOf(other));
}

function orderOf({ kind }: TimelineStep): number {
  return STEP_KINDS.indexOf(kind);
}

function inboxSteps({ run, inbox }: TimelineFacts): readonly TimelineStep[] {
  if (!inbox) return [];
  const isWaiting = run.status === 'queued';
  const ms = isWaiting ? null : Math.max(0, run.startedAt - inbox.acceptedAt);
  const detail = isWaiting ? 'waits for its turn' : 'accepted, until its turn had come';
  return [{ kind: 'inbox', label: `Inbox: ${inbox.kind}`, detail, at: inbox.acceptedAt, ms, isFault: false }];
}

function compositionSteps({ run, trace }: TimelineFacts): readonly TimelineStep[] {
  const done = trace.filter(({ type }) => type === 'context.compiled');
  return done.map(({ at, data }) => {
    const before = trace.filter((line) => line.type === 'session.started' && line.at <= at).at(-1);
    const start = before?.at ?? run.startedAt;
    const { chars = 0, files = 0, cuts = 0, absences = 0 } = data;
    const detail = [
      `${Number(chars).toLocaleString('en-US')} characters`,
      `${files} files`,
      ...(cuts === 0 ? [] : [`${cuts} cut`]),
      ...(absences === 0 ? [] : [`${absences} left out`]),
    ].join(', ');
    return {
      kind: 'composition',
      label: 'Composition',
      detail,
      at: start,
      ms: Math.max(0, at - start),
      isFault: false,
    };
  });
}

function hookStep({ hook, handler, owner, at, ms, outcome, error, changed, diff }: ShownHookRecord): TimelineStep {
  const isFault = outcome !== 'done';
  return {
    kind: 'hook',
    label: hook,
    detail: [
      owner === handler ? owner : `${handler} of ${owner}`,
      changed.length > 0 ? `decided ${changed.join(', ')}` : 'changed nothing',
      ...(isFault ? [error === null ? outcome : `${outcome}: ${error}`] : []),
    ].join(' · '),
    at,
    ms,
    isFault,
    changed,
    diff,
  };
}

/** A call that is repeated has one request and several ends; the n-th answer in the transcript ends the n-th call. */
function modelSteps({ run, calls, entries, trace }: TimelineFacts): readonly TimelineStep[] {
  const answers = entries.filter(({ kind, message }) => kind === 'message' && message.role === 'assistant');
  return calls.flatMap(({ call, at, provider, model, size }, index): TimelineStep[] => {
    const sent = `${provider}/${model} · ${size.toLocaleString('en-US')} bytes sent`;
    const ends = trace.filter(({ type, data }) => type === 'model.completed' && data.call === call);
    if (ends.length > 0) return ends.map((line, attempt) => endedCall(line, { call, sent, attempt }));
    const end = answers[index]?.at ?? run.endedAt;
    const isFault = answers[index] === undefined && run.status === 'failed';
    const detail = isFault ? `${sent} · ${run.outcome?.error ?? 'failed'}` : sent;
    const ms = end === null || end === undefined ? null : Math.max(0, end - at);
    return [{ kind: 'model', label: `Model call ${call}`, detail, at, ms, isFault, call }];
  });
}

function endedCall(
  { at: endedAt, data }: TraceLine,
  { call, sent, attempt }: { readonly call: number; readonly sent: string; readonly attempt: number },
): TimelineStep {
  const { ms = 0, stop, usage, firstByteMs, error } = data;
  const took = Number(ms);
  const isFault = stop === 'error' || stop === 'aborted';
  const count = (value: JsonValue | undefined) => Number(value ?? 0).toLocaleString('en-US');
  const tokens = isJsonObject(usage) ? `${count(usage.input)} tokens in, ${count(usage.output)} out` : '';
  return {
    kind: 'model',
    label: `Model call ${call}${attempt === 0 ? '' : `, attempt ${attempt + 1}`}`,
    detail: [sent, ...(isFault ? [textOf(error) || String(stop)] : [tokens])].filter(Boolean).join(' · '),
    at: endedAt - took,
    ms: took,
    isFault,
    call,
    ...(typeof firstByteMs === 'number' && { firstByteMs }),
  };
}

function toolSteps({ entries, trace }: TimelineFacts): readonly TimelineStep[] {
  const ended = trace.filter(({ type }) => type === 'tool.ended');
  return entries.flatMap(({ message, at }, index): TimelineStep[] => {
    if (message.role !== 'tool') return [];
    const own = ended.find(({ data }) => data.toolCallId === message.toolCallId);
    const ms = own ? Number(own.data.ms) : at - (entries[index - 1]?.at ?? at);
    return [
      {
        kind: 'tool',
        label: message.toolName,
        detail: clip(message.content, 160),
        at: (own?.at ?? at) - ms,
        ms,
        isFault: message.isError === true,
      },
    ];
  });
}

function approvalStep(approval: Omit<ApprovalRow, 'digest'>): TimelineStep {
  const { title, createdAt, decidedAt, decision, decidedBy, status } = approval;
  const by = decidedBy === null ? '' : ` by ${decidedBy}`;
  return {
    kind: 'approval',
    label: title,
    detail: status === 'waiting' ? 'waits for a person' : `${decision ?? 'void'}${by}`,
    at: createdAt,
    ms: decidedAt === null ? null : decidedAt - createdAt,
    isFault: decision === 'timeout',
  };
}

function childStep(child: ChildView): TimelineStep {
  const { label, taskName, task, state, createdAt, startedAt, endedAt, elapsedMs, error, sessionKey } = child;
  return {
    kind: 'subagent',
    label: label ?? taskName ?? clip(task, 60),
    detail: error === null ? state : `${state}: ${error}`,
    at: startedAt ?? createdAt,
    ms: endedAt === null ? null : elapsedMs,
    isFault: state === 'error' || state === 'timeout',
    sessionKey,
  };
}

function deliverySteps({ deliveries, trace }: TimelineFacts): readonly TimelineStep[] {
  const ended = trace.filter(({ type }) => type === 'delivery.ended');
  return deliveries.map(({ part, surface, status, attempts, createdAt, error }) => {
    const end = ended.findLast(({ data }) => data.part === part);
    const tries = attempts > 1 ? `, ${attempts} attempts` : '';
    return {
      kind: 'delivery',
      label: deliveries.length > 1 ? `Delivery, part ${part + 1}` : 'Delivery',
      detail: `${surface.channel}: ${status}${tries}${error === null ? '' : ` · ${error}`}`,
      at: createdAt,
      ms: end ? Math.max(0, end.at - createdAt) : null,
      isFault: status === 'failed' || status === 'dead',
    };
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
