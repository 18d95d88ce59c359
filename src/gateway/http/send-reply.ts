// Sends an answer of JSON without the framework. Beside `answerWithError`, which answers as the app answers an error that nobody
// expected.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorReply } from './error-reply.ts';
import type { JsonReply } from './json-reply.ts';

type Headers = Readonly<Record<string, string>>;

/** `shown` are the headers of every answer. */
export function sendReply(outgoing: ServerResponse, reply: JsonReply, shown: Headers): void {
  const bytes = Buffer.from(JSON.stringify(reply.body));
  const size = { 'content-type': 'application/json', 'content-length': bytes.length };
  outgoing.writeHead(reply.status, { ...shown, ...size, ...reply.headers });
  outgoing.end(bytes);
}

export function answerWithError(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  error: unknown,
  { shown, warn }: { readonly shown: Headers; readonly warn: (text: string) => void },
): void {
  const { method = '', url = '/' } = incoming;
  // What stands behind the question mark may be a secret, and this is written into the log.
  const [path = '/'] = url.split('?', 1);
  sendReply(outgoing, errorReply(error, { method, path, warn }), shown);
}
