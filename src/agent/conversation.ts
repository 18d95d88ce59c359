// A run's talk with its model, at the point from which it goes on: at its first request, or wherever an attempt that was
// cut short had got to.

import type { Model, ModelRequest, WireRequest } from '../models/model.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import type { ToolOutput } from '../tools/tool.ts';
import type { StartedCall } from './journal.ts';

export interface Conversation {
  readonly model: Model;
  readonly fallbacks: readonly ModelRef[];
  readonly frame: Pick<ModelRequest, 'system' | 'tools'>;
  readonly messages: readonly Message[];
  /** The bytes of the request that is to be sent next. */
  readonly wire: WireRequest;
  /** The number under which they are captured. */
  readonly call: number;
  /** Tool calls that were begun before the attempt was cut; they are settled before anything is sent. */
  readonly pending: PendingCalls | undefined;
  /** A message whose calls wait for a person since an earlier attempt; they pass the gate again before anything is sent. */
  readonly asked?: AssistantMessage | undefined;
  readonly toolCalls: number;
  /** The message that it is about, where the transcript must not keep it. */
  readonly unkept?: Message | undefined;
}

export interface PendingCalls {
  readonly kind: 'pending';
  readonly message: AssistantMessage;
  /** What the transcript knows about it. */
  readonly meta: JsonObject;
  readonly calls: readonly StartedCall[];
  readonly results: ReadonlyMap<string, ToolOutput>;
  /** True when an earlier attempt began them. */
  readonly isResumed: boolean;
}
