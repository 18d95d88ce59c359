// What happens to a message after it was written: a person edits it, deletes it, or reacts to it. Channels make these
// values of the platform's events. Such an event is never a message of its own, so it starts no run.

import type { Sender, Space, Surface } from './inbound.ts';

export type InboundChange = ChangeBase &
  (
    | { readonly kind: 'edit'; readonly text: string }
    | { readonly kind: 'delete' }
    | {
        readonly kind: 'reaction';
        /** The sign itself, or the platform's name of it. */
        readonly emoji: string;
        /** Set when the person took the reaction back. */
        readonly isRemoved?: true | undefined;
      }
  );

interface ChangeBase {
  readonly surface: Surface;
  /** The person who edited, deleted or reacted. */
  readonly sender: Sender;
  readonly space?: Space | undefined;
  /** The platform's id of the message that it happened to. */
  readonly messageId: string;
  readonly at: number;
  /** The platform's id of this event. Two events of one channel and account with the same id are one event. */
  readonly eventId: string;
}

/** The key by which a repeated delivery of one event is recognised. */
export function dedupeKeyOfChange({ surface, eventId }: Pick<InboundChange, 'surface' | 'eventId'>): string {
  return JSON.stringify([surface.channel, surface.accountId, 'change', eventId]);
}
