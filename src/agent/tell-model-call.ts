// Tells `model_call_started` and `model_call_ended` of one exchange with a provider, whatever it was for. What they carry
// may be counted and shipped: names, sizes and times, and no word of what was sent or answered.

import { createHash } from 'node:crypto';
import type { ModelCallStartedEvent } from '../hooks/agent-hooks.ts';
import type { HookContext } from '../hooks/hook-context.ts';
import { inStep } from '../hooks/hook-trace.ts';
import type { Model, ModelEnd, WireRequest } from '../models/model.ts';
import { contextWindowFor, modelContextOf } from './model-context.ts';
import type { Turn } from './open-turn.ts';
import type { RunParts } from './run-parts.ts';

/** `step` is unlike for every time that a provider is asked within a run. */
export function tellModelCallStarted(parts: RunParts, turn: Turn, model: Model, step: string): void {
  if (!parts.hooks.has('model_call_started')) return;
  parts.hooks.observe('model_call_started', factsOf(parts, turn, model, step), contextOf(parts, turn, model, step));
}

export function tellModelCallEnded(
  parts: RunParts,
  turn: Turn,
  model: Model,
  step: string,
  call: {
    readonly wire: WireRequest;
    readonly end: ModelEnd;
    readonly startedAt: number;
    readonly firstByteAt: number | undefined;
  },
): void {
  if (!parts.hooks.has('model_call_ended')) return;
  const { wire, end, startedAt, firstByteAt } = call;
  const hasFailed = end.stop === 'error' || end.stop === 'aborted';
  parts.hooks.observe(
    'model_call_ended',
    {
      ...factsOf(parts, turn, model, step),
      durationMs: parts.now() - startedAt,
      outcome: hasFailed ? 'error' : 'completed',
      ...(end.error ? { errorCategory: end.error.kind } : {}),
      ...failureKindOf(end),
      requestPayloadBytes: Buffer.byteLength(wire.body),
      ...(end.responseBytes === undefined ? {} : { responseStreamBytes: end.responseBytes }),
      ...(firstByteAt === undefined ? {} : { timeToFirstByteMs: firstByteAt - startedAt }),
      ...(end.requestId === undefined ? {} : { upstreamRequestIdHash: hashOf(end.requestId) }),
    },
    contextOf(parts, turn, model, step),
  );
}

function factsOf(parts: RunParts, turn: Turn, model: Model, step: string): ModelCallStartedEvent {
  return {
    runId: turn.runId,
    callId: `${turn.runId}:${step}`,
    sessionKey: turn.sessionKey,
    sessionId: turn.session.sessionId,
    provider: model.provider,
    model: model.model,
    api: model.api,
    transport: 'http',
    ...contextWindowFor(model, parts.compaction(turn.agentId)),
  };
}

/** A summary may be written by another model than the run's. */
function contextOf(parts: RunParts, turn: Turn, model: Model, step: string): HookContext {
  const context = { ...turn.context, ...modelContextOf(model, parts.compaction(turn.agentId)) };
  return inStep(context, `model ${step}`);
}

/** How a connection ended that did not end well, in the plugin contract's words; other failures have none. */
function failureKindOf({ stop, error }: ModelEnd): { readonly failureKind?: string } {
  if (stop === 'aborted') return { failureKind: 'aborted' };
  if (error?.kind === 'timeout') return { failureKind: 'timeout' };
  return error?.kind === 'network' ? { failureKind: 'connection_closed' } : {};
}

function hashOf(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 16);
}
