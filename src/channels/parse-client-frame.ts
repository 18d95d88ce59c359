// Reads by hand what a page or a terminal sends over its socket. Every field is bounded and checked, and a frame that
// is not understood becomes a sentence for the client, never an exception.

import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { SURFACE_NAME } from '../protocol/page-surface.ts';
import type { ClientFrame } from './client-frame.ts';

export interface BadFrame {
  readonly problem: string;
  /** The message that the frame was about, if the id could be read. */
  readonly id?: string | undefined;
}

/** The limit in bytes. A socket takes larger frames, so that the client can be told which message was too large. */
export const LARGEST_FRAME = 1_048_576;

export function parseClientFrame(data: unknown, isBinary: boolean): ClientFrame | BadFrame {
  if (isBinary) return { problem: 'Frames are JSON texts; this one was binary.' };
  const bytes = bytesOf(data);
  if (bytes.length > LARGEST_FRAME) return tooLarge(bytes);
  const text = bytes.toString('utf8');
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'This frame is not valid JSON.' };
  }
  if (!isJsonObject(value)) return { problem: 'A frame is a JSON object with a "type".' };
  switch (value.type) {
    case 'hello':
      return parseHello(value);
    case 'message':
      return parseMessage(value);
    case 'ack':
      return isSeq(value.seq) ? { type: 'ack', seq: value.seq } : { problem: '"seq" must be the number of a part.' };
    case 'stop':
      return { type: 'stop' };
    case 'call':
      return parseCall(value);
    case 'watch':
      return { type: 'watch' };
    case 'ping':
      return { type: 'ping' };
    default:
      return { problem: 'The "type" of a frame is one of hello, message, ack, stop, call, watch, ping.' };
  }
}

function parseHello({ session, agent, surface, after }: JsonObject): ClientFrame | BadFrame {
  if (session !== undefined && !isName(session, LONGEST_SESSION_KEY))
    return { problem: '"session" is not a session key.' };
  if (agent !== undefined && !isName(agent, LONGEST_NAME)) return { problem: '"agent" is not the id of an agent.' };
  if (surface !== undefined && !(typeof surface === 'string' && SURFACE_NAME.test(surface))) {
    return { problem: '"surface" may have up to 64 letters, digits, dots, dashes and underscores.' };
  }
  if (after !== undefined && !isSeq(after)) return { problem: '"after" must be the number of a part.' };
  return { type: 'hello', session, agent, surface, after };
}

function parseMessage({ id, text, attachments = [], model, metadata }: JsonObject): ClientFrame | BadFrame {
  if (!isName(id, LONGEST_NAME)) return { problem: 'A message needs an "id" of its own, of up to 128 characters.' };
  const files = parseFiles(attachments);
  if (!files) return { problem: '"attachments" is a list of files, each with the "id" of its upload.', id };
  if (typeof text !== 'string' || (text.trim() === '' && files.length === 0))
    return { problem: 'A message needs a "text".', id };
  if (metadata !== undefined && !isJsonObject(metadata)) return { problem: '"metadata" must be an object.', id };
  if (model !== undefined && !isName(model, LONGEST_MODEL))
    return { problem: '"model" is not the name of a model.', id };
  const named = { ...(files.length > 0 && { attachments: files }), ...(model !== undefined && { model }) };
  return { type: 'message', id, text, ...named, metadata };
}

function parseFiles(value: JsonValue): readonly { readonly id: string }[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_FILES) return undefined;
  const files = value.flatMap((file: JsonValue) =>
    isJsonObject(file) && isName(file.id, LONGEST_NAME) ? [{ id: file.id }] : [],
  );
  return files.length === value.length ? files : undefined;
}

const MOST_FILES = 100;

function parseCall({ id, method, params = {} }: JsonObject): ClientFrame | BadFrame {
  if (!isName(id, LONGEST_NAME)) return { problem: 'A call needs an "id" of its own, of up to 128 characters.' };
  if (!isName(method, LONGEST_NAME)) return { problem: 'A call needs the name of a "method".', id };
  if (!isJsonObject(params)) return { problem: 'The "params" of a call are an object.', id };
  return { type: 'call', id, method, params };
}

const LONGEST_NAME = 128;
const LONGEST_SESSION_KEY = 512;
const LONGEST_MODEL = 256;

/** Only visible characters are allowed, because names appear in keys, logs and terminals. */
function isName(value: JsonValue | undefined, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && /^[^\s\x00-\x1f\x7f-\x9f]+$/.test(value);
}

function isSeq(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Sockets deliver text as bytes, whole or in pieces. */
function bytesOf(data: unknown): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  const pieces = Array.isArray(data) ? data : [data];
  const bytes = pieces.filter((piece) => piece instanceof Uint8Array || piece instanceof ArrayBuffer);
  return bytes.length === 1 && Buffer.isBuffer(bytes[0])
    ? bytes[0]
    : Buffer.concat(bytes.map((piece) => new Uint8Array(piece)));
}

/** Only the beginning is looked at. A client that names the message before its text is told which one it was. */
function tooLarge(bytes: Buffer): BadFrame {
  const beginning = bytes.subarray(0, LONGEST_BEGINNING).toString('utf8');
  const [, type] = /"type"\s*:\s*"(\w+)"/.exec(beginning) ?? [];
  const [, id] = /"id"\s*:\s*"([^"\\]+)"/.exec(beginning) ?? [];
  const limit = LARGEST_FRAME.toLocaleString('en');
  const problem =
    type === 'message'
      ? `This message is too long: it may have at most ${limit} bytes. Shorten it, or put the text into a file and name the file.`
      : `A frame may have at most ${limit} bytes.`;
  return isName(id, LONGEST_NAME) ? { problem, id } : { problem };
}

const LONGEST_BEGINNING = 1_024;
