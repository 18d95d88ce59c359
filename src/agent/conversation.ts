// The conversation of a run with its model, at the point from which it continues: at its first request, or where an
// interrupted attempt stopped.

import type { Model, ModelRequest, WireRequest } from '../models/model.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import type { ToolOutput } from '../tools/tool.ts';
import type { StartedCall } from './journal.ts';

export interface Conversation {
  readonly model: Model;
  readonly fallbacks: readonly ModelRef[];
  readonly frame: Pick<ModelRequest, 'system' | 'tools' | 'wishes'>;
  readonly messages: readonly Message[];
  /** The bytes of the request that is to be sent next. */
  readonly wire: WireRequest;
  /** The number under which the request is stored. */
  readonly call: number;
  /** Tool calls that were started before the attempt was interrupted; they are settled before the next request. */
  readonly pending: PendingCalls | undefined;
  /**
   * A message whose calls wait for a person since an earlier attempt; they pass the gate again before the next request.
   */
  readonly asked?: AssistantMessage | undefined;
  readonly toolCalls: number;
  /** Why a limit let another model answer than the one that was chosen, in one sentence. */
  readonly because?: string | undefined;
  /** The message that the run is about, where the transcript must not keep it. */
  readonly unkept?: Message | undefined;
}

export interface PendingCalls {
  readonly kind: 'pending';
  readonly message: AssistantMessage;
  /** What the transcript records about it. */
  readonly meta: JsonObject;
  readonly calls: readonly StartedCall[];
  readonly results: ReadonlyMap<string, ToolOutput>;
  /** True when an earlier attempt started them. */
  readonly isResumed: boolean;
}
