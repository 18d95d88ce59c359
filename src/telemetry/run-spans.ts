// Makes traces of facts, by the GenAI conventions of OpenTelemetry: a run is a span `invoke_agent`, and below it are its
// calls of models (`chat`), its tools (`execute_tool`) and its deliveries. A child stands below the tool call that spawned
// it, in the trace of its parent, and so does the run that reads its result. Ids are those that plugins are told, derived
// from what they name, so that a run which goes on after a restart is the same span.
// Promise: memory is bounded. There are no words of people or models in a span unless `content` asks for them, and then
// without what looks like a secret.

import { deliveryTrace } from '../facts/catalog.ts';
import type { FactName, Facts, ModelStep } from '../facts/facts.ts';
import type { FactListener } from '../facts/teller.ts';
import { childTrace, rootTrace, runTrace } from '../hooks/hook-trace.ts';
import { forgetOldest } from '../protocol/forget-oldest.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import { boundValue, RECORD_LIMITS } from '../recorder/bound-value.ts';
import type { Attributes, Span, SpanEvent } from './span.ts';

/** Which words of people and models are in spans. */
export interface SpanContent {
  readonly inputMessages: boolean;
  readonly outputMessages: boolean;
  readonly systemPrompt: boolean;
  readonly toolInputs: boolean;
  readonly toolOutputs: boolean;
}

export interface RunSpansSettings {
  readonly emit: (span: Span) => void;
  /** The share of traces that are made, from 0 to 1. */
  readonly sampleRate: number;
  readonly content: SpanContent;
  readonly now: () => number;
  /** Hides secrets in a text; by default those that Atrium knows. */
  readonly redact?: ((text: string) => string) | undefined;
}

const MAX_RUNS = 2_000;
const MAX_EVENTS = 64;

export class RunSpans {
  readonly #settings: RunSpansSettings;
  readonly #runs = new Map<string, RunTrace>();
  readonly #accepted = new Map<string, { readonly at: number; readonly channel: string }>();
  /** The run that spawned a child, by the key of the child. */
  readonly #parents = new Map<string, string>();
  /** The traces of runs that are over, because deliveries and children come later. */
  readonly #traces = new Map<string, string>();

