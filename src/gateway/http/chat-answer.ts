// The formats in which OpenAI's clients expect an answer. The functions are pure.

import type { RunRow } from '../../store/tables.ts';

export interface AnswerFacts {
  readonly runId: string;
  readonly model: string;
  readonly createdAt: number;
}

export function formatCompletion(facts: AnswerFacts, run: RunRow): object {
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
    usage: formatUsage(run),
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

export function formatUsageChunk(facts: AnswerFacts, run: RunRow): object {
  return { ...head(facts, 'chat.completion.chunk'), choices: [], usage: formatUsage(run) };
}

export function finishReason({ status, outcome }: RunRow): 'stop' | 'length' | 'content_filter' {
  if (status === 'blocked' || outcome?.stop === 'refusal' || outcome?.suppressed) return 'content_filter';
  return outcome?.stop === 'length' ? 'length' : 'stop';
}

function head({ runId, model, createdAt }: AnswerFacts, object: string): object {
  return { id: `chatcmpl-${runId}`, object, created: Math.floor(createdAt / 1_000), model };
}

function formatUsage({ outcome }: RunRow): object {
  const { input = 0, output = 0, cacheRead = 0 } = outcome?.usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}
