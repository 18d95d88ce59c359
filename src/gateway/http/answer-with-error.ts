// Answers a request that cannot be handed to the app, as the app answers an error that nobody expected.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorReply } from './error-reply.ts';
import { sendReply } from './send-reply.ts';

export function answerWithError(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: unknown,
  { shown, warn }: { readonly shown: Readonly<Record<string, string>>; readonly warn: (text: string) => void },
): void {
  const { method = '', url = '/' } = incoming;
  // What stands behind the question mark may be a secret, and this is written into the log.
  const [path = '/'] = url.split('?', 1);
  sendReply(outgoing, errorReply(error, { method, path, warn }), shown);
}
