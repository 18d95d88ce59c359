// What servers that speak chat completions nearly get wrong in the chunks of a stream, although it is clear what they
// mean: counts as texts, `choices: null` beside the usage, arguments as an object, no reason before the end, a message
// where a piece should be, errors of other shapes.

import { dropUnless, type EventDialect, isLoose, type Loose, mendUsage } from '../event-mender.ts';
import { reasonIn } from '../model-failure.ts';

export const CHAT_EVENTS: EventDialect = {
  mend: (event) => isLoose(event) && mendChunk(event),
  saysWhy: (event) => isLoose(event) && choicesOf(event).some(({ finish_reason: why }) => isText(why) && why !== ''),
  isLast: (data) => data.trim() === '[DONE]',
  end: { before: 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n', without: '' },
};

function mendChunk(chunk: Loose): boolean {
  let isMended = dropUnless(chunk, isText, ['id', 'model']);
  isMended = dropUnless(chunk, isNumber, ['created']) || isMended;
  isMended = mendUsage(chunk) || isMended;
  isMended = mendError(chunk) || isMended;
  if (chunk.choices == null && !('error' in chunk)) {
    chunk.choices = [];
    isMended = true;
  }
  // One answer was asked for. Words of further ones must not be mixed into it.
  if (Array.isArray(chunk.choices) && !chunk.choices.every(isFirstChoice)) {
    chunk.choices = chunk.choices.filter((choice) => choice !== null && (!isLoose(choice) || isFirstChoice(choice)));
    isMended = true;
  }
  for (const choice of choicesOf(chunk)) isMended = mendChoice(choice) || isMended;
  return isMended;
}

/** The parser reads errors of one shape only. In every other one the server's words would be lost. */
function mendError(chunk: Loose): boolean {
  if ('error' in chunk && !chunk.error) {
    delete chunk.error;
    return true;
  }
  const isBare = !('error' in chunk) && chunk.choices == null && isText(chunk.message);
  if (!isBare && !('error' in chunk)) return false;
  const error = isBare ? chunk : chunk.error;
  if (!isBare && isLoose(error) && isText(error.message)) return false;
  const { type, code }: Loose = isLoose(error) ? error : {};
  chunk.error = {
    message: reasonIn(error),
    ...(isText(type) ? { type } : {}),
    ...(isText(code) || isNumber(code) ? { code } : {}),
  };
  return true;
}

function isFirstChoice(choice: unknown): boolean {
  return isLoose(choice) && !(isNumber(choice.index) && choice.index > 0);
}

function mendChoice(choice: Loose): boolean {
  // An empty reason is none; as a reason it would hide the one before it.
  let isMended = dropUnless(choice, (why) => isText(why) && why !== '', ['finish_reason']);
  if (choice.delta == null && isLoose(choice.message)) {
    choice.delta = choice.message;
    isMended = true;
  }
  const { delta } = choice;
  if (!isLoose(delta)) return isMended;
  // What a model says instead of an answer is for the person who asked.
  if (!delta.content && isText(delta.refusal) && delta.refusal !== '') {
    delta.content = delta.refusal;
    isMended = true;
  }
  isMended = dropUnless(delta, (role) => role === 'assistant', ['role']) || isMended;
  isMended = dropUnless(delta, isText, ['reasoning', 'reasoning_content']) || isMended;
  for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isLoose) : [])
    isMended = mendCall(call) || isMended;
  return isMended;
}

function mendCall(call: Loose): boolean {
  let isMended = false;
  if (isNumber(call.id)) {
    call.id = String(call.id);
    isMended = true;
  }
  if (isText(call.index) && /^\d+$/.test(call.index)) {
    call.index = Number(call.index);
    isMended = true;
  }
  if (isLoose(call.function) && isLoose(call.function.arguments)) {
    call.function.arguments = JSON.stringify(call.function.arguments);
    isMended = true;
  }
  return isMended;
}

function choicesOf({ choices }: Loose): readonly Loose[] {
  return Array.isArray(choices) ? choices.filter(isLoose) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
