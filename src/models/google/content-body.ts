// The body of a request to generateContent. The system blocks are joined without a separator into one instruction, because
// the API caches by prefix. Results of parallel calls are one turn, because the API counts them against the calls of the
// turn before. The order of the keys is part of the bytes, so it never changes.
//
// Gemini signs its thoughts, and newer models ask for the signature beside every call of the past. A transcript holds what
// was said and called, and a conversation may change providers, so the value that the API documents for calls without a
// signature is sent in its place.

import type { AnswerWishes } from '../../protocol/answer-wishes.ts';
import { answerLimit } from '../answer-limit.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import { markOf, type ShowImages } from '../wire-images.ts';
import { type WireMessage, type WirePart, wireMessages } from '../wire-messages.ts';
import type { WireModelSettings } from '../wire-model.ts';
import { wellFormed } from '../wire-text.ts';

/** The API refuses a blank text, and without its last message a conversation would be answered wrongly. */
const EMPTY_MESSAGE = '(empty message)';

const NO_SIGNATURE = 'skip_thought_signature_validator';

export function contentBody(request: ModelRequest, settings: WireModelSettings, show: ShowImages): string {
  const { model } = settings;
  const { wishes = {} } = request;
  const system = wellFormed(request.system.map(({ text }) => text).join(''));
  const messages = wireMessages(request.messages, { isEmpty: isBlank, emptyMessage: EMPTY_MESSAGE, show });
  const contents = turns(messages, asksForSignatures(model));
  const isInstructed = !isBlank(system) && !isGemma(model);
  return JSON.stringify({
    generationConfig: {
      maxOutputTokens: answerLimit(request, settings.maxTokens),
      temperature: wishes.temperature,
      topP: wishes.topP,
      frequencyPenalty: wishes.frequencyPenalty,
      presencePenalty: wishes.presencePenalty,
      stopSequences: wishes.stop,
      seed: wishes.seed,
      responseMimeType: wishes.format && 'application/json',
      responseJsonSchema: wishes.format?.type === 'json_schema' ? wishes.format.schema : undefined,
    },
    contents: isBlank(system) || isInstructed ? contents : withInstruction(contents, system),
    systemInstruction: isInstructed ? { parts: [{ text: system }] } : undefined,
    tools: request.tools.length === 0 ? undefined : [{ functionDeclarations: request.tools.map(declaration) }],
    toolConfig: request.tools.length === 0 ? undefined : toolConfig(wishes),
  });
}

/** What a client of the API asked for. */
function toolConfig({ toolChoice }: AnswerWishes): object | undefined {
  if (!toolChoice) return undefined;
  const names = typeof toolChoice === 'object' ? [toolChoice.name] : undefined;
  return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: names } };
}

/** Gemma takes no instruction of its own, so it stands before the first words of the conversation. */
function isGemma(model: string): boolean {
  return /^gemma-/i.test(model);
}

/** Every Gemini from 3 on. A model whose name is not known is like the newest. */
function asksForSignatures(model: string): boolean {
  return /(?:^|\/)gemini-/i.test(model) && !isBeforeGemini3(model);
}

export function isBeforeGemini3(model: string): boolean {
  return /(?:^|\/)gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|robotics-er-1\.5(?:[.-]|$))/i.test(model);
}

interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: object[];
}

function turns(messages: readonly WireMessage[], isSigned: boolean): Turn[] {
  const made: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool' && messages[index - 1]?.role === 'tool') made.at(-1)?.parts.push(resultPart(message));
    else made.push(turn(message, isSigned));
  }
  return made;
}

function turn(message: WireMessage, isSigned: boolean): Turn {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: userParts(message) };
    case 'assistant':
      return { role: 'model', parts: message.parts.map((part) => modelPart(part, isSigned)) };
    case 'tool':
      return { role: 'user', parts: [resultPart(message)] };
  }
}

function userParts({ text, images }: Extract<WireMessage, { role: 'user' }>): object[] {
  return [{ text }, ...images.map((image) => ({ inlineData: { mimeType: image.mime, data: markOf(image) } }))];
}

function modelPart(part: WirePart, isSigned: boolean): object {
  if (part.type === 'text') return { text: part.text };
  const { id, name, params } = part;
  return { functionCall: { id, name, args: params }, thoughtSignature: isSigned ? NO_SIGNATURE : undefined };
}

function resultPart({ callId, name, content }: Extract<WireMessage, { role: 'tool' }>): object {
  return { functionResponse: { id: callId, name, response: { name, content } } };
}

function withInstruction([first, ...rest]: readonly Turn[], system: string): Turn[] {
  const instruction = { text: `${system}\n\n` };
  if (first?.role === 'user') return [{ role: 'user', parts: [instruction, ...first.parts] }, ...rest];
  return [{ role: 'user', parts: [instruction] }, ...(first ? [first] : []), ...rest];
}

/** `parameters` would take a smaller kind of schema, and parts of a tool's own would get lost. */
function declaration({ name, description, parameters }: ToolSpec): object {
  return { name, description: wellFormed(description), parametersJsonSchema: parameters };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
