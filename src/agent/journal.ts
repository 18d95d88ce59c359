// The steps of a run that recovery reads. A run that is over has none: they are removed with its result.

import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import type { JournalRow } from '../store/tables.ts';
import type { ToolGrant, ToolOutput } from '../tools/tool.ts';

export type JournalStep =
  /** The request is stored and about to be sent. Written for each request whose bytes differ from the one before. */
  | {
      readonly kind: 'request';
      readonly call: number;
      readonly provider: string;
      readonly model: string;
      /** Why a limit let another model answer. */
      readonly because?: string | undefined;
      /** The user's message, where the transcript must not keep it. */
      readonly unkept?: Message | undefined;
    }
  /** A plugin's command is about to be run for a person. */
  | { readonly kind: 'command-start'; readonly name: string; readonly owner: string }
  /** The command let the message go on to the agent. */
  | { readonly kind: 'command-end' }
  /** The model's message with calls that wait for a person; none of them has started. */
  | { readonly kind: 'ask'; readonly message: AssistantMessage }
  /** These calls passed the gate, or were vetoed, and are about to start. */
  | {
      readonly kind: 'tool-start';
      readonly calls: readonly StartedCall[];
      /** The approvals that were asked for these calls; they do not hold for later calls. */
      readonly spent?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'tool-result';
      readonly toolCallId: string;
      readonly content: string;
      readonly isError: boolean;
      readonly details: JsonValue;
    };

export interface StartedCall {
  readonly id: string;
  readonly name: string;
  readonly params: JsonObject;
  /** The result of a vetoed call, which does not run. */
  readonly veto: ToolOutput | null;
  /** What allowed the call, for a tool that decides by it. */
  readonly grant: ToolGrant | null;
}

export function stepsOf(journal: readonly JournalRow[]): readonly JournalStep[] {
  return journal.map(({ kind, data }) => ({ ...data, kind }) as unknown as JournalStep);
}
