// What happens in the gateway, told while it happens, to every listener: sockets, streaming clients, the recorder. No
// code reads these events to decide anything. What must survive a crash is a row in the store before its event is told.
//
// Lifecycle: `message-accepted`, then `run-start`, any number of deltas and tool events, `run-end`, and one
// `delivery-end` per part. A run that is taken up again after a crash starts over with a higher attempt, and its drafts
// replace those of the attempt before.

import type { AttachmentRef } from './attachment.ts';
import type { Surface } from './inbound.ts';
import type { JsonValue } from './json.ts';
import type { Suppression } from './suppression.ts';

export type LiveEvent =
  /**
   * The event has no text while a gate may still block the message. It is told again with the text when the gate has
   * passed.
   */
  | (Base & {
      readonly type: 'message-accepted';
      readonly text: string;
      readonly attachments?: readonly AttachmentRef[] | undefined;
      readonly surface: Surface;
    })
  | (Base & {
      readonly type: 'run-start';
      readonly attempt: number;
      readonly agentId: string;
      readonly sessionId: string;
    })
  | (Base & { readonly type: 'text-delta'; readonly attempt: number; readonly call: number; readonly text: string })
  /** A piece of what the model thinks before it answers, where the provider tells it. */
  | (Base & { readonly type: 'thought-delta'; readonly attempt: number; readonly call: number; readonly text: string })
  /** The draft so far is void, because the call is made again or another model answers. */
  | (Base & { readonly type: 'text-reset'; readonly attempt: number; readonly call: number; readonly reason: string })
  | (Base & {
      readonly type: 'tool-start';
      readonly toolCallId: string;
      readonly name: string;
      readonly params: JsonValue;
    })
  | (Base & {
      readonly type: 'tool-end';
      readonly toolCallId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly ms: number;
      readonly content: string;
    })
  /** The run waits for a person and goes on when the person has answered. */
  | (Base & {
      readonly type: 'approval-start';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly title: string;
      readonly description: string;
      readonly severity: 'info' | 'warning' | 'critical';
      readonly allowedDecisions: readonly string[];
      readonly expiresAt: number;
    })
  | (Base & {
      readonly type: 'approval-end';
      readonly approvalId: string;
      readonly decision: string;
      readonly by: string;
    })
  /** The run waits for other sessions, or for its client, and goes on when they have ended or the time is over. */
  | (Base & {
      readonly type: 'wait-start';
      readonly toolCallId: string;
      readonly awaited: readonly string[];
      /** Set when an API client runs the tool, and is awaited. */
      readonly isForClient?: true | undefined;
      readonly expiresAt: number;
    })
  | (Base & {
      readonly type: 'wait-end';
      readonly toolCallId: string;
      /** `over` also when the time was over; `cancelled` when the run was stopped. */
      readonly outcome: 'over' | 'cancelled';
    })
  /** The session has spawned a child. The run is the one that spawned it. */
  | (Base & {
      readonly type: 'child-start';
      readonly childKey: string;
      readonly agentId: string;
      readonly label: string | null;
      readonly taskName: string | null;
    })
  | (Base & {
      readonly type: 'child-end';
      readonly childKey: string;
      readonly outcome: 'ok' | 'error' | 'timeout' | 'killed' | 'reset' | 'deleted';
      readonly error?: string | undefined;
    })
  /** A limit on spending is near. It is told once for each limit and period, with the run that brought it there. */
  | (Base & { readonly type: 'limit-near'; readonly setting: string; readonly text: string })
  | (Base & {
      readonly type: 'run-end';
      readonly status: RunStatus;
      readonly reply?: string | undefined;
      readonly error?: string | undefined;
    })
  | (Base & {
      readonly type: 'delivery-end';
      readonly seq: number;
      readonly part: number;
      readonly text: string;
      readonly surface: Surface;
      readonly outcome: 'sent' | 'failed' | 'suppressed' | 'dead';
      /** The platform's id of the message, where the platform gives one. */
      readonly messageId?: string | undefined;
      /** Says why the part did not arrive. */
      readonly error?: string | undefined;
      /** Says which handler stopped the part, and why. */
      readonly suppressed?: Suppression | undefined;
    })
  | (Base & { readonly type: 'session-end'; readonly sessionId: string; readonly reason: SessionEndReason })
  /** Something about a session is other than before, without a run: its title, its place in the list, its model. */
  | (Base & { readonly type: 'session-change'; readonly sessionId: string; readonly what: SessionChange });

interface Base {
  readonly sessionKey: string;
  readonly runId: string;
  /** The time in milliseconds. */
  readonly at: number;
}

export type LiveEventType = LiveEvent['type'];

/** `marked` is a title, putting away or a look; `deleted` is told when everything that was said is gone. */
export type SessionChange = 'marked' | 'branched' | 'model' | 'deleted';

/** The states of a run. `stopped` means by a person or by a client that left, `blocked` means by a gate. */
const RUN_STATUSES = ['running', 'suspended', 'done', 'failed', 'stopped', 'blocked'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const SESSION_END_REASONS = [
  'new',
  'reset',
  'idle',
  'daily',
  'compaction',
  'deleted',
  'shutdown',
  'restart',
  'unknown',
] as const;
export type SessionEndReason = (typeof SESSION_END_REASONS)[number];
