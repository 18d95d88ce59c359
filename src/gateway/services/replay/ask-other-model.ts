// Asks another model what it would have answered to a replayed request. Its tool calls have no effects: a call that the
// run made too, with the same parameters, gets the recorded result; any other call is refused, and the model is told so.
// Errors: those of the first call; whatever a later call fails with is part of the answer.

import { costOf } from '../../../models/cost-of.ts';
import type { Model, ModelEnd, ModelRequest } from '../../../models/model.ts';
import { isAtriumError } from '../../../protocol/errors.ts';
import { isJsonObject, type JsonValue } from '../../../protocol/json.ts';
import { type AssistantPart, type Message, type ToolMessage, toolCallsOf } from '../../../protocol/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../../../protocol/usage.ts';

export interface OtherAnswer {
  readonly provider: string;
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly params: JsonValue; readonly answered: AnsweredBy }[];
  readonly usage: Usage;
  readonly cost: number | undefined;
  readonly error?: string | undefined;
}

/** What a model said in one call, and how the call ended. */
export interface ModelTurn {
  readonly content: readonly AssistantPart[];
  readonly end: ModelEnd;
}

type AnsweredBy = 'record' | 'refused';

/** A model that goes on asking for tools gets no answers that could end it. */
const MOST_ROUNDS = 8;

const REFUSED =
  'This call was not carried out: the conversation is a replay, and only calls that were recorded have results.';

export async function askOtherModel(
  model: Model,
  request: ModelRequest,
  /** What the run itself said, with its tool calls and their results. */
  recorded: readonly Message[],
  call: (request: ModelRequest) => Promise<ModelTurn>,
): Promise<OtherAnswer> {
  const results = recordedResults(recorded);
  const toolCalls: OtherAnswer['toolCalls'][number][] = [];
  let messages = request.messages;
  let usage = NO_USAGE;
  let text = '';
  let error: string | undefined;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const turn = await call({ ...request, messages }).catch((failure: unknown) => {
      // What was said until now has been paid for, so it is shown although there is no room for more.
      if (round === 1 || !isAtriumError(failure)) throw failure;
      error = failure.message;
    });
    if (!turn) break;
    const { content, end } = turn;
    usage = addUsage(usage, end.usage);
    text = content.map((part) => (part.type === 'text' ? part.text : '')).join('') || text;
    error = end.error?.message;
    const calls = toolCallsOf({ role: 'assistant', content });
    if (error !== undefined || calls.length === 0) break;
    const answers = calls.map(({ id, name, params }): ToolMessage => {
      const found = results.get(keyOf(name, params))?.shift();
      toolCalls.push({ name, params, answered: found ? 'record' : 'refused' });
      const result = found ?? { content: REFUSED, isError: true };
      return { role: 'tool', toolCallId: id, toolName: name, ...result };
    });
    messages = [...messages, { role: 'assistant', content }, ...answers];
    if (round === MOST_ROUNDS) error = `it went back to its tools more than ${MOST_ROUNDS} times`;
  }
  const { provider, prices } = model;
  return { provider, model: model.model, text, toolCalls, usage, cost: costOf(usage, prices), error };
}

type Results = Map<string, Pick<ToolMessage, 'content' | 'isError'>[]>;

/** In the order in which the run got them, for a call that it made several times. */
function recordedResults(messages: readonly Message[]): Results {
  const results: Results = new Map();
  const byId = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message] as const] : [])),
  );
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const { id, name, params } of toolCallsOf(message)) {
      const result = byId.get(id);
      if (!result) continue;
      const { content, isError } = result;
      const key = keyOf(name, params);
      results.set(key, [...(results.get(key) ?? []), { content, ...(isError ? { isError } : {}) }]);
    }
  }
  return results;
}

/** The order of parameters does not matter. */
function keyOf(name: string, params: JsonValue): string {
  return `${name} ${JSON.stringify(params, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )}`;
}
