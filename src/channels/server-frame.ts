// What the gateway sends to a page or a terminal over its socket. Parts are the delivery and are complete; frames about
// a running run are only for display and may be shortened.

import type { ChangeTopic } from '../protocol/change-topic.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { PulseSample } from '../protocol/pulse-sample.ts';
import type { MailboxPart } from './mailbox.ts';

export type ServerFrame =
  | {
      readonly type: 'ready';
      readonly surface: string;
      readonly sessionKey?: string | undefined;
      /** The name under which every page shows this session. A page under another name may come there with a second `hello`. */
      readonly pageSurface?: string | undefined;
      /** The last part that this surface has been sent. */
      readonly last: number;
      /** The last part that a client of this surface has acknowledged, as far as this gateway remembers. */
      readonly acked?: number | undefined;
      /** The most bytes that a frame of the client may have. */
      readonly largestFrame?: number | undefined;
    }
  | {
      readonly type: 'accepted';
      readonly id: string;
      readonly runId: string;
      readonly sessionKey: string;
      /** Set when the message had been accepted before. */
      readonly duplicate?: true | undefined;
    }
  | ({ readonly type: 'part' } & MailboxPart)
  | LiveFrame
  /** The answer to a call. */
  | { readonly type: 'result'; readonly id: string; readonly ok: true; readonly payload: JsonValue }
  | {
      readonly type: 'result';
      readonly id: string;
      readonly ok: false;
      readonly error: { readonly code: string; readonly message: string };
    }
  | { readonly type: 'error'; readonly message: string; readonly id?: string | undefined }
  | WatchFrame
  | { readonly type: 'pong' };

/** What is told to every client that watches the gateway. */
export type WatchFrame =
  /** The answer to `watch`. What the client has read before may be old. */
  | { readonly type: 'watching' }
  | { readonly type: 'changed'; readonly topics: readonly ChangeTopic[] }
  | { readonly type: 'sample'; readonly sample: PulseSample }
  | SessionNews;

export type LiveFrame = Extract<LiveEvent, { type: WatchedType }>;

const WATCHED_TYPES = [
  'message-accepted',
  'run-start',
  'text-delta',
  'thought-delta',
  'text-reset',
  'tool-start',
  'tool-end',
  'approval-start',
  'approval-end',
  'wait-start',
  'wait-end',
  'child-start',
  'child-end',
  'limit-near',
  'run-end',
] as const;
type WatchedType = (typeof WATCHED_TYPES)[number];

/** Returns the event in the bounded form that clients see, or undefined for events that clients do not see. */
export function liveFrameOf(event: LiveEvent): LiveFrame | undefined {
  switch (event.type) {
    case 'message-accepted':
    case 'text-delta':
    case 'thought-delta':
      return { ...event, text: event.text.slice(0, LONGEST_TEXT) };
    case 'tool-start':
      return { ...event, params: boundedParams(event.params) };
    case 'tool-end':
      return { ...event, content: event.content.slice(0, LONGEST_DETAIL) };
    case 'approval-start':
      return { ...event, description: boundedDescription(event.description) };
    case 'run-end':
      // The reply is left out here: it comes as parts, after the hooks that may change it.
      return { ...event, reply: undefined };
    case 'approval-end':
    case 'wait-start':
    case 'wait-end':
    case 'child-start':
    case 'child-end':
    case 'limit-near':
    case 'run-start':
    case 'text-reset':
      return event;
    default:
      return undefined;
  }
}

/** Something has happened in a session, or it has another title or place. How it is now is read from the API. */
export interface SessionNews {
  readonly type: 'session-news';
  readonly sessionKey: string;
  readonly at: number;
  readonly because: (typeof NEWS_TYPES)[number];
}

const NEWS_TYPES = [
  'message-accepted',
  'run-start',
  'run-end',
  'approval-start',
  'approval-end',
  'session-end',
  'session-change',
] as const;

/** Undefined for events that change nothing in a list of sessions. */
export function sessionNewsOf({ type, sessionKey, at }: LiveEvent): SessionNews | undefined {
  const because = NEWS_TYPES.find((each) => each === type);
  return because && { type: 'session-news', sessionKey, at, because };
}

const LONGEST_TEXT = 100_000;
const LONGEST_DETAIL = 4_000;

/** A person who decides must know that the description is longer than what is shown. */
function boundedDescription(text: string): string {
  const rest = text.length - LONGEST_TEXT;
  return rest <= 0
    ? text
    : `${text.slice(0, LONGEST_TEXT)}\n[${rest} more characters; "atrium approvals list" has them]`;
}

function boundedParams(params: JsonValue): JsonValue {
  const text = JSON.stringify(params) ?? '';
  return text.length <= LONGEST_DETAIL ? params : `${text.slice(0, LONGEST_DETAIL)}…`;
}
