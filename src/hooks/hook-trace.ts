// The ids by which a telemetry plugin puts what it is told into one tree. They are derived from what they name, so that
// two processes that know the same run tell the same trace: what came in stands at the root, the run below it, and
// model calls, tool calls and deliveries below the run. The forms are those of W3C trace contexts.

import { createHash } from 'node:crypto';
import type { HookContext, HookTrace } from './hook-context.ts';

/** What came in, or happened by itself: the root of everything that follows from it. */
export function rootTrace(subject: string, name = 'trigger'): HookTrace {
  return { traceId: hex(subject, 32), spanId: hex(`${subject} ${name}`, 16), callDepth: 0 };
}

/** A run is one span, whichever attempt carries it on. */
export function runTrace(runId: string): HookTrace {
  return childTrace(rootTrace(runId), 'run');
}

/** A step inside of something. The same name below the same parent is the same step. */
export function childTrace(parent: HookTrace, name: string): HookTrace {
  const { traceId, spanId = '', callDepth = 0 } = parent;
  return { traceId, spanId: hex(`${traceId} ${spanId} ${name}`, 16), parentSpanId: spanId, callDepth: callDepth + 1 };
}

/** A context that tells of a step below the one that it told of. */
export function inStep<Context extends HookContext>(context: Context, name: string): Context {
  return context.trace ? { ...context, trace: childTrace(context.trace, name) } : context;
}

function hex(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
