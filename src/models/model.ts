// The Model contract: one request in, one stream of events out.
//
// Errors: `prepare` rejects only when the request itself cannot be expressed (ModelRequestError, AnswerWishError). `stream` never throws
// and its iterator never rejects: after every failure the last event is `end` with stop `error` or `aborted`.
// Result: `prepare` uses no network and loads no image. It returns, byte for byte, what `stream` sends; secrets are
// added while sending and are not part of it, and the bytes of images take the place of their names.
// Rules: nothing comes after `end`. A tool call is told once, as a whole. An aborted stream closes its connection. An
// answer with more than MOST_TOOL_CALLS calls ends with `error`.
// When it fires: usage is in `end`, as the provider reported it; zero when it did not.

import type { AnswerWishes } from '../protocol/answer-wishes.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { ModelPrices } from '../protocol/model-prices.ts';
import type { ModelProtocol } from '../protocol/model-protocol.ts';
import type { Usage } from '../protocol/usage.ts';

/** No sensible answer has more calls than this. A model that asks for more has failed. */
export const MOST_TOOL_CALLS = 128;

/** The protocols that a model can be spoken to with. Mirror is built in and has no wire. */
export type ModelApi = ModelProtocol | 'mirror';

export interface Model {
  /** `anthropic`, or the name under `models.providers`. */
  readonly provider: string;
  readonly model: string;
  readonly api: ModelApi;
  /** The window in tokens, or undefined when neither the configuration nor Atrium knows it. */
  readonly contextWindow?: number | undefined;
  /** Where the window is known from: the configuration's list of models, or Atrium itself. */
  readonly contextWindowSource?: 'modelsConfig' | 'model' | undefined;
  /** Whether the model reads images. Others get a line that names them. */
  readonly takesImages: boolean;
  /** The most bytes of one image. */
  readonly maxImageBytes?: number | undefined;
  /** The most tokens of one answer, where the configuration says it. */
  readonly maxTokens?: number | undefined;
  /** How freely it chooses its words, where the configuration says it. */
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Set where the configuration gives prices. */
  readonly prices?: ModelPrices | undefined;
  /** Throws AnswerWishError when `prepare` would, for a request with these wishes and at least these tools. */
  checkWishes(asked: Pick<ModelRequest, 'wishes' | 'tools'>): void;
  prepare(request: ModelRequest): Promise<WireRequest>;
  stream(wire: WireRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly system: readonly SystemBlock[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly maxOutputTokens?: number | undefined;
  /** What the client of the API wishes of the answer. A wish that the model cannot be told is refused. */
  readonly wishes?: AnswerWishes | undefined;
}

export interface SystemBlock {
  readonly text: string;
  /** True on the last block that may be cached: everything up to its end stays the same from run to run. */
  readonly cacheBoundary?: boolean | undefined;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the parameters. */
  readonly parameters: JsonObject;
  /** The provider is asked to hold the model to the schema; only tools of API clients ask for it. */
  readonly strict?: true | undefined;
}

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly url: string;
  /** The headers without the ones that carry secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body, in which every image is named by its hash in place of its bytes. */
  readonly body: string;
  /** The images in the order of the body. Without them the body is what is sent. */
  readonly images?: readonly WireImage[] | undefined;
}

/** An image of a request. Its bytes are put into the body, in base64, while the request is sent. */
export interface WireImage {
  /** Where its name begins in the body. A name that a person has written elsewhere in the text means nothing. */
  readonly at: number;
  readonly hash: string;
  /** The number of its bytes. */
  readonly size: number;
}

export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** `input` is the text that the model wrote. It should be a JSON object. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: string }
  | ModelEnd;

export interface ModelEnd {
  readonly type: 'end';
  readonly stop: 'stop' | 'tool-calls' | 'length' | 'refusal' | 'error' | 'aborted';
  readonly usage: Usage;
  readonly error?: ModelFailure | undefined;
  /** When stop is `refusal`, says why the provider withholds the answer, in its own words, where it gives any. */
  readonly withheld?: string | undefined;
  /** What of the answer could not be read and was left out, one sentence each. What may be a part of the text never is. */
  readonly notes?: readonly string[] | undefined;
  /** The provider's id of the request, for support. It is hashed before any other part sees it. */
  readonly requestId?: string | undefined;
  readonly responseBytes?: number | undefined;
}

export interface ModelFailure {
  readonly kind:
    | 'rate-limit'
    | 'overloaded'
    | 'auth'
    | 'bad-request'
    | 'context-length'
    | 'network'
    | 'timeout'
    | 'malformed'
    | 'server'
    | 'unknown';
  /** One line of bounded length, without secrets. */
  readonly message: string;
  readonly status?: number | undefined;
  /** The pause that the provider asked for. */
  readonly retryAfterMs?: number | undefined;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
}
