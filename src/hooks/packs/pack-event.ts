// An event of hook packs as one handler gets it, and the messages that this handler pushes. Each handler has an event
// of its own, so that no other handler sees its changes, or what it pushes after its deadline.

import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { Deadline } from '../deadline.ts';
import type { HandlerFailure } from '../handler-failure.ts';
import { isolatedCopy } from '../isolated-copy.ts';
import { isQuoted } from '../own-words.ts';

export type PackEvent = Omit<InternalHookEvent, 'messages' | 'signal'>;

/** `besides` holds context fields that only this handler gets. */
export function packEventFor(event: PackEvent, besides: object | undefined, deadline: Deadline): InternalHookEvent {
  const context = { ...isolatedCopy(event.context), ...besides };
  return Object.defineProperty({ ...event, context, messages: [] as string[] }, 'signal', {
    // The signal is created only for a handler that reads it.
    get: () => deadline.signal,
    enumerable: true,
  });
}

export const MAX_MESSAGES = 20;
const MAX_MESSAGE_CHARS = 4_000;

/** The pushed messages that can be shown to a person. */
export function sayable(pushed: unknown): readonly string[] {
  if (!Array.isArray(pushed)) return [];
  return pushed
    .filter((message): message is string => typeof message === 'string' && message.trim() !== '')
    .slice(0, MAX_MESSAGES)
    .map((message) => message.slice(0, MAX_MESSAGE_CHARS));
}

const SAID_FIELDS = ['content', 'body'] as const;

/** A message may still be blocked, and then no log and no record may hold its words, even if a handler threw them. */
export function withoutQuotes(failure: HandlerFailure, { context }: PackEvent): HandlerFailure {
  const said = SAID_FIELDS.map((field) => context[field]).filter((text) => typeof text === 'string' && text !== '');
  return said.some((text) => isQuoted(String(text), failure.error))
    ? { ...failure, error: 'an error that quotes the message' }
    : failure;
}
