// The events of a streamed response, in the order that OpenAI's clients expect: the response begins, its message grows,
// its calls follow, and it ends. Nothing is told twice.

import type { JsonObject } from '../../protocol/json.ts';
import type { HandedCall } from '../../store/tables.ts';
import {
  BEGUN,
  callItem,
  formatResponse,
  itemIdOfCall,
  messageId,
  messageItem,
  type ResponseFacts,
  type ResponseState,
  textPart,
} from './response-answer.ts';

export class ResponseEvents {
  readonly #facts: ResponseFacts;
  readonly #send: (event: JsonObject) => void;
  #number = 0;
  /** What the client was told of the message; undefined before it began. */
  #text: string | undefined;
  #items = 0;

  constructor(facts: ResponseFacts, send: (event: JsonObject) => void) {
    this.#facts = facts;
    this.#send = send;
  }

  begin(): void {
    const response = formatResponse(this.#facts, BEGUN);
    this.#tell('response.created', { response });
    this.#tell('response.in_progress', { response });
  }

  addText(delta: string): void {
    if (delta === '') return;
    this.#beginMessage();
    this.#text += delta;
    this.#tell('response.output_text.delta', { ...this.#place, delta, logprobs: [] });
  }

  end(state: ResponseState): void {
    const isAnswer = state.status === 'completed' || state.status === 'incomplete';
    if (isAnswer && state.calls.length === 0) this.#beginMessage();
    this.#endMessage(state.status);
    if (isAnswer) for (const call of state.calls) this.#addCall(call);
    const response = formatResponse(this.#facts, { ...state, text: this.#text ?? state.text });
    const type = isAnswer ? `response.${state.status}` : 'response.failed';
    this.#tell(type, { response: isAnswer ? response : { ...response, status: 'failed' } });
  }

  get #place(): JsonObject {
    return { item_id: messageId(this.#facts.runId, this.#facts.index), output_index: 0, content_index: 0 };
  }

  #beginMessage(): void {
    if (this.#text !== undefined) return;
    this.#text = '';
    this.#items = 1;
    const item = messageItem(messageId(this.#facts.runId, this.#facts.index), '', 'in_progress');
    this.#tell('response.output_item.added', { output_index: 0, item });
    this.#tell('response.content_part.added', { ...this.#place, part: textPart('') });
  }

  #endMessage(status: ResponseState['status']): void {
    if (this.#text === undefined) return;
    const text = this.#text;
    this.#tell('response.output_text.done', { ...this.#place, text, logprobs: [] });
    this.#tell('response.content_part.done', { ...this.#place, part: textPart(text) });
    const item = messageItem(messageId(this.#facts.runId, this.#facts.index), text, status);
    this.#tell('response.output_item.done', { output_index: 0, item });
  }

  #addCall(call: HandedCall): void {
    const output_index = this.#items++;
    const place = { item_id: itemIdOfCall(call), output_index };
    const written = JSON.stringify(call.params);
    this.#tell('response.output_item.added', { output_index, item: callItem(call, false) });
    this.#tell('response.function_call_arguments.delta', { ...place, delta: written });
    this.#tell('response.function_call_arguments.done', { ...place, name: call.name, arguments: written });
    this.#tell('response.output_item.done', { output_index, item: callItem(call, true) });
  }

  #tell(type: string, data: JsonObject): void {
    this.#send({ type, sequence_number: this.#number++, ...data });
  }
}