  readonly #makers: { readonly [Name in FactName]?: (fact: Facts[Name]) => void } = {
    'message-accepted': ({ runId, acceptedAt: at, inbound, isForAgent }) => {
      if (isForAgent) keep(this.#accepted, runId, { at, channel: inbound.surface.channel });
    },
    'run-started': (fact) => this.#begin(fact),
    'model-called': (fact) => this.#ask(fact),
    'model-ended': (fact) => this.#answer(fact),
    'tool-started': ({ run: { runId }, call }) => {
      this.#runs.get(runId)?.tools.set(call.id, this.#settings.now());
    },
    'tool-ended': (fact) => this.#endTool(fact),
    'approval-asked': ({ runId, approval }) =>
      this.#note(runId, 'approval asked', { 'gen_ai.tool.name': approval.toolName }),
    'approval-answered': ({ runId, decision }) => this.#note(runId, 'approval answered', { decision }),
    'wait-begun': ({ runId }) => this.#note(runId, 'wait begun', {}),
    'wait-ended': ({ runId, outcome }) => this.#note(runId, 'wait ended', { outcome }),
    'gate-blocked': ({ run, by }) => this.#note(run.runId, 'blocked', { by }),
    'reply-claimed': ({ run, by }) => this.#note(run.runId, 'answered by a plugin', { by }),
    'handler-called': ({ runId, hook, owner, outcome }) => {
      if (runId !== undefined && outcome !== 'done' && outcome !== 'aborted')
        this.#note(runId, 'handler failed', { hook, owner, outcome });
    },
    'child-spawned': ({ child }) => keep(this.#parents, child.childKey, child.parentRunId),
    'delivery-ended': (fact) => this.#deliver(fact),
    'run-ended': (fact) => this.#end(fact),
  };

  constructor(settings: RunSpansSettings) {
    this.#settings = settings;
  }

  readonly listen: FactListener = (name, fact) => {
    (this.#makers[name] as ((fact: unknown) => void) | undefined)?.(fact);
  };

  #begin({ run: { runId, agentId, session }, startedAt, spawnedBy, told = [] }: Facts['run-started']): void {
    if (this.#runs.has(runId)) return;
    const accepted = this.#accepted.get(runId);
    const asked = told.map((childKey) => this.#parents.get(childKey)).find((parent) => parent !== undefined);
    const cause = spawnedBy?.runId ?? asked;
    const traceId = cause === undefined ? rootTrace(runId).traceId : this.#traceOf(cause);
    const parentSpanId = spawnedBy
      ? childTrace(runTrace(spawnedBy.runId), `tool ${spawnedBy.toolCallId}`).spanId
      : asked !== undefined
        ? runTrace(asked).spanId
        : accepted && rootTrace(runId).spanId;
    const isRoot = cause === undefined;
    if (accepted && isRoot) {
      this.#emit({
        traceId,
        spanId: rootTrace(runId).spanId ?? '',
        name: `receive ${accepted.channel}`,
        kind: 'consumer',
        startedAt: accepted.at,
        endedAt: startedAt,
        attributes: { 'atrium.run.id': runId, 'atrium.channel': accepted.channel },
        isError: false,
      });
    }
    this.#accepted.delete(runId);
    const place = { agentId, sessionId: session.sessionId };
    keep(this.#runs, runId, {
      traceId,
      parentSpanId,
      startedAt,
      ...place,
      events: [],
      tools: new Map(),
      asked: new Map(),
    });
    keep(this.#traces, runId, traceId);
  }

  /** The words of a request are remembered only when they are wanted, until the answer is there. */
  #ask({ run: { runId }, step, system, messages }: Facts['model-called']): void {
    const { inputMessages, systemPrompt } = this.#settings.content;
    if (!inputMessages && !systemPrompt) return;
    this.#runs.get(runId)?.asked.set(step, {
      ...(systemPrompt && {
        'gen_ai.system_instructions': shown(
          system.map(({ text }) => ({ type: 'text', content: text })),
          this.#settings.redact,
        ),
      }),
      ...(inputMessages && { 'gen_ai.input.messages': shown(messages.map(messageOf), this.#settings.redact) }),
    });
  }

  #answer({ run: { runId }, model, step, completed, end, timeToFirstByteMs }: Facts['model-ended']): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    const { usage, ms, call, text = '', toolCalls = [] } = completed;
    const isError = end.stop === 'error' || end.stop === 'aborted';
    const endedAt = this.#settings.now();
    const words = this.#settings.content.outputMessages
      ? { 'gen_ai.output.messages': shown([answerOf(text, toolCalls, end.stop)], this.#settings.redact) }
      : {};
    this.#emit({
      ...this.#below(runId, run, `model ${step}`),
      name: `chat ${model.model}`,
      kind: 'client',
      startedAt: endedAt - ms,
      endedAt,
      attributes: {
        ...modelAttributes('chat', model),
        'gen_ai.conversation.id': run.sessionId,
        'gen_ai.response.finish_reasons': [end.stop],
        'gen_ai.usage.input_tokens': usage.input,
        'gen_ai.usage.output_tokens': usage.output,
        'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
        'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
        'gen_ai.response.time_to_first_chunk': timeToFirstByteMs === undefined ? undefined : timeToFirstByteMs / 1_000,
        'error.type': isError ? (end.error?.kind ?? end.stop) : undefined,
        'atrium.run.id': runId,
        'atrium.model.call': call,
        'atrium.model.cost': completed.cost,
        ...run.asked.get(step),
        ...words,
      },
      isError,
    });
    run.asked.delete(step);
  }

