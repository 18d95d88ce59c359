// The words of a request that a model reads: system blocks, tools with their parameters, messages with their tool
// calls. Ids do not count as words. A block, tool or message is one text made of pieces; spans count the characters of
// these pieces.

import type { ModelRequest, ToolSpec } from '../models/model.ts';
import type { AttachmentRef } from '../protocol/attachment.ts';
import type { Message } from '../protocol/message.ts';
import type { RequestSpan } from './request-draft.ts';

export function piecesOfTool({ name, description, parameters }: ToolSpec): readonly string[] {
  return [name, description, parametersText(parameters)];
}

/** The same tools are offered run after run, so the text of their parameters is made once. */
export function parametersText(parameters: ToolSpec['parameters']): string {
  const known = PARAMETER_TEXTS.get(parameters);
  if (known !== undefined) return known;
  const text = JSON.stringify(parameters);
  PARAMETER_TEXTS.set(parameters, text);
  return text;
}

const PARAMETER_TEXTS = new WeakMap<ToolSpec['parameters'], string>();

export function piecesOfMessage(message: Message): readonly string[] {
  if (message.role !== 'assistant') return [message.content];
  return message.content.flatMap((part) =>
    part.type === 'text' ? [part.text] : [part.name, JSON.stringify(part.params)],
  );
}

/**
 * How many tokens an image counts as. Providers count by the size of the picture, up to about this many; its real count
 * is in the provider's answer.
 */
export const TOKENS_OF_IMAGE = 1_600;

export function imagesOf(message: Message): readonly AttachmentRef[] {
  return message.role === 'user' ? (message.attachments ?? []) : [];
}

/** A span with its words; undefined when they are not stored any more. */
export interface ToldSpan extends RequestSpan {
  readonly text?: string | undefined;
}

/** Adds the words to the spans. Where the lengths do not match, the words are not those that the spans describe. */
export function withTexts(
  spans: readonly RequestSpan[],
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
): readonly ToldSpan[] {
  const texts = {
    system: request.system.map(({ text }) => text),
    tools: request.tools.map((tool) => piecesOfTool(tool).join('')),
    messages: request.messages.map((message) => piecesOfMessage(message).join('')),
  };
  const lengths = perPart();
  for (const { where, index, chars } of spans) lengths[where][index] = (lengths[where][index] ?? 0) + chars;
  const positions = perPart();
  return spans.map((span) => {
    const { where, index, chars } = span;
    const text = texts[where][index];
    if (text === undefined || text.length !== lengths[where][index]) return span;
    const start = positions[where][index] ?? 0;
    positions[where][index] = start + chars;
    return { ...span, text: text.slice(start, start + chars) };
  });
}

/** A number for each block, tool and message. */
function perPart(): Readonly<Record<RequestSpan['where'], number[]>> {
  return { system: [], tools: [], messages: [] };
}
