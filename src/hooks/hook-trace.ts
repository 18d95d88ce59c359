// The ids by which a telemetry plugin arranges what it is told into one tree. An id is derived from what it names, so
// that two processes which know the same run compute the same trace: the trigger is the root, the run stands below it,
// and model calls, tool calls and deliveries stand below the run. The forms are those of W3C trace contexts.

import { hash } from 'node:crypto';
import type { HookContext, HookTrace } from './hook-context.ts';

/**
 * The trace of a trigger: a message that came in, or an event such as a schedule. It is the root of everything that
 * follows from it.
 */
export function rootTrace(subject: string, name = 'trigger'): HookTrace {
  return { traceId: hex(subject, 32), spanId: hex(`${subject} ${name}`, 16), callDepth: 0 };
}

/** A run is one span, also when several attempts carry it on. */
export function runTrace(runId: string): HookTrace {
  return childTrace(rootTrace(runId), 'run');
}

/** A step below another span. The same name below the same parent gives the same step. */
export function childTrace(parent: HookTrace, name: string): HookTrace {
  const { traceId, spanId = '', callDepth = 0 } = parent;
  return { traceId, spanId: hex(`${traceId} ${spanId} ${name}`, 16), parentSpanId: spanId, callDepth: callDepth + 1 };
}

/** The same context, moved to a step below its current one. */
export function inStep<Context extends HookContext>(context: Context, name: string): Context {
  return context.trace ? { ...context, trace: childTrace(context.trace, name) } : context;
}

function hex(text: string, digits: number): string {
  return hash('sha256', text, 'hex').slice(0, digits);
}
