// Asks a server with an API like OpenAI's for embeddings: one request, one answer of JSON. The answer is bounded and its
// form is checked. Never rejects: what went wrong is a ModelFailure. Redirects are not followed, because a key must not be
// sent to another host. It does not know who asks and what it costs.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { VERSION } from '../../protocol/version.ts';
import type { ModelFailure } from '../model.ts';
import {
  badRequestFailure,
  cutFailure,
  type FailureContext,
  malformedFailure,
  networkFailure,
  responseFailure,
  timeoutFailure,
} from '../model-failure.ts';
import { secretTexts, separateSecrets, type WireModelSettings } from '../wire-model.ts';
import { bearer } from './openai-compatible-model.ts';

export type EmbeddingsSettings = Pick<
  WireModelSettings,
  'provider' | 'model' | 'baseUrl' | 'apiKey' | 'headers' | 'now'
> & { readonly timeoutMs: number };

export interface EmbeddingsRequest {
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
  readonly dimensions?: number | undefined;
  readonly encoding_format?: 'float' | 'base64' | undefined;
  readonly user?: string | undefined;
}

export interface MadeEmbeddings {
  /** As the server gave them, one for each input. */
  readonly data: readonly JsonObject[];
  /** The tokens that the server counted; undefined when it did not say. */
  readonly tokens: number | undefined;
}

export type EmbeddingsAnswer = MadeEmbeddings | { readonly failure: ModelFailure };

export const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

export async function makeEmbeddings(
  given: EmbeddingsSettings,
  request: EmbeddingsRequest,
  signal: AbortSignal,
): Promise<EmbeddingsAnswer> {
  const { settings, secretHeaders } = separateSecrets(given, { keyHeader: bearer });
  const { provider, model, baseUrl, timeoutMs, now } = settings;
  const context: FailureContext = { provider, secrets: secretTexts(secretHeaders, given) };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `atrium/${VERSION}`, ...secretHeaders },
      body: JSON.stringify({ model, ...request }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    const body = await readBounded(response);
    if (body === undefined) return { failure: malformedFailure(`sent more than ${MOST_ANSWER_BYTES} bytes`, context) };
    const told = response.status === 200 ? parsed(body) : undefined;
    if (isJsonObject(told) && Array.isArray(told.data)) return checked(told, countOf(request), context);
    const headers = Object.fromEntries(response.headers);
    return {
      failure: responseFailure({ status: response.status, headers, body: body.slice(0, 65_536), now: now() }, context),
    };
  } catch (error) {
    if (timeout.aborted) return { failure: timeoutFailure(timeoutMs, context) };
    if (signal.aborted) return { failure: badRequestFailure('The client has left', context) };
    const { cause } = error as { readonly cause?: unknown };
    return { failure: cause === undefined ? cutFailure(context) : networkFailure(cause, context) };
  }
}

/** A text is one input, and so is a list of tokens. */
export function countOf({ input }: EmbeddingsRequest): number {
  return typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length;
}

function checked(told: JsonObject, count: number, context: FailureContext): EmbeddingsAnswer {
  const data = (told.data as readonly JsonValue[]).filter(isEmbedding);
  if (data.length !== count || data.length !== (told.data as readonly JsonValue[]).length)
    return { failure: malformedFailure(`sent ${data.length} embeddings for ${count} inputs`, context) };
  return { data, tokens: tokensIn(told.usage) };
}

function isEmbedding(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { embedding } = value;
  return (
    typeof embedding === 'string' || (Array.isArray(embedding) && embedding.every((each) => typeof each === 'number'))
  );
}

function tokensIn(usage: JsonValue | undefined): number | undefined {
  const tokens = isJsonObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined;
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
}

/** Undefined for an answer that is too long. */
async function readBounded(response: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_ANSWER_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
