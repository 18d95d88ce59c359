// How a run's conversation ended: the reply to the surface, and the cost.

import type { AssistantMessage } from '../protocol/message.ts';
import type { Usage } from '../protocol/usage.ts';
import type { WrittenMessage } from './write-message.ts';

export interface RunAnswer {
  readonly kind: 'answer';
  /** An empty string means that the agent chose not to reply. */
  readonly reply: string;
  /** The model's last message, which is not in the transcript yet. */
  readonly message?: AssistantMessage | undefined;
  /** What the model told of its thoughts before that message. */
  readonly thoughts?: string | undefined;
  /** The user's message, where no committed request holds it. */
  readonly userMessage?: WrittenMessage | undefined;
  /** A plugin or a command answered, not a model. */
  readonly isSynthetic?: boolean | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Why a limit let another model answer than the one that was chosen, in one sentence. */
  readonly because?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly stop?: string | undefined;
  /** What of the model's answers could not be read and was left out, one sentence each. */
  readonly notes?: readonly string[] | undefined;
}
