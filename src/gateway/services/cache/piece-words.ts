// The words in a piece of a captured request, in the forms in which the providers' serialisers write them, and the word
// at a place of its JSON. Words are what spans count: texts, names of called tools with their parameters, results. It is pure.

import { isJsonObject, type JsonValue } from '../../../protocol/json.ts';

/** The words of a message, or of one block of it; empty for an image. */
export function wordsOfPiece(text: string): string {
  const value = JSON.parse(text) as JsonValue;
  return isJsonObject(value) && isJsonObject(value.block) ? wordsOf(value.block) : wordsOf(value);
}

function wordsOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsOf).join('');
  if (!isJsonObject(value)) return '';
  const { text, content, name, input, params, tool_calls: calls, functionCall, functionResponse } = value;
  if (typeof text === 'string') return text;
  if (value.type === 'function_call') return wordsOfCall({ function: value });
  if (value.type === 'function_call_output') return wordsOf(value.output);
  if (isJsonObject(functionCall)) return wordsOf({ name: functionCall.name ?? '', input: functionCall.args ?? {} });
  if (isJsonObject(functionResponse)) return wordsOfResult(functionResponse.response);
  if (typeof name === 'string') return `${name}${JSON.stringify(input ?? params ?? {})}`;
  return `${wordsOf(content)}${Array.isArray(calls) ? calls.map(wordsOfCall).join('') : ''}`;
}

/** A result as Google has it, beside the name of its tool. */
function wordsOfResult(response: JsonValue | undefined): string {
  return isJsonObject(response) ? wordsOf(response.content) : '';
}

/** A call as chat completions have it: the parameters are a text. */
function wordsOfCall(call: JsonValue): string {
  const called = isJsonObject(call) ? call.function : undefined;
  if (!isJsonObject(called)) return '';
  return `${typeof called.name === 'string' ? called.name : ''}${typeof called.arguments === 'string' ? called.arguments : ''}`;
}

/**
 * How many characters of `words` stand before this place of a piece's JSON, when the words are one of its texts: all or
 * none of them when the place is outside of that text.
 */
export function wordAt(json: string, place: number, words: string): number {
  const written = JSON.stringify(words).slice(1, -1);
  const start = written === '' ? -1 : json.indexOf(`"${written}"`) + 1;
  if (start <= 0 || place <= start) return 0;
  let at = start;
  let count = 0;
  while (count < words.length) {
    const length = json[at] !== '\\' ? 1 : json[at + 1] === 'u' ? 6 : 2;
    if (at + length > place) break;
    at += length;
    count += 1;
  }
  return count;
}
