// The same conversation without its images, for a provider that has refused the request: an image may be damaged, or
// larger than the provider takes, and it would be sent again with every later request of the session. Each image leaves
// a line that says why it is not shown, so that the person gets an answer instead of the same refusal again.

import type { ModelFailure } from '../models/model.ts';
import { describeAttachment } from '../protocol/attachment.ts';
import type { Message } from '../protocol/message.ts';
import type { Conversation } from './conversation.ts';
import { nextRequest } from './next-request.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

/** Undefined when the refusal cannot be about an image. */
export async function hideImages(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  failure: ModelFailure,
): Promise<Conversation | undefined> {
  const { wire } = conversation;
  if (failure.kind !== 'bad-request' || !wire.images?.length) return undefined;
  return nextRequest(parts, run, conversation, { messages: conversation.messages.map(withoutImages) });
}

export function withoutImages(message: Message): Message {
  if (message.role !== 'user' || !message.attachments) return message;
  const lines = message.attachments.map((image) => `[Image: ${describeAttachment(image)}. ${REFUSED}]`);
  return { role: 'user', content: [message.content, ...lines].join('\n\n') };
}

const REFUSED = 'The provider refused the request with it, so it is not shown.';
