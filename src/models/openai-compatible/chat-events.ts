// Reads the chunks of a chat completions stream. Many servers speak the protocol only nearly, so what is clear is read:
// counts as texts, `choices: null` beside the usage, arguments as an object, no reason before the end, a message where a
// piece should be, a whole completion where a stream was asked for, text as a number or as parts, the old
// `function_call`, errors of other shapes. A field that holds a part of the answer in a form that is not clear is named.

import type { Answer, EndReason } from '../answer.ts';
import type { EventProtocol, EventReader } from '../answer-reader.ts';
import { isLoose, isNumber, isText, type Loose, wrongField } from '../loose.ts';
import { plausibleCount, tokenCount } from '../token-count.ts';
import { ToolCallPieces } from './tool-call-pieces.ts';

export const CHAT_EVENTS: EventProtocol = {
  // Chunks differ a lot between servers; one that has none of these says nothing of an answer.
  isEvent: (value) => CHUNK_FIELDS.some((field) => field in value),
  isLast: (data) => data.trim() === '[DONE]',
  eventsOf: (answer) => (Array.isArray(answer.choices) && answer.error == null ? [answer] : undefined),
  reader: (answer) => new ChatReader(answer),
};

const CHUNK_FIELDS = [
  'choices',
  'usage',
  'error',
  'message',
  'detail',
  'id',
  'object',
  'model',
  'prompt_filter_results',
];

class ChatReader implements EventReader {
  readonly #answer: Answer;
  readonly #calls: ToolCallPieces;

  constructor(answer: Answer) {
    this.#answer = answer;
    this.#calls = new ToolCallPieces(answer);
  }

  read(chunk: Loose): string | undefined {
    const reported = errorIn(chunk);
    if (reported !== undefined) {
      this.#answer.fail({ reported });
      return undefined;
    }
    this.#readUsage(chunk.usage);
    const { choices } = chunk;
    if (choices == null) return undefined;
    if (!Array.isArray(choices)) return wrongField('choices', 'array', choices);
    const place = choices.findIndex(isFirst);
    const choice: unknown = choices[place];
    if (place === -1) return undefined;
    if (!isLoose(choice)) return wrongField(`choices.${place}`, 'object', choice);
    this.#readReason(chunk, choice);
    const path = `choices.${place}.delta`;
    const delta = deltaOf(choice);
    if (delta == null) return undefined;
    return isLoose(delta) ? this.#readDelta(delta, path) : wrongField(path, 'object', delta);
  }

  end(): string | undefined {
    return this.#calls.end();
  }

