// What a server answers to a call, as the text that a model reads. Pictures, sounds and files are named and not shown.
// The form of every part of the answer is checked.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import type { ToolOutput } from '../tool.ts';

const MAX_PARTS = 1_000;
/** Well above what a model gets to read, so that the bound on every tool's output says how much there was. */
const MAX_CHARS = 1_000_000;

export function readCallResult(result: JsonObject): ToolOutput {
  const { content, structuredContent, isError } = result;
  const parts = (Array.isArray(content) ? content : []).slice(0, MAX_PARTS).map(describePart);
  const hasText = Array.isArray(content) && content.some((part) => isJsonObject(part) && part.type === 'text');
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined;
  // A server repeats its structured answer as text; where it does not, this is the only place to read it.
  if (structured && !hasText) parts.push(JSON.stringify(structured));
  const text = bounded(parts.join('\n'));
  return {
    content: text === '' ? '[The tool returned nothing.]' : text,
    ...(isError === true ? { isError } : {}),
    ...(structured ? { details: { structured } } : {}),
  };
}

function describePart(part: JsonValue): string {
  if (!isJsonObject(part)) return '[a part that cannot be read]';
  switch (part.type) {
    case 'text':
      return textOf(part.text);
    case 'image':
    case 'audio':
      return `[${part.type}${mimeOf(part)}, ${bytesOf(part.data)}; not shown]`;
    case 'resource':
      return describeResource(isJsonObject(part.resource) ? part.resource : {});
    case 'resource_link': {
      const named = [part.title, part.name].find((each) => typeof each === 'string' && each !== '');
      return `[link to ${lineOf(part.uri)}${named === undefined ? '' : ` (${lineOf(named)})`}${mimeOf(part)}]`;
    }
    default:
      return `[a part of the kind ${lineOf(part.type)}; not shown]`;
  }
}

function describeResource(resource: JsonObject): string {
  const name = `resource ${lineOf(resource.uri)}${mimeOf(resource)}`;
  if (typeof resource.text === 'string') return `[${name}]\n${resource.text}`;
  return `[${name}, ${bytesOf(resource.blob)}; not shown]`;
}

function mimeOf({ mimeType }: JsonObject): string {
  return typeof mimeType === 'string' && mimeType !== '' ? `, ${lineOf(mimeType)}` : '';
}

function bytesOf(base64: JsonValue | undefined): string {
  const text = textOf(base64);
  // At most two padding characters stand at the end; a pattern for any number of them could be very slow.
  const filling = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Math.floor(((text.length - filling) * 3) / 4);
  return `${bytes} byte${bytes === 1 ? '' : 's'}`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A name must not contain brackets, which would look like the end of our own text. */
function lineOf(value: JsonValue | undefined): string {
  return textOf(value)
    .replace(/[\s\x00-\x1f\x7f-\x9f[\]\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, 500);
}

function bounded(text: string): string {
  return text.length <= MAX_CHARS ? text : text.slice(0, MAX_CHARS).replace(/[\ud800-\udbff]$/, '');
}
