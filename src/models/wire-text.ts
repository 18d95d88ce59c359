// Small repairs that providers require, made when a conversation is written for them. They depend on the value alone,
// so the same conversation always gives the same bytes.

import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { sha256Of } from '../protocol/sha256-of.ts';

/** Strict JSON readers refuse half a surrogate pair, which a text that was cut may end with. */
export function wellFormed(text: string): string {
  return LONE_SURROGATE.test(text) ? text.replace(ALL_LONE_SURROGATES, '\ufffd') : text;
}

/**
 * One provider's ids may be too long for another or have characters that it refuses, and a conversation may change
 * providers.
 */
export function wireToolCallId(id: string): string {
  if (/^[\w-]{1,40}$/.test(id)) return id;
  return `call_${sha256Of(id).slice(0, 24)}`;
}

/** Parameters are always an object on the wire, even when a model wrote something else. */
export function wireParams(params: JsonValue): JsonObject {
  return isJsonObject(params) ? params : { value: params };
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const ALL_LONE_SURROGATES = new RegExp(LONE_SURROGATE, 'g');
