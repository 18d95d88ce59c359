// The answers of `/v1/responses`: the object that a response is, and the events in which a stream tells it. The functions
// are pure; everything in them comes from the run, its turns and the request.

import type { JsonObject } from '../../protocol/json.ts';
import type { HandedCall } from '../../store/tables.ts';
import type { ClientTurn } from '../services/client-turns.ts';
import { isOver } from '../services/runs.ts';
import type { ErrorAnswer } from './error-answer.ts';
import { runFailure } from './run-failure.ts';

/** The fields of a request that its response repeats. */
export type AskedResponse = JsonObject;

/** For example `resp_0mh3k9q2x4f8c1d07a5be123_0`: the run, and which of its turns with the client. */
export function formatResponseId(runId: string, index: number): string {
  return `resp_${runId.replace(/^run_/, '')}_${index}`;
}

export function parseResponseId(id: string): { readonly runId: string; readonly index: number } | undefined {
  const [, run, index] = /^(?:resp|msg)_([0-9a-z]{24})_(\d{1,6})$/.exec(id) ?? [];
  return run === undefined ? undefined : { runId: `run_${run}`, index: Number(index) };
}

/** `fc_…` for `call_…` */
export function itemIdOfCall({ id }: Pick<HandedCall, 'id'>): string {
  return id.replace(/^call_/, 'fc_');
}

export interface ResponseFacts {
  readonly runId: string;
  readonly index: number;
  readonly createdAt: number;
  readonly asked: AskedResponse;
}

/** What a response has come to. */
export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  readonly text: string;
  readonly calls: readonly HandedCall[];
  readonly usage?: ClientTurn['usage'] | undefined;
  readonly failure?: ErrorAnswer | undefined;
  /** Why it is not complete. */
  readonly reason?: 'max_output_tokens' | 'content_filter' | undefined;
}

export const BEGUN: ResponseState = { status: 'in_progress', text: '', calls: [] };

/** `words` are those beside calls. */
export function stateOfTurn(
  { run, calls, usage }: Pick<ClientTurn, 'run' | 'calls' | 'usage'>,
  words: string,
): ResponseState {
  if (calls.length > 0) return { status: 'completed', text: words, calls, usage };
  if (run.status === 'queued') return { ...BEGUN, status: 'queued' };
  if (!isOver(run)) return BEGUN;
  const over = { ...run, status: run.status as Exclude<typeof run.status, 'queued'> };
  const failure = runFailure(over);
  const text = run.outcome?.reply ?? '';
  if (failure) return { status: run.status === 'stopped' ? 'cancelled' : 'failed', text: '', calls, usage, failure };
  const isWithheld =
    run.status === 'blocked' || run.outcome?.stop === 'refusal' || run.outcome?.suppressed !== undefined;
  const reason = isWithheld ? 'content_filter' : run.outcome?.stop === 'length' ? 'max_output_tokens' : undefined;
  return { status: reason ? 'incomplete' : 'completed', text, calls, usage, reason };
}

export function formatResponse({ runId, index, createdAt, asked }: ResponseFacts, state: ResponseState): JsonObject {
  const { status, failure, reason, usage } = state;
  return {
    id: formatResponseId(runId, index),
    object: 'response',
    created_at: Math.floor(createdAt / 1_000),
    status,
    background: false,
    error: failure ? { code: failure.code, message: failure.message } : null,
    incomplete_details: reason ? { reason } : null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    user: null,
    ...asked,
    output: outputOf(runId, index, state),
    usage: usage ? formatUsage(usage) : null,
  };
}

export function messageId(runId: string, index: number): string {
  return formatResponseId(runId, index).replace(/^resp_/, 'msg_');
}

/** A message that was cut is incomplete, as its response is. */
export function messageItem(id: string, text: string, of: ResponseState['status']): JsonObject {
  const content = of === 'in_progress' ? [] : [textPart(text)];
  const status = of === 'in_progress' || of === 'incomplete' ? of : 'completed';
  return { id, type: 'message', status, role: 'assistant', content };
}

export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

export function callItem(call: HandedCall, isDone: boolean): JsonObject {
  return {
    id: itemIdOfCall(call),
    type: 'function_call',
    status: isDone ? 'completed' : 'in_progress',
    call_id: call.id,
    name: call.name,
    arguments: isDone ? JSON.stringify(call.params) : '',
  };
}

function outputOf(runId: string, index: number, { status, text, calls }: ResponseState): JsonObject[] {
  if (status === 'queued' || status === 'in_progress' || status === 'failed' || status === 'cancelled') return [];
  const words = text === '' && calls.length > 0 ? [] : [messageItem(messageId(runId, index), text, status)];
  return [...words, ...calls.map((call) => callItem(call, true))];
}

function formatUsage({ input, output, cacheRead }: ClientTurn['usage']): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
