// Reads the events of a Responses stream. What is clear is read although a server speaks the protocol only nearly: counts
// as texts, text or a call that comes only with the end of its item or of the response, a call that is told without its
// beginning, a whole response where a stream was asked for. A field that holds a part of the answer in a form that is
// not clear is named. A thought's encrypted form is left out.

import type { Answer, EndReason } from '../answer.ts';
import type { EventProtocol, EventReader } from '../answer-reader.ts';
import { isLoose, isNumber, isText, type Loose, wrongField } from '../loose.ts';
import { plausibleCount, tokenCount } from '../token-count.ts';

export const RESPONSES_EVENTS: EventProtocol = {
  // The protocol gets new kinds of events in time; those that hold no part of the answer are passed over.
  isEvent: ({ type, error }) => (isText(type) ? type === 'error' || type.startsWith('response.') : error != null),
  isLast: (data) => data.trim() === '[DONE]',
  eventsOf: (answer) =>
    Array.isArray(answer.output) && answer.error == null
      ? [{ type: 'response.completed', response: answer }]
      : undefined,
  reader: (answer) => new ResponsesReader(answer),
};

/** Items that are no part of what is told: what the provider did with tools of its own. */
const NOT_TOLD =
  /^(?:(?:web_search|file_search|code_interpreter|image_generation|tool_search|mcp)_call|mcp_list_tools|tool_search_output|compaction)$/;

interface BegunCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

