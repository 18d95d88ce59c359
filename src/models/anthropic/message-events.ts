// Reads the events of a Messages stream. Some servers speak the protocol only nearly, so what is clear is read: counts as
// texts or none, a stream that ends behind its reason without `message_stop`, and a whole message where a stream was
// asked for. A field that holds a part of the answer in a form that is not clear is named.

import type { Answer, EndReason } from '../answer.ts';
import type { EventProtocol, EventReader } from '../answer-reader.ts';
import { isLoose, isNumber, isText, type Loose, wrongField } from '../loose.ts';
import { plausibleCount, tokenCount } from '../token-count.ts';

export const MESSAGE_EVENTS: EventProtocol = {
  // The protocol gets new kinds of events in time, and its readers are asked to ignore those that they do not know.
  isEvent: ({ type }) => isText(type) && EVENT_TYPES.has(type),
  isLast: () => false,
  eventsOf: (answer) => eventsOfMessage(answer),
  reader: (answer) => new MessageReader(answer),
};

const EVENT_TYPES: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

/** Blocks and pieces that are no part of what is told: signatures, hidden thoughts, what the provider did by itself. */
const NOT_TOLD =
  /^(?:redacted_thinking|fallback|server_tool_use|mcp_tool_use|\w+_tool_result|signature_delta|citations_delta)$/;

interface BegunCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

