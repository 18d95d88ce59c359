// Reads the chunks of a generateContent stream. The protocol has no last event: an answer is whole when it has given its
// reason and no more comes. What is clear is read although a server speaks it only nearly: counts as texts, a call
// without an id, parameters as a text, a whole answer where a stream was asked for. A field that holds a part of the
// answer in a form that is not clear is named.

import type { Answer, EndReason, WrittenCall } from '../answer.ts';
import type { EventProtocol, EventReader } from '../answer-reader.ts';
import { isLoose, isNumber, isText, type Loose, wrongField } from '../loose.ts';
import { plausibleCount, tokenCount } from '../token-count.ts';

export const CONTENT_EVENTS: EventProtocol = {
  isEvent: (value) => CHUNK_FIELDS.some((field) => field in value),
  isLast: (data) => data.trim() === '[DONE]',
  eventsOf: (answer) =>
    answer.error == null && (Array.isArray(answer.candidates) || isLoose(answer.promptFeedback)) ? [answer] : undefined,
  reader: (answer) => new ContentReader(answer),
};

const CHUNK_FIELDS = ['candidates', 'promptFeedback', 'usageMetadata', 'error', 'modelVersion', 'responseId'];

/** Parts that are no part of what is told: what the provider did with tools of its own. */
const NOT_TOLD = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'];

class ContentReader implements EventReader {
  readonly #answer: Answer;
  readonly #calls: WrittenCall[] = [];

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  read(chunk: Loose): string | undefined {
    if (chunk.error != null) {
      this.#answer.fail({ reported: chunk.error });
      return undefined;
    }
    this.#readUsage(chunk.usageMetadata);
    this.#readFeedback(chunk.promptFeedback);
    const { candidates } = chunk;
    if (candidates == null) return undefined;
    if (!Array.isArray(candidates)) return wrongField('candidates', 'array', candidates);
    const place = candidates.findIndex(isFirst);
    const candidate: unknown = candidates[place];
    if (place === -1) return undefined;
    if (!isLoose(candidate)) return wrongField(`candidates.${place}`, 'object', candidate);
    const wrong = this.#readContent(candidate.content, `candidates.${place}.content`);
    if (wrong === undefined) this.#readReason(candidate);
    return wrong;
  }

  end(): undefined {
    this.#answer.callTools(this.#calls);
  }

  #readContent(content: unknown, path: string): string | undefined {
    if (content == null) return undefined;
    if (!isLoose(content)) return wrongField(path, 'object', content);
    const { parts } = content;
    if (parts == null) return undefined;
    if (!Array.isArray(parts)) return wrongField(`${path}.parts`, 'array', parts);
    for (const [index, part] of parts.entries()) {
      const wrong = this.#readPart(part, `${path}.parts.${index}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  #readPart(part: unknown, path: string): string | undefined {
    if (!isLoose(part)) return wrongField(path, 'object', part);
    if (part.functionCall != null) return this.#readCall(part.functionCall, `${path}.functionCall`);
    if (part.text != null) {
      if (!isText(part.text)) return wrongField(`${path}.text`, 'string', part.text);
      this.#answer.say(part.thought === true ? 'reasoning-delta' : 'text-delta', part.text);
      return undefined;
    }
    if (NOT_TOLD.some((kind) => part[kind] != null)) return undefined;
    const file = ['inlineData', 'fileData'].find((kind) => part[kind] != null);
    if (file) this.#answer.note(`A part of type "${file}" of the answer is no text and was left out.`);
    // A signature may come behind the words that it signs, in a part of its own.
    return file || 'thoughtSignature' in part || Object.keys(part).length === 0
      ? undefined
      : `${path}: ${JSON.stringify(Object.keys(part)[0]?.slice(0, 40))} is not known`;
  }

  #readCall(call: unknown, path: string): string | undefined {
    if (!isLoose(call)) return wrongField(path, 'object', call);
    const { id, name, args } = call;
    if (!isText(name) || name === '') return wrongField(`${path}.name`, 'string', name);
    if (call.partialArgs != null || call.willContinue === true) return `${path}.partialArgs: was not asked for`;
    if (args != null && !isText(args) && !isLoose(args)) return wrongField(`${path}.args`, 'object', args);
    const input = args == null ? '' : isText(args) ? args : JSON.stringify(args);
    if (!this.#answer.beginCall() || !this.#answer.grow(input.length)) return undefined;
    this.#calls.push({ id: this.#freeId(id), name, input });
    return undefined;
  }

  /** Two calls never have the same id. */
  #freeId(id: unknown): string {
    const taken = new Set(this.#calls.map((call) => call.id));
    if (isText(id) && id !== '' && !taken.has(id)) return id;
    let number = this.#calls.length;
    while (taken.has(`call_${number}`)) number += 1;
    return `call_${number}`;
  }

  #readReason({ finishReason: reason, finishMessage: message }: Loose): void {
    if (!isText(reason) || reason === '') return;
    if (FAILED_CALL.test(reason)) {
      this.#answer.fail({ what: `wrote a tool call that cannot be read (${reason})` });
      return;
    }
    const ended = endReason(reason);
    this.#answer.giveReason(ended, ended === 'refusal' ? [reason, message].filter(isText) : []);
  }

  /** A question that is not answered has no candidate, only this. */
  #readFeedback(feedback: unknown): void {
    if (!isLoose(feedback)) return;
    const { blockReason: reason, blockReasonMessage: message } = feedback;
    if (isText(reason) && reason !== '' && !reason.endsWith('_UNSPECIFIED'))
      this.#answer.giveReason('refusal', [reason, message].filter(isText));
  }

  #readUsage(usage: unknown): void {
    if (!isLoose(usage)) return;
    const written = (tokenCount(usage.candidatesTokenCount) ?? 0) + (tokenCount(usage.thoughtsTokenCount) ?? 0);
    this.#answer.use({
      input: plausibleCount(tokenCount(usage.promptTokenCount)),
      output: plausibleCount(written),
      cacheRead: plausibleCount(tokenCount(usage.cachedContentTokenCount)),
      cacheWrite: 0,
    });
  }
}

/** One answer was asked for. Words of further ones must not be mixed into it. */
function isFirst(candidate: unknown): boolean {
  return candidate !== null && !(isLoose(candidate) && isNumber(candidate.index) && candidate.index > 0);
}

const FAILED_CALL = /^(?:MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|MISSING_THOUGHT_SIGNATURE)$/;

/** The names that the API gives to one reason: what was said is not allowed. */
const WITHHELD = /^(?:(?:IMAGE_)?(?:SAFETY|RECITATION|PROHIBITED_CONTENT)|BLOCKLIST|SPII|LANGUAGE)$/;

function endReason(reason: string): EndReason {
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return 'length';
  return WITHHELD.test(reason) ? 'refusal' : 'complete';
}
