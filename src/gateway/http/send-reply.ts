// Sends an answer of JSON without the framework.

import type { ServerResponse } from 'node:http';
import type { JsonReply } from './json-reply.ts';

/** `shown` are the headers of every answer. */
export function sendReply(outgoing: ServerResponse, reply: JsonReply, shown: Readonly<Record<string, string>>): void {
  const bytes = Buffer.from(JSON.stringify(reply.body));
  const size = { 'content-type': 'application/json', 'content-length': bytes.length };
  outgoing.writeHead(reply.status, { ...shown, ...size, ...reply.headers });
  outgoing.end(bytes);
}