class MessageReader implements EventReader {
  readonly #answer: Answer;
  readonly #calls: BegunCall[] = [];
  /** The calls by the index of their block. Blocks of other kinds are null. */
  readonly #blocks = new Map<number, BegunCall | null>();
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #messageId: unknown;
  #hasBegun = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  read(event: Loose): string | undefined {
    switch (event.type) {
      case 'message_start':
        return this.#start(event.message);
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_delta':
        return this.#extendBlock(event);
      case 'message_delta':
        return this.#readReason(event);
      case 'message_stop':
        this.end();
        this.#answer.end();
        return undefined;
      case 'error':
        this.#answer.fail({ reported: event.error ?? event });
        return undefined;
      default:
        return undefined;
    }
  }

  end(): undefined {
    this.#answer.callTools(this.#calls);
  }

  #start(message: unknown): string | undefined {
    if (!isLoose(message)) return wrongField('message', 'object', message);
    if (this.#hasBegun) {
      // Some proxies send the beginning twice.
      return message.id === this.#messageId ? undefined : 'a second message begins inside the first';
    }
    this.#hasBegun = true;
    this.#messageId = message.id;
    this.#readUsage(message.usage, false);
    const { content } = message;
    if (content == null) return undefined;
    if (!Array.isArray(content)) return wrongField('message.content', 'array', content);
    for (const [place, block] of content.entries()) {
      const wrong = this.#readBlock(block, `message.content.${place}`, () => {});
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #startBlock({ index, content_block: block }: Loose): string | undefined {
    if (!isNumber(index)) return wrongField('index', 'number', index);
    const before = this.#blocks.get(index);
    // Some proxies send the beginning of a call twice.
    if (before && isLoose(block) && block.id === before.id) return undefined;
    return this.#readBlock(block, 'content_block', (call) => this.#blocks.set(index, call));
  }

  #readBlock(block: unknown, path: string, keep: (call: BegunCall | null) => void): string | undefined {
    if (!isLoose(block)) return wrongField(path, 'object', block);
    if (block.type === 'tool_use') return this.#beginCall(block, path, keep);
    keep(null);
    if (block.type === 'text') return this.#say('text-delta', block.text, `${path}.text`);
    if (block.type === 'thinking') return this.#say('reasoning-delta', block.thinking, `${path}.thinking`);
    return isText(block.type) && NOT_TOLD.test(block.type) ? undefined : unknownKind(`${path}.type`, block.type);
  }

  #beginCall({ id, name, input }: Loose, path: string, keep: (call: BegunCall) => void): string | undefined {
    if (!isText(id)) return wrongField(`${path}.id`, 'string', id);
    if (!isText(name)) return wrongField(`${path}.name`, 'string', name);
    const written = writtenInput(input);
    if (!this.#answer.beginCall() || !this.#answer.grow(written.length)) return undefined;
    const call = { id, name, input: written };
    this.#calls.push(call);
    keep(call);
    return undefined;
  }

  #extendBlock({ index, delta }: Loose): string | undefined {
    if (!isNumber(index)) return wrongField('index', 'number', index);
    if (!isLoose(delta)) return wrongField('delta', 'object', delta);
    if (delta.type === 'text_delta') return this.#say('text-delta', delta.text, 'delta.text');
    if (delta.type === 'thinking_delta') return this.#say('reasoning-delta', delta.thinking, 'delta.thinking');
    if (delta.type === 'input_json_delta') return this.#extendCall(index, delta.partial_json);
    return isText(delta.type) && NOT_TOLD.test(delta.type) ? undefined : unknownKind('delta.type', delta.type);
  }

  #extendCall(index: number, written: unknown): string | undefined {
    if (!isText(written)) return wrongField('delta.partial_json', 'string', written);
    const call = this.#blocks.get(index);
    if (call === undefined) return `index: no block ${index} has begun`;
    // What the provider's own tools are given is not told.
    if (call !== null && this.#answer.grow(written.length)) call.input += written;
    return undefined;
  }

  #say(type: 'text-delta' | 'reasoning-delta', text: unknown, path: string): string | undefined {
    if (!isText(text)) return wrongField(path, 'string', text);
    this.#answer.say(type, text);
    return undefined;
  }

  #readReason({ delta, usage }: Loose): string | undefined {
    if (!isLoose(delta)) return wrongField('delta', 'object', delta);
    this.#readUsage(usage, true);
    const { stop_reason: reason, stop_details: details } = delta;
    if (!isText(reason)) return undefined;
    this.#answer.giveReason(endReason(reason), reason === 'refusal' ? whyWithheld(reason, details) : []);
    return undefined;
  }

  /** A count that is not told stays as it was. The count of the output is told with the reason. */
  #readUsage(told: unknown, withOutput: boolean): void {
    const usage = isLoose(told) ? told : {};
    const known = this.#usage;
    known.input = tokenCount(usage.input_tokens) ?? known.input;
    known.cacheRead = tokenCount(usage.cache_read_input_tokens) ?? known.cacheRead;
    known.cacheWrite = tokenCount(usage.cache_creation_input_tokens) ?? known.cacheWrite;
    if (withOutput) known.output = tokenCount(usage.output_tokens) ?? known.output;
    this.#answer.use({
      input: plausibleCount(known.input + known.cacheRead + known.cacheWrite),
      output: plausibleCount(known.output),
      cacheRead: plausibleCount(known.cacheRead),
      cacheWrite: plausibleCount(known.cacheWrite),
    });
  }
}

/** An empty object says that the parameters follow in pieces. */
function writtenInput(input: unknown): string {
  if (isText(input)) return input;
  const isEmpty = input == null || (isLoose(input) && Object.keys(input).length === 0);
  return isEmpty ? '' : JSON.stringify(input);
}

function unknownKind(path: string, kind: unknown): string {
  return isText(kind) ? `${path}: ${JSON.stringify(kind.slice(0, 40))} is not known` : wrongField(path, 'string', kind);
}

function endReason(reason: string): EndReason {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return reason === 'refusal' ? 'refusal' : 'complete';
}

function whyWithheld(reason: string, details: unknown): string[] {
  const { category, explanation }: Loose = isLoose(details) ? details : {};
  return [reason, category, explanation].filter(isText);
}

function eventsOfMessage(message: Loose): readonly Loose[] | undefined {
  const { content, stop_reason: reason, stop_details: details, usage, id } = message;
  const blocks = isText(content) ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks) || (message.type !== 'message' && message.role !== 'assistant')) return undefined;
  return [
    { type: 'message_start', message: { id, content: blocks, usage } },
    {
      type: 'message_delta',
      delta: { stop_reason: isText(reason) ? reason : 'end_turn', stop_details: details },
      usage,
    },
  ];
}
