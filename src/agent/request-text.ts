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
  const lengths = new Map<string, number>();
  for (const span of spans) lengths.set(nameOf(span), (lengths.get(nameOf(span)) ?? 0) + span.chars);
  const positions = new Map<string, number>();
  return spans.map((span) => {
    const text = texts[span.where][span.index];
    if (text === undefined || text.length !== lengths.get(nameOf(span))) return span;
    const start = positions.get(nameOf(span)) ?? 0;
    positions.set(nameOf(span), start + span.chars);
    return { ...span, text: text.slice(start, start + span.chars) };
  });
}

function nameOf({ where, index }: RequestSpan): string {
  return `${where} ${index}`;
}
