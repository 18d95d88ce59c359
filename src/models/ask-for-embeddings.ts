// Asks a provider for embeddings: one request, one answer of JSON, which is bounded and whose form its protocol checks. The
// vectors have the form that the client asked for, whichever the server gives.
// Never rejects: what went wrong is a ModelFailure. Redirects are not followed, because a key must not be sent to another
// host. It does not know who asks and what it costs.

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../protocol/json.ts';
import { VERSION } from '../protocol/version.ts';
import type { ModelFailure } from './model.ts';
import {
  badRequestFailure,
  cutFailure,
  type FailureContext,
  malformedFailure,
  networkFailure,
  responseFailure,
  timeoutFailure,
} from './model-failure.ts';
import { secretTexts, separateSecrets, type WireDialect, type WireModelSettings } from './wire-model.ts';

export type EmbeddingsSettings = Pick<
  WireModelSettings,
  'provider' | 'model' | 'baseUrl' | 'apiKey' | 'sendsBearer' | 'headers' | 'now'
> & { readonly timeoutMs: number };

/** What a client of OpenAI's API sends. */
export interface EmbeddingsRequest {
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
  readonly dimensions?: number | undefined;
  readonly encoding_format?: 'float' | 'base64' | undefined;
  readonly user?: string | undefined;
}

export interface MadeEmbeddings {
  /** As OpenAI's API has them, one for each input. */
  readonly data: readonly JsonObject[];
  /** The tokens that the server counted; undefined when it did not say. */
  readonly tokens: number | undefined;
}

export type EmbeddingsAnswer = MadeEmbeddings | { readonly failure: ModelFailure };

/** How one protocol asks for embeddings. */
export interface EmbeddingsDialect extends Pick<WireDialect, 'keyHeader'> {
  readonly path: string;
  readonly body: JsonObject;
  /** Gives undefined for something that is no answer of this protocol, and one embedding for each that it has. */
  readonly read: (told: JsonObject) => MadeEmbeddings | undefined;
}

export const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

export async function askForEmbeddings(
  given: EmbeddingsSettings,
  request: EmbeddingsRequest,
  dialect: EmbeddingsDialect,
  signal: AbortSignal,
): Promise<EmbeddingsAnswer> {
  const { settings, secretHeaders } = separateSecrets(given, dialect);
  const { provider, baseUrl, timeoutMs, now } = settings;
  const context: FailureContext = { provider, secrets: secretTexts(secretHeaders, given) };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl}${dialect.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `atrium/${VERSION}`, ...secretHeaders },
      body: JSON.stringify(dialect.body),
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    const body = await readBounded(response);
    if (body === undefined) return { failure: malformedFailure(`sent more than ${MOST_ANSWER_BYTES} bytes`, context) };
    const told = response.status === 200 ? parseJson(body) : undefined;
    const made = isJsonObject(told) ? dialect.read(told) : undefined;
    const count = countOf(request);
    if (made?.data.length === count) return { ...made, data: made.data.map((each) => inForm(each, request)) };
    if (made) return { failure: malformedFailure(`sent ${made.data.length} embeddings for ${count} inputs`, context) };
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

/** A count that a server told; undefined for everything that is none. */
export function countIn(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A client that reads a list of numbers as base64, or the other way round, would have a wrong vector and no error. */
function inForm(made: JsonObject, { encoding_format: form = 'float' }: EmbeddingsRequest): JsonObject {
  const { embedding } = made;
  if (form === 'base64' && Array.isArray(embedding)) return { ...made, embedding: base64Of(embedding as number[]) };
  if (form === 'float' && typeof embedding === 'string') return { ...made, embedding: numbersIn(embedding) };
  return made;
}

/** Numbers of 32 bits, the lower byte first, as OpenAI's API has them. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, each] of vector.entries()) bytes.writeFloatLE(each, index * 4);
  return bytes.toString('base64');
}

function numbersIn(text: string): readonly number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
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