  #readUsage(usage: unknown): void {
    if (!isLoose(usage)) return;
    const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
    this.#answer.use({
      input: plausibleCount(tokenCount(input)),
      output: plausibleCount(tokenCount(output)),
      cacheRead: plausibleCount(isLoose(details) ? tokenCount(details.cached_tokens) : undefined),
      cacheWrite: 0,
    });
  }

  #readReason(chunk: Loose, choice: Loose): void {
    const { finish_reason: reason } = choice;
    // An empty reason is none; as a reason it would hide the one before it.
    if (isText(reason) && reason !== '') this.#answer.giveReason(endReason(reason), whyWithheld(chunk, choice));
  }

  #readDelta(delta: Loose, path: string): string | undefined {
    const { tool_calls: calls, function_call: old, reasoning_content: thought, reasoning, refusal } = delta;
    const content = this.#readContent(delta.content);
    if (content === undefined) return wrongField(`${path}.content`, 'string', delta.content);
    const before = isText(thought) ? thought : isText(reasoning) ? reasoning : '';
    this.#answer.say('reasoning-delta', before + content.thought);
    // What a model says instead of an answer is for the person who asked.
    this.#answer.say('text-delta', content.text === '' && isText(refusal) ? refusal : content.text);
    if (calls != null && !Array.isArray(calls)) return wrongField(`${path}.tool_calls`, 'array', calls);
    for (const [place, call] of (calls ?? []).entries()) {
      const wrong = this.#calls.read(call, place, `${path}.tool_calls.${place}`);
      if (wrong !== undefined) return wrong;
    }
    // There is one call in the old form, and its later pieces have no name. Some servers tell a call in both forms.
    const isOnlyOld = isLoose(old) && !calls?.length;
    return isOnlyOld ? this.#calls.read({ index: 0, function: old }, 0, `${path}.function_call`) : undefined;
  }

  /** Undefined when it is not clear what is said. */
  #readContent(content: unknown): { readonly text: string; readonly thought: string } | undefined {
    if (content == null) return NOTHING;
    if (isText(content)) return { text: content, thought: '' };
    if (isNumber(content) || typeof content === 'boolean') return { text: String(content), thought: '' };
    if (!Array.isArray(content)) return undefined;
    const parts = content.map((part) => this.#readPart(part));
    return { text: parts.map(({ text }) => text).join(''), thought: parts.map(({ thought }) => thought).join('') };
  }

  #readPart(part: unknown): { readonly text: string; readonly thought: string } {
    if (isText(part) || isNumber(part)) return { text: String(part), thought: '' };
    if (!isLoose(part)) return NOTHING;
    if (part.type === 'thinking' || part.type === 'reasoning')
      return { text: '', thought: wordsOf(part.thinking ?? part.text) };
    if (isText(part.text)) return { text: part.text, thought: '' };
    if (isText(part.refusal)) return { text: part.refusal, thought: '' };
    this.#answer.note(`A part of type ${JSON.stringify(part.type ?? null)} of the answer is no text and was left out.`);
    return NOTHING;
  }
}

const NOTHING = { text: '', thought: '' };

/** The error that the chunk reports, in whatever shape; undefined when it reports none. */
function errorIn(chunk: Loose): unknown {
  if ('error' in chunk) return chunk.error || undefined;
  const isBare = chunk.choices == null && (isText(chunk.message) || 'detail' in chunk);
  return isBare ? chunk : undefined;
}

/** One answer was asked for. Words of further ones must not be mixed into it. */
function isFirst(choice: unknown): boolean {
  return choice !== null && !(isLoose(choice) && isNumber(choice.index) && choice.index > 0);
}

function deltaOf({ delta, message, text }: Loose): unknown {
  if (delta != null) return delta;
  if (isLoose(message)) return message;
  return isText(text) ? { content: text } : undefined;
}

function wordsOf(thought: unknown): string {
  if (isText(thought)) return thought;
  if (Array.isArray(thought)) return thought.map(wordsOf).join('');
  return isLoose(thought) && isText(thought.text) ? thought.text : '';
}

function endReason(reason: string): EndReason {
  if (reason === 'length') return 'length';
  return WITHHELD.test(reason) ? 'refusal' : 'complete';
}

/** The names that servers give to one reason: what was said is not allowed. */
const WITHHELD =
  /^(?:content[-_ ]?filter(?:ed)?|safety|sensitive|refusal|recitation|blocklist|prohibited[-_ ]?content|spii|blocked)$/i;

/** The provider's words, and what it has found in the question and in the answer. */
function whyWithheld(chunk: Loose, choice: Loose): string[] {
  const { finish_reason: reason, native_finish_reason: native } = choice;
  const told = isText(reason) && WITHHELD.test(reason) ? [isText(native) ? native : reason] : [];
  const asked = Array.isArray(chunk.prompt_filter_results) ? chunk.prompt_filter_results.filter(isLoose) : [];
  return [
    ...asked.flatMap(({ content_filter_results: results }) => filteredOf(results)),
    ...told,
    ...filteredOf(choice.content_filter_results),
  ];
}

function filteredOf(results: unknown): string[] {
  return Object.entries(isLoose(results) ? results : {}).flatMap(([name, found]) => {
    if (!isLoose(found) || found.filtered !== true) return [];
    return [isText(found.severity) ? `${name} (${found.severity})` : name];
  });
}
