// The formats in which OpenAI's clients expect an answer. The functions are pure.

import type { Usage } from '../../protocol/usage.ts';
import type { HandedCall, RunRow } from '../../store/tables.ts';

export interface AnswerFacts {
  readonly runId: string;
  readonly model: string;
  readonly createdAt: number;
}

/** How a run stands when its client is answered. Without a usage of its own, the usage of the run counts. */
export interface AnswerOfRun {
  readonly run: Pick<RunRow, 'status' | 'outcome'>;
  readonly calls: readonly HandedCall[];
  readonly usage: Usage | undefined;
}

/** An answer that asks the client to run its own tools. */
export function formatCalls(facts: AnswerFacts, ended: AnswerOfRun, words: string): object {
  const message = { role: 'assistant', content: words === '' ? null : words, refusal: null };
  return {
    ...head(facts, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { ...message, tool_calls: ended.calls.map(formatCall) },
        finish_reason: 'tool_calls',
        logprobs: null,
      },
    ],
    usage: formatUsage(ended),
  };
}

/** The same calls as pieces of a stream: each begins with its name, and its arguments follow. */
export function callDeltas(calls: readonly HandedCall[]): readonly object[] {
  return calls.flatMap((call, index) => {
    const { id, type, function: called } = formatCall(call);
    return [
      { tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: called.arguments } }] },
    ];
  });
}

function formatCall({ id, name, params }: HandedCall) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(params) } } as const;
}

export function formatCompletion(facts: AnswerFacts, ended: AnswerOfRun): object {
  const { run } = ended;
  return {
    ...head(facts, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: run.outcome?.reply ?? '', refusal: null },
        finish_reason: finishReason(run),
        logprobs: null,
      },
    ],
    usage: formatUsage(ended),
  };
}

/** One piece of a stream. With `includeUsage`, every chunk except the last says that the usage is still to come. */
export function formatChunk(facts: AnswerFacts, delta: object, finish: string | null, includeUsage: boolean): object {
  return {
    ...head(facts, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
    ...(includeUsage && { usage: null }),
  };
}

export function formatUsageChunk(facts: AnswerFacts, ended: AnswerOfRun): object {
  return { ...head(facts, 'chat.completion.chunk'), choices: [], usage: formatUsage(ended) };
}

export function finishReason({ status, outcome }: AnswerOfRun['run']): 'stop' | 'length' | 'content_filter' {
  if (status === 'blocked' || outcome?.stop === 'refusal' || outcome?.suppressed) return 'content_filter';
  return outcome?.stop === 'length' ? 'length' : 'stop';
}

function head({ runId, model, createdAt }: AnswerFacts, object: string): object {
  return { id: `chatcmpl-${runId}`, object, created: Math.floor(createdAt / 1_000), model };
}

function formatUsage({ run: { outcome }, usage }: AnswerOfRun): object {
  const { input = 0, output = 0, cacheRead = 0 } = usage ?? outcome?.usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}
