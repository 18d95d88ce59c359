// The Model contract: one request in, one stream of events out.
//
// Errors: `prepare` rejects only when the request itself cannot be expressed (ModelRequestError). `stream` never throws
// and its iterator never rejects: whatever goes wrong, the last event is `end` with stop `error` or `aborted`.
// Result: `prepare` touches no network. What it returns is, byte for byte, what `stream` sends; secrets are added while
// sending and are not part of it.
// Rules: nothing comes after `end`. A tool call is told once, whole. An aborted stream closes its connection. An answer
// with more than MOST_TOOL_CALLS calls ends with `error`.
// When it fires: usage is in `end`, as the provider reported it; zero when it did not.

import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { Usage } from '../protocol/usage.ts';
import type { ModelPrices } from './cost-of.ts';

/** Nobody means to run more than this at a time; a model that asks for more has lost its way. */
export const MOST_TOOL_CALLS = 128;

export interface Model {
  /** `anthropic`, or the name under `models.providers`. */
  readonly provider: string;
  readonly model: string;
  readonly api: 'anthropic-messages' | 'openai-completions' | 'mirror';
  /** In tokens; undefined when neither the configuration nor the product knows it. */
  readonly contextWindow?: number | undefined;
  /** Who knows it: the configuration's list of models, or the product. */
  readonly contextWindowSource?: 'modelsConfig' | 'model' | undefined;
  /** Where the configuration names them. */
  readonly prices?: ModelPrices | undefined;
  prepare(request: ModelRequest): Promise<WireRequest>;
  stream(wire: WireRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly system: readonly SystemBlock[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
}

export interface SystemBlock {
  readonly text: string;
  /** True on the last block that may be cached: everything up to its end stays the same from run to run. */
  readonly cacheBoundary?: boolean | undefined;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
}

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly url: string;
  /** Without the ones that carry secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** `input` is the text that the model wrote, which ought to be a JSON object. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: string }
  | ModelEnd;

export interface ModelEnd {
  readonly type: 'end';
  readonly stop: 'stop' | 'tool-calls' | 'length' | 'refusal' | 'error' | 'aborted';
  readonly usage: Usage;
  readonly error?: ModelFailure | undefined;
  /** The provider's id of the request, for support; hashed before anybody else sees it. */
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
  /** One line, bounded, without secrets. */
  readonly message: string;
  readonly status?: number | undefined;
  /** What the provider asked for. */
  readonly retryAfterMs?: number | undefined;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
}
