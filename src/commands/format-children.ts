// Subagents as lines that people read, in a chat and in a terminal: one line each, those that they spawned below them.

import type { ChildState, ChildView } from '../protocol/child-view.ts';
import { childName } from '../protocol/child-view.ts';
import { countOf } from '../protocol/count-of.ts';
import { formatCost, type UsageSum } from '../protocol/usage.ts';
import { chatLine, describeDuration } from './chat-text.ts';

export const CHILD_STATE_WORDS: Readonly<Record<ChildState, string>> = {
  queued: 'has not begun',
  running: 'works',
  waiting: 'waits',
  stopping: 'is being stopped',
  ok: 'done',
  error: 'failed',
  timeout: 'timed out',
  killed: 'stopped',
  reset: 'given up, because its session was reset',
  deleted: 'given up, because its session was deleted',
};

const LONGEST_NAME = 80;

/** `indent` is what stands before the lines of the first level. */
export function formatChildren(children: readonly ChildView[], indent = ''): readonly string[] {
  return children.flatMap((child) => [
    `${indent}- ${chatLine(childName(child), LONGEST_NAME)} [${shortKey(child)}]: ${describeChild(child)}`,
    ...formatChildren(child.children, `${indent}  `),
  ]);
}

/** For example `works, 12 s, 1,200 tokens in, 30 out, cost 0.0125`. */
export function describeChild({ state, startedAt, elapsedMs, own, all }: ChildView): string {
  return [
    CHILD_STATE_WORDS[state],
    ...(startedAt === null ? [] : [describeDuration(elapsedMs)]),
    ...(own.calls === 0 ? [] : [describeSpent(own)]),
    ...(all.calls === own.calls ? [] : [`with its subagents ${describeSpent(all)}`]),
  ].join(', ');
}

/** One subagent with its task and what it answered, each cut to a length for a chat. */
export function formatChild(child: ChildView, longest = 2_000): string {
  const { sessionKey, agentId, task, result, error, children } = child;
  return [
    `${chatLine(childName(child), LONGEST_NAME)}: ${describeChild(child)}`,
    `Session: ${sessionKey}`,
    `Agent: ${agentId}`,
    `Task: ${chatLine(task, longest)}`,
    ...(result === null ? [] : [`Result: ${chatLine(result, longest)}`]),
    ...(error === null ? [] : [`Error: ${chatLine(error, longest)}`]),
    ...(children.length === 0 ? [] : ['Subagents:', ...formatChildren(children)]),
  ].join('\n');
}

/** The beginning of the last part of its key, which is enough to name it. */
export function shortKey({ sessionKey }: ChildView): string {
  return sessionKey.slice(sessionKey.lastIndexOf(':') + 1).slice(0, 8);
}

function describeSpent(sum: UsageSum): string {
  return `${countOf(sum.input, 'token')} in, ${sum.output.toLocaleString('en-US')} out, cost ${formatCost(sum)}`;
}
