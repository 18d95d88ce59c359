// What a prompt cache sees of a request: its pieces in the order in which providers read them (tools, system, messages),
// which of them carry a mark of the cache, and how much of it is the same as in the request before. Pure; a body that is
// not a JSON object has no pieces.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';

/** A piece with its words, as JSON. */
export interface PromptText {
  /** `tools[3]`, `system[0]`, `messages[4].content[1]`; the same names for the fields of every protocol. */
  readonly path: string;
  /** The marks of the cache are left out of it, because they move from request to request. */
  readonly text: string;
  readonly mark: JsonValue | undefined;
}

export interface PromptPiece extends Pick<PromptText, 'path' | 'mark'> {
  readonly digest: string;
  readonly bytes: number;
}

/** A place up to which the provider is asked to cache. */
export interface CacheBreakpoint {
  readonly at: string;
  readonly mark: JsonValue;
  readonly prefixBytes: number;
  readonly prefixDigest: string;
}

export interface CacheReuse {
  readonly sharedPieces: number;
  readonly pieces: number;
  readonly sharedBytes: number;
  readonly bytes: number;
  /** The first piece that is not as it was, or null when the request before is a prefix of this one. */
  readonly firstChange: string | null;
  /** The last breakpoint of the request before up to which nothing has changed: what the cache can be read to. */
  readonly readableTo: string | null;
}

export function readPromptPieces(body: string): readonly PromptPiece[] {
  return readPromptTexts(body).map(({ path, text, mark }) => ({
    path,
    digest: createHash('sha256').update(text).digest('hex'),
    bytes: Buffer.byteLength(text),
    mark,
  }));
}

export function readPromptTexts(body: string): readonly PromptText[] {
  const request = parsed(body);
  if (!request) return [];
  const { system = request.systemInstruction } = request;
  const blocks = isJsonObject(system) ? system.parts : system;
  return [
    ...listOf(request.tools)
      .flatMap((tool) => (isJsonObject(tool) && tool.functionDeclarations ? listOf(tool.functionDeclarations) : [tool]))
      .map((tool, index) => textOf(`tools[${index}]`, tool)),
    ...(typeof blocks === 'string' ? [textOf('system', blocks)] : []),
    ...listOf(blocks).map((block, index) => textOf(`system[${index}]`, block)),
    ...talkOf(request).flatMap(piecesOfMessage),
  ];
}

/** The conversation: OpenAI's Responses call it `input`, and Google calls it `contents`. */
export function talkOf({ messages, input, contents }: JsonObject): readonly JsonValue[] {
  return listOf(messages ?? input ?? contents);
}

export function listBreakpoints(pieces: readonly PromptPiece[]): readonly CacheBreakpoint[] {
  const prefix = createHash('sha256');
  let prefixBytes = 0;
  return pieces.flatMap(({ path, digest, bytes, mark }) => {
    prefix.update(digest);
    prefixBytes += bytes;
    return mark === undefined ? [] : [{ at: path, mark, prefixBytes, prefixDigest: prefix.copy().digest('hex') }];
  });
}

export function comparePieces(before: readonly PromptPiece[], now: readonly PromptPiece[]): CacheReuse {
  const changed = before.findIndex(({ digest, path }, index) => {
    const same = now[index];
    return same?.digest !== digest || same.path !== path;
  });
  const sharedPieces = changed === -1 ? before.length : changed;
  const shared = now.slice(0, sharedPieces);
  return {
    sharedPieces,
    pieces: now.length,
    sharedBytes: bytesOf(shared),
    bytes: bytesOf(now),
    firstChange: changed === -1 ? null : (now[changed]?.path ?? before[changed]?.path ?? null),
    readableTo: before.slice(0, sharedPieces).findLast(({ mark }) => mark !== undefined)?.path ?? null,
  };
}

function piecesOfMessage(message: JsonValue, index: number): readonly PromptText[] {
  const path = `messages[${index}]`;
  if (!isJsonObject(message)) return [textOf(path, message)];
  const { role = null, content, parts, ...rest } = message;
  const list = Array.isArray(content) ? content : parts;
  if (!Array.isArray(list)) return [textOf(path, message)];
  const blocks = list.map((block, at) => textOf(`${path}.content[${at}]`, { role, block }));
  return Object.keys(rest).length === 0 ? blocks : [...blocks, textOf(path, { role, ...rest })];
}

function textOf(path: string, value: JsonValue): PromptText {
  const found: JsonValue[] = [];
  const text = JSON.stringify(value, (name, field: JsonValue) => {
    if (name !== 'cache_control' || field === null) return field;
    found.push(field);
    return undefined;
  });
  return { path, text, mark: found.at(-1) };
}

function bytesOf(pieces: readonly PromptPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function parsed(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
