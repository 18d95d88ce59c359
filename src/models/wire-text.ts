// Small repairs that providers insist on, made when a conversation is written down for them. They depend on the value
// alone, so the same conversation always gives the same bytes.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';

/** Half a surrogate pair, which a cut text may end with, is refused by strict JSON readers. */
export function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? text.replace(ALL_LONE_SURROGATES, '\ufffd') : text;
}

/** One provider's ids may be too long or too colourful for another, and a conversation may change providers. */
export function wireToolCallId(id: string): string {
  if (/^[\w-]{1,40}$/.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
}

/** Parameters are an object on the wire, whatever a model once wrote. */
export function wireParams(params: JsonValue): JsonObject {
  return isJsonObject(params) ? params : { value: params };
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const ALL_LONE_SURROGATES = new RegExp(LONE_SURROGATE, 'g');
