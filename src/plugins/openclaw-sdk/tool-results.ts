// What a tool answers with, in the forms that plugins write it. `details` are for programs and never reach the model.

import { readFile } from 'node:fs/promises';
import { detectMime } from './media-types.ts';

export interface ToolResult {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  // biome-ignore lint/suspicious/noExplicitAny: whatever a plugin wants to remember of its call
  readonly details?: any;
}

export function textResult(text: string, details?: unknown): ToolResult {
  return { content: [{ type: 'text', text }], details };
}

export function failedTextResult(text: string, details: { readonly status: 'failed' }): ToolResult {
  return textResult(text, details);
}

export function jsonResult(payload: unknown): ToolResult {
  return textResult(JSON.stringify(payload, null, 2) ?? 'null', payload);
}

export function payloadTextResult(payload: unknown): ToolResult {
  return textResult(stringifyToolPayload(payload), payload);
}

export function stringifyToolPayload(payload: unknown): string {
  if (typeof payload === 'string') return payload;
  try {
    return JSON.stringify(payload, null, 2) ?? String(payload);
  } catch {
    return String(payload);
  }
}

export async function imageResult(image: {
  readonly label: string;
  readonly path: string;
  readonly base64: string;
  readonly mimeType: string;
  readonly extraText?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}): Promise<ToolResult> {
  const { path, base64: data, mimeType, extraText, details } = image;
  const text = extraText === undefined ? [] : [{ type: 'text', text: extraText }];
  return { content: [...text, { type: 'image', data, mimeType }], details: { path, ...details } };
}

export async function imageResultFromFile(image: {
  readonly label: string;
  readonly path: string;
  readonly extraText?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}): Promise<ToolResult> {
  const buffer = await readFile(image.path);
  const mimeType = (await detectMime({ buffer, filePath: image.path })) ?? 'image/png';
  return imageResult({ ...image, base64: buffer.toString('base64'), mimeType });
}

/** What a tool's result is about: its details, else its text read as JSON, else its text. */
export function extractToolPayload(
  result: { readonly details?: unknown; readonly content?: unknown } | null | undefined,
): unknown {
  if (result?.details !== undefined) return result.details;
  const content: readonly unknown[] = Array.isArray(result?.content) ? result.content : [];
  const text = content
    .map((part) => (part as { text?: unknown } | null)?.text)
    .find((part): part is string => typeof part === 'string');
  if (text === undefined) return result?.content ?? result;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
