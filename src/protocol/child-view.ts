// A subagent as people, programs and models are shown it: what it was asked, how it stands, what it has used, and what it
// has spawned itself. It is plain data; where it comes from is not known here.

import type { UsageSum } from './usage.ts';

export const CHILD_STATES = [
  /** Its first run has not begun. */
  'queued',
  'running',
  /** It waits for its own subagents, for a person, or for its next turn. */
  'waiting',
  /** It was told to end and has not ended yet. */
  'stopping',
  'ok',
  'error',
  'timeout',
  'killed',
  'reset',
  'deleted',
] as const;
export type ChildState = (typeof CHILD_STATES)[number];

export interface ChildView {
  readonly sessionKey: string;
  readonly parentKey: string;
  /** The run that spawned it. */
  readonly parentRunId: string;
  readonly agentId: string;
  /** 1 for the subagent of a session that no other session spawned. */
  readonly depth: number;
  readonly mode: 'run' | 'session';
  readonly taskName: string | null;
  readonly label: string | null;
  /** In lists only the beginning. */
  readonly task: string;
  readonly state: ChildState;
  readonly createdAt: number;
  /** Null until its first run has begun. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Milliseconds from its start to its end, or until now. */
  readonly elapsedMs: number;
  /** In lists only the beginning. */
  readonly result: string | null;
  readonly error: string | null;
  /** What its own runs have used. */
  readonly own: UsageSum;
  /** The same with all its descendants. */
  readonly all: UsageSum;
  readonly children: readonly ChildView[];
}

/** What people call it: its label, the name of its task, or the beginning of the task. */
export function childName({ label, taskName, task, sessionKey }: ChildView): string {
  return label ?? taskName ?? (task || sessionKey);
}

/** A subagent that has not ended. */
export function isChildActive({ endedAt }: Pick<ChildView, 'endedAt'>): boolean {
  return endedAt === null;
}

/** The subagents with all below them, parents first. */
export function flattenChildren(children: readonly ChildView[]): readonly ChildView[] {
  return children.flatMap((child) => [child, ...flattenChildren(child.children)]);
}