  #endTool({ run: { runId }, call, isError, ms, content }: Facts['tool-ended']): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    const endedAt = this.#settings.now();
    const { toolInputs, toolOutputs } = this.#settings.content;
    this.#emit({
      ...this.#below(runId, run, `tool ${call.id}`),
      name: `execute_tool ${call.name}`,
      kind: 'internal',
      startedAt: run.tools.get(call.id) ?? endedAt - ms,
      endedAt,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.name,
        'gen_ai.tool.call.id': call.id,
        'gen_ai.tool.type': 'function',
        'gen_ai.conversation.id': run.sessionId,
        'error.type': isError ? 'tool_error' : undefined,
        'atrium.run.id': runId,
        ...(toolInputs && { 'gen_ai.tool.call.arguments': shown(call.params, this.#settings.redact) }),
        ...(toolOutputs && { 'gen_ai.tool.call.result': shown(content, this.#settings.redact) }),
      },
      isError,
    });
    run.tools.delete(call.id);
  }

  #deliver({ runId, part, surface, outcome, text }: Facts['delivery-ended']): void {
    const at = this.#settings.now();
    const { spanId = '', parentSpanId } = deliveryTrace(runId, part);
    // A message that is no answer of a run, such as a question for a person, has a trace of its own.
    const isOfRun = this.#traces.has(runId);
    this.#emit({
      traceId: this.#traceOf(runId),
      spanId,
      parentSpanId: isOfRun ? parentSpanId : undefined,
      name: `send ${surface.channel}`,
      kind: 'producer',
      startedAt: at,
      endedAt: at,
      attributes: {
        'atrium.run.id': runId,
        'atrium.channel': surface.channel,
        'atrium.delivery.part': part,
        'atrium.delivery.outcome': outcome,
        'atrium.delivery.characters': text.length,
        'error.type': outcome === 'dead' ? 'dead_letter' : undefined,
      },
      isError: outcome === 'dead',
    });
  }

  #end({ runId, status, errorCode, usage }: Facts['run-ended']): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    this.#runs.delete(runId);
    const { traceId, parentSpanId, startedAt, agentId, sessionId, events } = run;
    this.#emit({
      traceId,
      spanId: runTrace(runId).spanId ?? '',
      parentSpanId,
      name: `invoke_agent ${agentId}`,
      kind: 'internal',
      startedAt,
      endedAt: this.#settings.now(),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agentId,
        'gen_ai.agent.name': agentId,
        'gen_ai.conversation.id': sessionId,
        'gen_ai.usage.input_tokens': usage?.input,
        'gen_ai.usage.output_tokens': usage?.output,
        'error.type': status === 'failed' ? (errorCode ?? 'failed') : undefined,
        'atrium.run.id': runId,
        'atrium.run.status': status,
      },
      events,
      isError: status === 'failed',
    });
  }

  #note(runId: string, name: string, attributes: Attributes): void {
    const run = this.#runs.get(runId);
    if (run && run.events.length < MAX_EVENTS) run.events.push({ name, at: this.#settings.now(), attributes });
  }

  #below(runId: string, { traceId }: RunTrace, step: string): Pick<Span, 'traceId' | 'spanId' | 'parentSpanId'> {
    const { spanId = '', parentSpanId } = childTrace(runTrace(runId), step);
    return { traceId, spanId, parentSpanId };
  }

  #traceOf(runId: string): string {
    return this.#traces.get(runId) ?? rootTrace(runId).traceId;
  }

  /** A trace is made whole or not at all, because its id decides. */
  #emit(span: Span): void {
    const share = Number.parseInt(span.traceId.slice(0, 8), 16) / 2 ** 32;
    if (share < this.#settings.sampleRate) this.#settings.emit(span);
  }
}

interface RunTrace {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  readonly startedAt: number;
  readonly agentId: string;
  readonly sessionId: string;
  readonly events: SpanEvent[];
  /** When each tool call began. */
  readonly tools: Map<string, number>;
  /** The words of each request that has no answer yet. */
  readonly asked: Map<string, Attributes>;
}

function modelAttributes(operation: string, { provider, model }: ModelStep['model']): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  };
}

/** Words as they may be sent away: bounded, and without what looks like a secret. */
function shown(value: unknown, redact: ((text: string) => string) | undefined): string {
  const bounded = boundValue(value, RECORD_LIMITS, redact);
  return typeof bounded === 'string' ? bounded : JSON.stringify(bounded);
}

/** A message in the form of the GenAI conventions. */
function messageOf(message: Message): object {
  if (message.role === 'user') return { role: 'user', parts: [{ type: 'text', content: message.content }] };
  if (message.role === 'assistant') return { role: 'assistant', parts: message.content.map(partOf) };
  return {
    role: 'tool',
    parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }],
  };
}

function partOf(part: AssistantMessage['content'][number]): object {
  if (part.type === 'text') return { type: 'text', content: part.text };
  return { type: 'tool_call', id: part.id, name: part.name, arguments: part.params };
}

function answerOf(
  text: string,
  toolCalls: readonly { readonly id: string; readonly name: string; readonly params: unknown }[],
  stop: string,
): object {
  return {
    role: 'assistant',
    parts: [
      ...(text === '' ? [] : [{ type: 'text', content: text }]),
      ...toolCalls.map(({ id, name, params }) => ({ type: 'tool_call', id, name, arguments: params })),
    ],
    finish_reason: stop,
  };
}

/** The oldest is forgotten when there are too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, MAX_RUNS);
}
