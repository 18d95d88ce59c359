// Every message passes `before_message_write` on its way into the transcript: a handler may rewrite it or keep it out.
// A message that is kept out is still used in this run, but later runs do not see it. When a handler fails that must not be
// skipped, the message is withheld, from the transcript and from the model.
// Errors: MessageWithheldError for the message of a person.

import { hookMessageOf, messageOf } from '../hooks/hook-message.ts';
import { type Message, toolCallsOf } from '../protocol/message.ts';
import type { RunSubject } from './draft-request.ts';
import type { DraftParts } from './run-parts.ts';
import { withheldMessage } from './withheld-message.ts';

export interface WrittenMessage {
  readonly message: Message;
  readonly blocked: boolean;
  /** The handlers that changed the message, if any did. */
  readonly rewrittenBy?: string | undefined;
  /** Handlers that a preview did not ask. */
  readonly skipped?: readonly string[] | undefined;
}

export async function writeMessage(
  parts: DraftParts,
  run: Pick<RunSubject, 'agentId' | 'sessionKey' | 'startedAt' | 'context'>,
  message: Message,
  options: { readonly pureOnly?: boolean; readonly record?: boolean } = {},
): Promise<WrittenMessage> {
  if (!parts.hooks.has('before_message_write')) return { message, blocked: false };
  const { result, refusal, calls, skipped } = await parts.hooks.run(
    'before_message_write',
    { message: hookMessageOf(message, run.startedAt), sessionKey: run.sessionKey, agentId: run.agentId },
    run.context,
    options,
  );
  if (refusal?.cause === 'failure') {
    const rewrittenBy = `before_message_write of ${refusal.owner}`;
    return { message: withheldMessage(message, refusal.reason), blocked: false, rewrittenBy, skipped };
  }
  return {
    message: result.message ? messageOf(message, { ...result.message }) : message,
    blocked: result.block === true && !isPartOfCall(message),
    rewrittenBy: rewritersOf(calls, 'before_message_write'),
    skipped,
  };
}

/** The owners of the handlers that changed a message, in the form of an author name. */
export function rewritersOf(
  calls: readonly { readonly owner: string; readonly changed: readonly string[] }[],
  hook: string,
): string | undefined {
  const owners = calls.filter(({ changed }) => changed.includes('message')).map(({ owner }) => owner);
  return owners.length === 0 ? undefined : `${hook} of ${[...new Set(owners)].join(', ')}`;
}

/** Such a message cannot be kept out: every provider refuses a call without its result, and the other way round. */
function isPartOfCall(message: Message): boolean {
  return message.role === 'tool' || (message.role === 'assistant' && toolCallsOf(message).length > 0);
}
