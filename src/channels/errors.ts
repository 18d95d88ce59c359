// The errors that channels raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class HelloMissingError extends defineError({
  code: 'ATRIUM_CHANNEL_HELLO_MISSING',
  message: 'The first frame on a socket must be a "hello": it tells where answers go. Send one, then this again.',
  means: 'A client on a socket spoke before it said where answers go.',
  remedy: 'Send a `hello` frame first.',
}) {}

export class ChannelClosedError extends defineError({
  code: 'ATRIUM_CHANNEL_CLOSED',
  message: ({ channel }: { channel: string }) =>
    `The channel ${channel} is closed because the gateway is stopping. Send this again when it is back.`,
  means: 'A message came while the gateway was stopping, and was not taken.',
  remedy: 'Send it again when the gateway is back.',
}) {}

export class UnknownMethodError extends defineError({
  code: 'ATRIUM_HTTP_METHOD_UNKNOWN',
  status: 404,
  message: ({ method, suggestion }: { method: string; suggestion: string | undefined }) =>
    `There is no method ${JSON.stringify(method)}.${suggestion ? ` Did you mean "${suggestion}"?` : ' GET /api/methods lists them.'}`,
  means: 'A client called a method that neither the gateway nor a plugin has.',
  remedy: 'Use one that `GET /api/methods` lists; its plugin may be disabled.',
}) {}
