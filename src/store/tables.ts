// The tables, as rows of plain data. Everything that must hold across runs is in one of them. How a row is laid out in
// a database is the backend's affair; what it means stands here, once.
//
// Times are milliseconds since 1970. `seq` columns are given by the store in the order of insertion.

import type { ApprovalDecision, ApprovalResolution } from '../protocol/approval-decision.ts';
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
  approvals: ApprovalRow;
  allowRules: AllowRuleRow;
  processes: ProcessRow;
  jobs: JobRow;
  jobSlots: JobSlotRow;
  usage: UsageRow;
  toolListings: ToolListingRow;
  pluginState: PluginStateRow;
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
  /** True from the commit that ends the session until its observers were told; the next process tells them again. */
  readonly endToTell: boolean;
  /** What plugins and commands keep for this session, by owner. */
  readonly state: JsonObject;
}

export interface TranscriptRow {
  readonly sessionId: string;
  /** From 1, rising; a commit that failed leaves a gap. */
  readonly position: number;
  readonly runId: string;
  readonly at: number;
  /**
   * A `notice` is for people only and never sent to a model. A `compaction` says how everything before it is told from
   * now on: its message stands for what it summarises, its `meta` says up to where.
   */
  readonly kind: 'message' | 'notice' | 'compaction';
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
  /** For the answer to an approval, and in a dead letter: what started the run. */
  readonly resumes?: TriggerKind | undefined;
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
  /** What was said in the end, after the outbound hooks. */
  readonly reply?: string | undefined;
  /** Which handler stopped the answer, and why; `reply` is empty then. */
  readonly suppressed?: { readonly hook: string; readonly by: string; readonly reason: string } | undefined;
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
  /** What it changed them from and to, secrets taken out; null outside of runs whose gate has passed. */
  readonly diff: JsonValue | null;
}

/** A tool call that waits for a person, or waited for one. */
export interface ApprovalRow {
  /** Short enough to be typed, and not to be guessed. */
  readonly id: string;
  readonly seq: number;
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** Exactly what would run. */
  readonly params: JsonObject;
  /** Of the tool, its final parameters, the requester and the version of the policy: an answer holds for nothing else. */
  readonly digest: string;
  /** Whose message it was: channel, account and sender. */
  readonly requester: JsonObject;
  readonly policyVersion: string;
  /** Of what the model had read when it asked; kept for audit, compared with nothing. */
  readonly contextHash: string;
  /** `exec`, or the plugin that wants a person's word. */
  readonly askedBy: string;
  readonly title: string;
  readonly description: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly allowedDecisions: readonly ApprovalDecision[];
  /** What `allow-always` would write down; null when there is no rule that could stand for it. */
  readonly rule: JsonObject | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly timeoutBehavior: 'allow' | 'deny';
  /** `void`: the call drifted from what was asked, so that its answer counts for nothing. */
  readonly status: 'waiting' | 'answered' | 'void';
  readonly decision: ApprovalResolution | null;
  readonly decidedAt: number | null;
  /** Who answered, for people: `web`, `cli`, `api`, a sender, `time`. */
  readonly decidedBy: string | null;
}

/** A command that may run without asking, because a person said so once. */
export interface AllowRuleRow {
  readonly id: string;
  readonly agentId: string;
  readonly toolName: string;
  /** The words of the command, program first, compared one by one. */
  readonly argv: readonly string[];
  /** The folder that it may run in, relative to the workspace; a command means something else elsewhere. */
  readonly cwd: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** The approval that wrote it. */
  readonly approvalId: string | null;
}

/** A command that goes on in the background. */
export interface ProcessRow {
  readonly id: string;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly runId: string;
  readonly pid: number | null;
  /** Tells this process from a later one that was given the same number. */
  readonly pidToken: string | null;
  readonly command: string;
  readonly cwd: string;
  readonly outputFile: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** `lost`: the gateway stopped while it ran, and it is not there any more. */
  readonly status: 'running' | 'ended' | 'killed' | 'lost';
}

/** A job of the schedule. */
export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly agentId: string;
  readonly enabled: boolean;
  /** What `schedule/job-schedule.ts` knows: at, every or cron. */
  readonly schedule: JsonObject;
  /** What the agent is told. */
  readonly message: string;
  /** `own`: a session of the job. `main`: the agent's main one. */
  readonly session: 'own' | 'main';
  /** Where the answer goes; null keeps it in the session. */
  readonly deliverTo: Surface | null;
  /** What becomes of slots that passed while nobody was there; null for what the configuration says by then. */
  readonly missed: 'catch-up' | 'skip' | null;
  readonly removeAfterRun: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string;
  /** The slot that is next; null when there is none left. */
  readonly nextAt: number | null;
}

/** One slot of a job that was taken, once, whatever became of it. */
export interface JobSlotRow {
  readonly jobId: string;
  /** The time that it was meant for. */
  readonly slot: number;
  readonly seq: number;
  readonly at: number;
  readonly how: 'due' | 'caught-up' | 'by-hand' | 'skipped';
  /** Null when nothing was run for it. */
  readonly runId: string | null;
}

/** What one call to a model cost. */
export interface UsageRow {
  readonly seq: number;
  readonly runId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly at: number;
  readonly purpose: 'run' | 'compaction';
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Null where no prices are known. */
  readonly cost: number | null;
}

/** The tools that a server offered when it was last asked, so that it need not run to be offered. */
export interface ToolListingRow {
  readonly server: string;
  /** Of its configuration; another one means another listing. */
  readonly fingerprint: string;
  readonly tools: readonly JsonObject[];
  readonly listedAt: number;
}

/** What a plugin keeps for a session, under a namespace of its own. It goes when the session is reset or deleted. */
export interface PluginStateRow {
  readonly sessionKey: string;
  readonly pluginId: string;
  readonly namespace: string;
  readonly value: JsonValue;
  readonly updatedAt: number;
}