class ResponsesReader implements EventReader {
  readonly #answer: Answer;
  readonly #calls: BegunCall[] = [];
  /** The calls by the place of their item in the output. */
  readonly #callAt = new Map<unknown, BegunCall>();
  /** The places of the items that have said something, or that were read as a whole. */
  readonly #told = new Set<unknown>();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  read(event: Loose): string | undefined {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#say('text-delta', event);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#say('reasoning-delta', event);
      case 'response.output_item.added':
        return this.#beginItem(event);
      case 'response.function_call_arguments.delta':
        return this.#extendCall(event);
      case 'response.function_call_arguments.done':
        return this.#completeCall(event);
      case 'response.output_item.done':
        return this.#readItem(event.item, placeOf(event), 'item');
      case 'response.completed':
      case 'response.incomplete':
        return this.#readEnd(event.response);
      case 'response.failed':
      case 'response.cancelled':
        return this.#fail(event.response);
      case 'error':
        this.#answer.fail({ reported: event.error ?? event });
        return undefined;
      default:
        if (event.error != null) this.#answer.fail({ reported: event.error });
        return undefined;
    }
  }

  end(): undefined {
    this.#answer.callTools(this.#calls);
  }

  #say(type: 'text-delta' | 'reasoning-delta', event: Loose): string | undefined {
    if (!isText(event.delta)) return wrongField('delta', 'string', event.delta);
    this.#told.add(placeOf(event));
    this.#answer.say(type, event.delta);
    return undefined;
  }

  #beginItem(event: Loose): string | undefined {
    const { item } = event;
    if (!isLoose(item)) return wrongField('item', 'object', item);
    if (item.type === 'function_call') return this.#beginCall(item, placeOf(event), 'item');
    return isText(item.type) && (IS_READ.has(item.type) || NOT_TOLD.test(item.type))
      ? undefined
      : unknownItem('item.type', item.type);
  }

  /** Some proxies send the beginning of a call twice. */
  #beginCall({ call_id: callId, id: itemId, name, arguments: input }: Loose, place: unknown, path: string) {
    if (this.#callAt.has(place)) return undefined;
    const id = isText(callId) && callId !== '' ? callId : itemId;
    if (!isText(id)) return wrongField(`${path}.call_id`, 'string', callId);
    if (!isText(name)) return wrongField(`${path}.name`, 'string', name);
    if (input != null && !isText(input)) return wrongField(`${path}.arguments`, 'string', input);
    if (!this.#answer.beginCall() || !this.#answer.grow(input?.length ?? 0)) return undefined;
    const call = { id, name, input: input ?? '' };
    this.#calls.push(call);
    this.#callAt.set(place, call);
    return undefined;
  }

  #extendCall(event: Loose): string | undefined {
    if (!isText(event.delta)) return wrongField('delta', 'string', event.delta);
    const call = this.#callAt.get(placeOf(event));
    if (!call) return 'output_index: no call has begun there';
    if (this.#answer.grow(event.delta.length)) call.input += event.delta;
    return undefined;
  }

  /** The end of a call repeats its parameters as a whole. */
  #completeCall(event: Loose): string | undefined {
    const { arguments: input } = event;
    if (!isText(input)) return wrongField('arguments', 'string', input);
    const call = this.#callAt.get(placeOf(event));
    if (!call) return 'output_index: no call has begun there';
    this.#replaceInput(call, input);
    return undefined;
  }

  #replaceInput(call: BegunCall, input: string): void {
    if (input !== '' && this.#answer.grow(Math.max(0, input.length - call.input.length))) call.input = input;
  }

  /** A whole item. What its pieces have said is not said again. */
  #readItem(item: unknown, place: unknown, path: string): string | undefined {
    if (!isLoose(item)) return wrongField(path, 'object', item);
    if (item.type === 'function_call') {
      const wrong = this.#beginCall(item, place, path);
      const call = this.#callAt.get(place);
      if (wrong === undefined && call && isText(item.arguments)) this.#replaceInput(call, item.arguments);
      return wrong;
    }
    const isTold = this.#told.has(place);
    this.#told.add(place);
    if (item.type === 'message') return isTold ? undefined : this.#readMessage(item.content, `${path}.content`);
    if (item.type === 'reasoning') return isTold ? undefined : this.#readThought(item);
    return isText(item.type) && NOT_TOLD.test(item.type) ? undefined : unknownItem(`${path}.type`, item.type);
  }

  /** The items of a server that does not count them are known by their ids. */
  #wasRead(item: unknown): boolean {
    return isLoose(item) && isText(item.id) && (this.#told.has(item.id) || this.#callAt.has(item.id));
  }

  #readMessage(content: unknown, path: string): string | undefined {
    if (isText(content)) {
      this.#answer.say('text-delta', content);
      return undefined;
    }
    if (content == null) return undefined;
    if (!Array.isArray(content)) return wrongField(path, 'array', content);
    for (const [index, part] of content.entries()) {
      if (!isLoose(part)) return wrongField(`${path}.${index}`, 'object', part);
      // What a model says instead of an answer is for the person who asked.
      const text = part.text ?? part.refusal;
      if (isText(text)) this.#answer.say('text-delta', text);
      else
        this.#answer.note(
          `A part of type ${JSON.stringify(part.type ?? null)} of the answer is no text and was left out.`,
        );
    }
    return undefined;
  }

  #readThought({ summary, content }: Loose): undefined {
    const parts = [summary, content].flatMap((list) => (Array.isArray(list) ? list : []));
    for (const part of parts) {
      if (isLoose(part) && isText(part.text)) this.#answer.say('reasoning-delta', part.text);
    }
  }

  #readEnd(response: unknown): string | undefined {
    if (!isLoose(response)) return wrongField('response', 'object', response);
    if (response.status === 'failed' || response.error != null) return this.#fail(response);
    const output = Array.isArray(response.output) ? response.output : [];
    for (const [place, item] of output.entries()) {
      const wrong = this.#wasRead(item) ? undefined : this.#readItem(item, place, `response.output.${place}`);
      if (wrong !== undefined) return wrong;
    }
    this.#readUsage(response.usage);
    const reason = isLoose(response.incomplete_details) ? response.incomplete_details.reason : undefined;
    const ended = endReason(reason);
    this.#answer.giveReason(ended, ended === 'refusal' && isText(reason) ? [reason] : []);
    this.end();
    this.#answer.end();
    return undefined;
  }

  #fail(response: unknown): undefined {
    const { error, incomplete_details: details }: Loose = isLoose(response) ? response : {};
    const reason = isLoose(details) ? details.reason : undefined;
    this.#answer.fail({ reported: error ?? { message: isText(reason) ? reason : 'the response failed' } });
  }

  #readUsage(usage: unknown): void {
    if (!isLoose(usage)) return;
    const details = isLoose(usage.input_tokens_details) ? usage.input_tokens_details : {};
    this.#answer.use({
      input: plausibleCount(tokenCount(usage.input_tokens)),
      output: plausibleCount(tokenCount(usage.output_tokens)),
      cacheRead: plausibleCount(tokenCount(details.cached_tokens)),
      cacheWrite: plausibleCount(tokenCount(details.cache_write_tokens)),
    });
  }
}

const IS_READ: ReadonlySet<string> = new Set(['message', 'reasoning']);

/** Where the item stands in the output. Servers that do not count are told apart by the item's id. */
function placeOf({ output_index: index, item_id: id, item }: Loose): unknown {
  if (isNumber(index)) return index;
  return isText(id) ? id : isLoose(item) ? item.id : undefined;
}

function unknownItem(path: string, kind: unknown): string {
  return isText(kind) ? `${path}: ${JSON.stringify(kind.slice(0, 40))} is not known` : wrongField(path, 'string', kind);
}

function endReason(reason: unknown): EndReason {
  if (reason === 'max_output_tokens') return 'length';
  return reason === 'content_filter' ? 'refusal' : 'complete';
}
