// The tables, as rows of plain data. Everything that must hold across runs is in one of them. How a row is laid out in
// a database is the backend's affair; what it means stands here, once.
//
// Times are milliseconds since 1970. `seq` columns are given by the store in the order of insertion.

import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { RunStatus, SessionEndReason } from '../protocol/live-event.ts';
import type { Message } from '../protocol/message.ts';
import type { Usage } from '../protocol/usage.ts';

export interface Tables {
  sessions: SessionRow;
  transcript: TranscriptRow;
  inbox: InboxRow;
  runs: RunRow;
  journal: JournalRow;
  outbox: OutboxRow;
  deadLetters: DeadLetterRow;
  injections: InjectionRow;
  parts: PartRow;
  captures: CaptureRow;
  hookRecords: HookRecordRow;
}

export type TableName = keyof Tables;

/** The state of one agent on one surface. A key has at most one session that has not ended. */
export interface SessionRow {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAt: number;
  /** When the last run of this session began. */
  readonly activeAt: number;
  readonly endedAt: number | null;
  readonly endReason: SessionEndReason | null;
  /** Where the last message came from. */
  readonly surface: Surface | null;
  /** The session of the same key before this one. */
  readonly resumedFrom: string | null;
  /** What plugins and commands keep for this session, by owner. */
  readonly state: JsonObject;
}

export interface TranscriptRow {
  readonly sessionId: string;
  /** From 1, rising; a commit that failed leaves a gap. */
  readonly position: number;
  readonly runId: string;
  readonly at: number;
  /** A `notice` is for people only and never sent to a model. */
  readonly kind: 'message' | 'notice';
  /** Exactly as the model is sent it, now and in every later run. */
  readonly message: Message;
  /** What a person reads, where that differs: their own words without what hooks added around them. */
  readonly shown: string | null;
  readonly meta: JsonObject;
}

/** What starts or resumes a run. Lanes read nothing else. */
export interface InboxRow {
  readonly seq: number;
  readonly runId: string;
  readonly sessionKey: string;
  readonly kind: TriggerKind;
  readonly dedupeKey: string | null;
  /** A hash of what was said, for a sender who may ask again; it outlives the payload. */
  readonly fingerprint: string | null;
  /** Null once a gate has blocked the run or its session was deleted: what was said is then not kept. */
  readonly payload: TriggerPayload | null;
  readonly acceptedAt: number;
  readonly status: 'queued' | 'claimed' | 'done' | 'dead';
}

export const TRIGGER_KINDS = ['message', 'api', 'cron', 'heartbeat', 'spawn', 'completion', 'approval'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

export interface TriggerPayload {
  readonly inbound: Inbound;
  readonly agentId: string;
  /** Messages that a fresh session begins with, for API clients that keep their own history. */
  readonly seed?: readonly Message[] | undefined;
  /** An operator's dead letter or a client that asked twice: the run that this one repeats. */
  readonly replayOf?: string | undefined;
  readonly jobId?: string | undefined;
}

export interface RunRow {
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  /** Null until the run has opened its session. */
  readonly sessionId: string | null;
  readonly status: RunStatus;
  /** Counts up with every claim. Only the holder of the latest one may write. */
  readonly claim: number;
  /** The value of `claim` at the last step that was committed; three claims later the run is given up. */
  readonly progressClaim: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: RunOutcome | null;
  /** False until the observers of the run's end were told; recovery tells them again. */
  readonly observed: boolean;
}

export interface RunOutcome {
  readonly reply?: string | undefined;
  /** One sentence for people. */
  readonly error?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  /** Why the model's last message ended: `stop`, `length`, `refusal`. */
  readonly stop?: string | undefined;
}

/** One step of a run, read only to recover it. What the steps are is known in `agent/journal.ts`. */
export interface JournalRow {
  readonly runId: string;
  /** From 1, rising; a commit that failed leaves a gap. */
  readonly position: number;
  readonly kind: string;
  readonly at: number;
  readonly data: JsonObject;
}

/** One part of an answer on its way to a surface. */
export interface OutboxRow {
  readonly seq: number;
  readonly runId: string;
  readonly part: number;
  readonly sessionKey: string;
  readonly surface: Surface;
  /** `surfaceId(surface)`, to look up what a surface was sent. */
  readonly surfaceId: string;
  readonly text: string;
  /** Where the answer replies to, and whatever else a channel needs to send it. */
  readonly options: JsonObject;
  readonly status: 'queued' | 'sent' | 'failed' | 'dead' | 'suppressed';
  readonly attempts: number;
  /** Not tried again before this. */
  readonly nextAt: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly receipt: JsonValue;
  readonly error: string | null;
}

/** Something that will not go on by itself; a person may send it again or throw it away. */
export interface DeadLetterRow {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly runId: string;
  readonly sessionKey: string;
  readonly reason: string;
  readonly createdAt: number;
  /** The whole inbox payload, or the surface, text and options of an outbox row. */
  readonly payload: JsonValue;
}

/** Text that a plugin queues for the next run, shown in exactly one completed run. */
export interface InjectionRow {
  readonly id: string;
  readonly seq: number;
  readonly owner: string;
  readonly sessionKey: string;
  readonly idempotencyKey: string | null;
  readonly placement: 'prepend' | 'append';
  readonly text: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly status: 'queued' | 'bound' | 'consumed';
  /** The run that it is bound to. */
  readonly runId: string | null;
}

/** A piece of a request, stored once under its hash. */
export interface PartRow {
  readonly hash: string;
  readonly text: string;
  readonly size: number;
  /** When a request last used it; pruning goes by this. */
  readonly usedAt: number;
}

/** One request to a model, as the list of its parts. */
export interface CaptureRow {
  readonly runId: string;
  /** Counts the model calls of a run from 1. */
  readonly call: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  /** Where and how it was sent, without secrets. */
  readonly envelope: JsonObject;
  /** Hashes of parts; their texts joined are the body, byte for byte. */
  readonly manifest: readonly string[];
  readonly size: number;
}

export interface HookRecordRow {
  readonly seq: number;
  readonly runId: string | null;
  readonly sessionKey: string | null;
  readonly hook: string;
  readonly handler: string;
  readonly owner: string;
  readonly at: number;
  readonly ms: number;
  readonly outcome: string;
  readonly error: string | null;
  /** The fields of the result that this handler decided. */
  readonly changed: readonly string[];
}
