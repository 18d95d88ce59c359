// The tables, as rows of plain data. Everything that must be kept across runs is in one of them. The backend decides
// how a row is stored; the meaning of each row is stated here, once.
//
// Times are milliseconds since 1970. The store sets `seq` columns in the order of insertion.

import type { AnswerWishes } from '../protocol/answer-wishes.ts';
import type { ApprovalDecision, ApprovalResolution } from '../protocol/approval-decision.ts';
import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { RunStatus, SessionEndReason } from '../protocol/live-event.ts';
import type { Message } from '../protocol/message.ts';
import type { Suppression } from '../protocol/suppression.ts';
import type { Usage } from '../protocol/usage.ts';

export interface Tables {
  sessions: SessionRow;
  transcript: TranscriptRow;
  inbox: InboxRow;
  runs: RunRow;
  laneHolds: LaneHoldRow;
  journal: JournalRow;
  outbox: OutboxRow;
  deadLetters: DeadLetterRow;
  injections: InjectionRow;
  parts: PartRow;
  captures: CaptureRow;
  promptPieces: PromptPieceRow;
  promptReceipts: PromptReceiptRow;
  hookRecords: HookRecordRow;
  approvals: ApprovalRow;
  waits: WaitRow;
  allowRules: AllowRuleRow;
  processes: ProcessRow;
  jobs: JobRow;
  jobSlots: JobSlotRow;
  usage: UsageRow;
  spending: SpendingRow;
  reservations: ReservationRow;
  toolListings: ToolListingRow;
  pluginState: PluginStateRow;
  children: ChildRow;
  attachments: AttachmentRow;
  uploads: UploadRow;
  drafts: DraftRow;
  pairings: PairingRow;
  channelMemory: ChannelMemoryRow;
  entryWords: EntryWordsRow;
  entriesToIndex: EntryToIndexRow;
  fileVersions: FileVersionRow;
}

export type TableName = keyof Tables;

/** The state of one agent on one surface. A key has at most one session that has not ended. */
export interface SessionRow {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAt: number;
  /** The time at which the last run of this session began. */
  readonly activeAt: number;
  readonly endedAt: number | null;
  /** The session that this one is a branch of: it began with a copy of what was said there. */
  readonly branchOf: string | null;
  /** The position of the last entry that was copied; 0 when the branch begins before everything that was said. */
  readonly branchAt: number | null;
  readonly endReason: SessionEndReason | null;
  /** The surface of the last message. */
  readonly surface: Surface | null;
  /** The session before this one with the same key. */
  readonly resumedFrom: string | null;
  /**
   * True from the commit that ends the session until its observers were told. After a crash the next process tells them
   * again.
   */
  readonly endToTell: boolean;
  /** What plugins and commands keep for this session, by owner. */
  readonly state: JsonObject;
  /** The title that a person gave it. */
  readonly title: string | null;
  /** The time at which a person put it away. It is kept, and a new message brings it back. */
  readonly archivedAt: number | null;
  /** The time at which a person last looked at it. What came later is unread. */
  readonly seenAt: number | null;
}

export interface TranscriptRow {
  readonly sessionId: string;
  /** Counts from 1. A commit that failed leaves a gap. */
  readonly position: number;
  readonly runId: string;
  readonly at: number;
  /**
   * A `notice` is for people only and is never sent to a model. A `compaction` replaces everything before it in later
   * requests: its message is the summary, and its `meta` says where the summary ends.
   */
  readonly kind: 'message' | 'notice' | 'compaction';
  /** The message exactly as it is sent to the model, now and in every later run. */
  readonly message: Message;
  /** What a person reads, where that differs: their own words without what hooks added around them. */
  readonly shown: string | null;
  readonly meta: JsonObject;
}

/** Starts or resumes a run. Lanes read nothing else. */
export interface InboxRow {
  readonly seq: number;
  readonly runId: string;
  readonly sessionKey: string;
  readonly kind: TriggerKind;
  readonly dedupeKey: string | null;
  /** A hash of the message, for a sender that may ask again. It is kept longer than the payload. */
  readonly fingerprint: string | null;
  /** Null after a gate has blocked the run or its session was deleted, because the words must not be kept then. */
  readonly payload: TriggerPayload | null;
  readonly acceptedAt: number;
  readonly status: 'queued' | 'claimed' | 'done' | 'dead';
}

export const TRIGGER_KINDS = [
  'message',
  'api',
  'webhook',
  'cron',
  'heartbeat',
  'spawn',
  'completion',
  'approval',
  'wake',
  'client',
  'note',
] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/**
 * Triggers of these kinds start no run: they have the run id of a suspended run and let it go on. `approval` says that a
 * person was asked and the question is over; `wake` that what the run waited for is over; `client` that an API client
 * brought the results of its own tools. The payload of the last kind has the newer request of the client.
 */
export const RESUMING_KINDS: ReadonlySet<TriggerKind> = new Set(['approval', 'wake', 'client']);

export interface TriggerPayload {
  readonly inbound: Inbound;
  readonly agentId: string;
  /** Messages that a fresh session begins with, for API clients that keep their own history. */
  readonly seed?: readonly Message[] | undefined;
  /** What an API client asks for besides the words. A trigger that brings results of its tools has the newer request. */
  readonly client?: ClientRequest | undefined;
  /** The run that this one repeats, because an operator sent a dead letter again or a client asked twice. */
  readonly replayOf?: string | undefined;
  readonly jobId?: string | undefined;
  /** Set for a trigger of kind `note`, which calls no model: the entry that its session's transcript gets. */
  readonly note?: TranscriptNote | undefined;
  /** The key of the child whose result this is. */
  readonly completionOf?: string | undefined;
  /** What started the run. Set in a trigger that resumes a run, and in a dead letter. */
  readonly resumes?: TriggerKind | undefined;
}

/** The part of an API client's request that is no message. */
export interface ClientRequest {
  /** The tools that the client runs itself. */
  readonly tools?: readonly ClientToolSpec[] | undefined;
  readonly wishes?: AnswerWishes | undefined;
  /** Which call of which API it was, for answers that are asked for again. `agent/` does not read it. */
  readonly asked?: JsonObject | undefined;
}

export interface ClientToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict?: true | undefined;
}

export interface TranscriptNote {
  /** A `notice` is for people only. What an agent `posted` from another conversation is also told to models. */
  readonly kind: 'notice' | 'posted';
  readonly text: string;
}

export interface RunRow {
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  /** Null until the run has opened its session. */
  readonly sessionId: string | null;
  readonly status: RunStatus;
  /** Rises with every claim. Only the holder of the latest claim may write. */
  readonly claim: number;
  /** The value of `claim` at the last step that was committed. Three claims later the run is given up. */
  readonly progressClaim: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: RunOutcome | null;
  /** False until the observers of the run's end were told. After a crash they are told again. */
  readonly observed: boolean;
  /** The member of the cluster that has the latest claim. Null where one gateway alone has the store. */
  readonly node: string | null;
  /** Why the run must end, when another node than the one that has it was asked to stop it. */
  readonly stopReason: string | null;
}

/** No run of this session begins while there is such a row. Only lanes over several nodes have them. */
export interface LaneHoldRow {
  readonly id: string;
  readonly sessionKey: string;
  /** The member of the cluster that holds the session. When it is gone, the others remove the row. */
  readonly node: string;
}

export interface RunOutcome {
  /** What was said in the end, after the outbound hooks. */
  readonly reply?: string | undefined;
  /** Which handler stopped the answer, and why. `reply` is empty then. */
  readonly suppressed?: Suppression | undefined;
  /** One sentence for people. */
  readonly error?: string | undefined;
  readonly errorCode?: string | undefined;
  /** The field of an API client's request that the run failed for. */
  readonly errorParam?: string | undefined;
  /** How the model call failed that the run failed with, by the kinds of docs/models.md. */
  readonly failureKind?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Why a limit on spending let this model answer instead of the one that was chosen, in one sentence. */
  readonly because?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  /** The reason why the model's last message ended: `stop`, `length`, `refusal`. */
  readonly stop?: string | undefined;
  /** What of the model's answers could not be read and was left out, one sentence each. */
  readonly notes?: readonly string[] | undefined;
}

/** One step of a run, which is read only to recover the run. `agent/journal.ts` knows the steps. */
export interface JournalRow {
  readonly runId: string;
  /** Counts from 1. A commit that failed leaves a gap. */
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
  /** The value of `surfaceId(surface)`, to look up what was sent to a surface. */
  readonly surfaceId: string;
  readonly text: string;
  /** The message that this answer replies to, and everything else that a channel needs to send it. */
  readonly options: JsonObject;
  readonly status: 'queued' | 'sent' | 'failed' | 'dead' | 'suppressed';
  readonly attempts: number;
  /** The row is not tried again before this time. */
  readonly nextAt: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly receipt: JsonValue;
  readonly error: string | null;
}

/** Something that will not continue by itself. A person may send it again or delete it. */
export interface DeadLetterRow {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly runId: string;
  readonly sessionKey: string;
  readonly reason: string;
  readonly createdAt: number;
  /** The whole payload of the inbox row, or the surface, text and options of an outbox row. */
  readonly payload: JsonValue;
}

/** Text that a plugin queues for the next run. It is shown in exactly one completed run. */
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
  /** The time when a request last used this part. Pruning goes by this time. */
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
  /** Where and how the request was sent, without secrets. */
  readonly envelope: JsonObject;
  /** The hashes of the parts. Their texts joined are the body, byte for byte. */
  readonly manifest: readonly string[];
  readonly size: number;
  /** False until the receipt of its run has seen this request. It is made behind the run, from the capture alone. */
  readonly isIndexed: boolean;
}

/**
 * A text that prompts share, so that each text is searched once whatever the number of its runs. Everything here was
 * made from captures and can be made again from them.
 */
export interface PromptPieceRow {
  readonly seq: number;
  /** The session key for words that belong to one session and go with it; empty for what sessions share. */
  readonly scope: string;
  /** Of the text and of what is said about it. It is unique in its scope. */
  readonly hash: string;
  /**
   * `prompt` is text that a model read, `file` is a file as it was read for a prompt, and `sources` has no text: it says
   * what prompts were made from, and what was left out of them.
   */
  readonly kind: 'prompt' | 'file' | 'sources';
  readonly text: string;
  readonly about: JsonObject;
  /** At most a day before the youngest run that uses it. Pruning goes by this time. */
  readonly usedAt: number;
}

/** Which texts the prompts of a run had. */
export interface PromptReceiptRow {
  readonly seq: number;
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  /** The time of its first request. */
  readonly at: number;
  /** The number of the piece that says what the prompt was made from. */
  readonly sources: number;
  /**
   * The numbers of the pieces that it had, ascending: the first one, then the distance of each to the one before it. It is a
   * text, because a question reads the lists of all runs, and a list of JSON would take most of its time.
   */
  readonly pieces: string;
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
  /**
   * The values of these fields before and after, without secrets. Null outside of runs, and in runs whose gate has not
   * passed.
   */
  readonly diff: JsonValue | null;
}

/** A tool call that waits for a person, or waited for one. */
export interface ApprovalRow {
  /** Short enough to type, and random enough that it cannot be guessed. */
  readonly id: string;
  readonly seq: number;
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The parameters with which the tool would run. */
  readonly params: JsonObject;
  /**
   * A hash of the tool, its final parameters, the requester and the version of the policy. An answer is valid only for
   * this hash.
   */
  readonly digest: string;
  /** The sender of the message: channel, account and sender. */
  readonly requester: JsonObject;
  readonly policyVersion: string;
  /** A hash of what the model had read when it asked. It is kept for audit and compared with nothing. */
  readonly contextHash: string;
  /** `exec`, or the plugin that asks for approval. */
  readonly askedBy: string;
  readonly title: string;
  readonly description: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly allowedDecisions: readonly ApprovalDecision[];
  /** The rule that `allow-always` would store, or null when no rule can express this call. */
  readonly rule: JsonObject | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly timeoutBehavior: 'allow' | 'deny';
  /** `void` means that the call is no longer the one that was asked about, so its answer does not count. */
  readonly status: 'waiting' | 'answered' | 'void';
  readonly decision: ApprovalResolution | null;
  readonly decidedAt: number | null;
  /** Who answered, in words for people: `web`, `cli`, `api`, a sender, `time`. */
  readonly decidedBy: string | null;
}

/**
 * A tool call for which its run is suspended until other sessions have ended, until the client has run its own tool, or
 * until its time is over. The row is removed with the result of the call, or with the run.
 */
export interface WaitRow {
  readonly runId: string;
  /** The position of the call in its run. The model's own id is not used, because ids may repeat. */
  readonly place: string;
  readonly sessionKey: string;
  readonly toolCallId: string;
  /** The keys of the sessions that the call waits for; none when it waits for the client. */
  readonly awaited: readonly string[];
  /** Whether one of them is enough. */
  readonly isAnyEnough: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The call as it is handed to the client that runs it; null when the call waits for sessions. */
  readonly handed: HandedCall | null;
  /** The result that the client brought. */
  readonly given: JsonValue;
  /** `over` means that the run was woken, `cancelled` that it was stopped while it waited. */
  readonly status: 'waiting' | 'over' | 'cancelled';
  /** Why it was cancelled. */
  readonly reason: string | null;
}

export interface HandedCall {
  /** The id under which the client knows the call. It names the run, so that the result finds it without a session. */
  readonly id: string;
  readonly name: string;
  readonly params: JsonObject;
  /** What the model said beside the calls of this answer. */
  readonly said: string;
}

/** A command that may run without approval, because a person allowed it once. */
export interface AllowRuleRow {
  readonly id: string;
  readonly agentId: string;
  readonly toolName: string;
  /** The words of the command, with the program first. They are compared one by one. */
  readonly argv: readonly string[];
  /**
   * The folder in which the command may run, relative to the workspace. Elsewhere the same command means something
   * else.
   */
  readonly cwd: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** The approval that created this rule. */
  readonly approvalId: string | null;
}

/** A command that goes on in the background. */
export interface ProcessRow {
  readonly id: string;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly runId: string;
  readonly pid: number | null;
  /** Distinguishes this process from a later one that got the same number. */
  readonly pidToken: string | null;
  readonly command: string;
  readonly cwd: string;
  readonly outputFile: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** `lost` means that the gateway stopped while the command ran, and the process no longer exists. */
  readonly status: 'running' | 'ended' | 'killed' | 'lost';
}

/** A job of the schedule. */
export interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly agentId: string;
  readonly enabled: boolean;
  /** A schedule of the form that `schedule/job-schedule.ts` defines: at, every or cron. */
  readonly schedule: JsonObject;
  /** What the agent is told. */
  readonly message: string;
  /** `own` is a session of the job; `main` is the agent's main session. */
  readonly session: 'own' | 'main';
  /** Where the answer goes. Null keeps it in the session. */
  readonly deliverTo: Surface | null;
  /** `provider/model` or an alias. Null is the model of the agent. */
  readonly model: string | null;
  /** The models that are asked when that one fails. Null is the fallbacks of the agent. */
  readonly fallbacks: readonly string[] | null;
  /** The longest that a run of it may take. Null is the limit of every run. */
  readonly timeoutSeconds: number | null;
  /** What happens to slots that passed while the gateway was down. With null the configuration decides at that time. */
  readonly missed: 'catch-up' | 'skip' | null;
  readonly removeAfterRun: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly createdBy: string;
  /** The next slot, or null when there is none left. */
  readonly nextAt: number | null;
}

/** One slot of a job. It is taken once, with any outcome. */
export interface JobSlotRow {
  readonly jobId: string;
  /** The planned time. */
  readonly slot: number;
  readonly seq: number;
  readonly at: number;
  readonly how: 'due' | 'caught-up' | 'by-hand' | 'skipped';
  /** Null when no run was started for this slot. */
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
  readonly purpose: 'run' | 'compaction' | 'embeddings' | 'replay';
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Null where no prices are known. */
  readonly cost: number | null;
}

/**
 * What one counter of a limit on spending has come to. A limit for each sender has a counter for each of them. Rows are
 * changed by additions only, so that calls at the same time count together. Money is in billionths, because whole
 * numbers can be added and taken away without a rest.
 */
export interface SpendingRow {
  /** Who is counted together, as `protocol/spend-limit.ts` writes it. */
  readonly subject: string;
  readonly per: 'day' | 'month' | 'session';
  /** The day (`2026-05-01`), the month (`2026-05`) or the id of the session. */
  readonly period: string;
  /** The time at which the period began. */
  readonly since: number;
  /** What calls that are over have cost. */
  readonly money: number;
  readonly tokens: number;
  /** What calls that are being made may cost at most. */
  readonly reservedMoney: number;
  readonly reservedTokens: number;
  /** The number of calls whose cost is not known and is not part of `money`. */
  readonly unpriced: number;
  /** When it was told that the limit is near. Null before that. */
  readonly warnedAt: number | null;
}

/**
 * What the model call of a run may cost at most. A run makes one call at a time, so it has at most one such row. It is
 * removed when the call is settled. A row that is left after a crash belongs to a call that was cut, which the provider
 * may have charged for.
 */
export interface ReservationRow {
  readonly runId: string;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  readonly money: number;
  readonly tokens: number;
  /** True when the price of the model is not known; `money` is 0 then. */
  readonly isUnpriced: boolean;
  /** The counters in which it is reserved. */
  readonly counters: readonly SpendingKey[];
}

/** Names one row of `spending`. */
export type SpendingKey = Pick<SpendingRow, 'subject' | 'per' | 'period'>;

/** The tools that a server offered when it was last asked, so that the server need not run to offer them. */
export interface ToolListingRow {
  readonly server: string;
  /** A hash of the server's configuration. When it changes, the listing is no longer valid. */
  readonly fingerprint: string;
  readonly tools: readonly JsonObject[];
  readonly listedAt: number;
}

/** What a plugin keeps for a session, under its own namespace. It is removed when the session is reset or deleted. */
export interface PluginStateRow {
  readonly sessionKey: string;
  readonly pluginId: string;
  readonly namespace: string;
  readonly value: JsonValue;
  readonly updatedAt: number;
}

/**
 * A session that another session spawned, and what the parent is owed for it. The row is written in the commit that
 * accepts the task. The commit that ends the last run of the child also sets its outcome and puts the result into the
 * inbox of the parent, so the parent gets it once.
 */
export interface ChildRow {
  readonly childKey: string;
  readonly seq: number;
  /** The session that spawned it, and the run and the tool call in which it did so. A call spawns one child. */
  readonly parentKey: string;
  readonly parentSessionId: string;
  readonly parentAgentId: string;
  readonly parentRunId: string;
  readonly call: string;
  /** The agent that does the work, in its own workspace. */
  readonly agentId: string;
  /** The first run of the child. */
  readonly runId: string;
  /** 1 for the child of a session that no other session spawned, 2 for a child of that one, and so on. */
  readonly depth: number;
  readonly mode: 'run' | 'session';
  readonly context: 'isolated' | 'fork';
  readonly task: string;
  readonly taskName: string | null;
  readonly label: string | null;
  /** The models to use, first choice first. When the list is empty, the agent's own models are used. */
  readonly models: readonly string[];
  /** The tools that the parent was offered when it spawned the child. The child is never offered others. */
  readonly tools: readonly string[];
  /** The place where the parent answered when it spawned the child. */
  readonly origin: Surface;
  /** The thread that was opened for the child, and its `surfaceId`. Messages written there go to the child. */
  readonly boundTo: Surface | null;
  readonly boundId: string | null;
  /** Whether the parent is told of the end. */
  readonly owes: boolean;
  readonly cleanup: 'keep' | 'delete';
  /** How long the child may take from the start of its first run. */
  readonly runTimeoutMs: number | null;
  readonly createdAt: number;
  /** Set when the child is to be ended before it ends by itself; its last run then ends with this outcome. */
  readonly ending: ChildOutcome | null;
  /** Null while the child works, waits in its lane, or waits for children of its own. */
  readonly endedAt: number | null;
  readonly outcome: ChildOutcome | null;
  /** What the child answered last. */
  readonly result: string | null;
  readonly error: string | null;
  /** False while the parent is owed the result; true when a run of the parent has consumed it, or none has to. */
  readonly isAnswered: boolean;
}

export const CHILD_OUTCOMES = ['ok', 'error', 'timeout', 'killed', 'reset', 'deleted'] as const;
export type ChildOutcome = (typeof CHILD_OUTCOMES)[number];

/**
 * A run that names a file: its message came with it, or its answer sends it. The bytes are stored once, under the hash,
 * as a blob. They are kept while a row names them, and only the session of such a row may read them.
 */
export interface AttachmentRow {
  readonly runId: string;
  readonly hash: string;
  readonly sessionKey: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly at: number;
}

/** A file that a client uploaded before the message that brings it. It is removed after an hour. */
export interface UploadRow {
  /** A random name that only the answer to the upload says. */
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly at: number;
  /** A hash of the message that has brought it; null while none has. */
  readonly usedBy: string | null;
}

/** The draft of a run that a platform shows or is about to show, until a part of the answer has taken its place. */
export interface DraftRow {
  readonly runId: string;
  readonly surface: Surface;
  /** The channel's name for the message that shows the draft; null while it is not known whether there is one. */
  readonly handle: JsonValue;
  readonly shownAt: number;
}

/** A person on a chat platform who asked to talk to the agent, or who may do so because the operator approved it. */
export interface PairingRow {
  readonly channel: string;
  readonly accountId: string;
  readonly senderId: string;
  /** How the person calls themselves, for the operator's eyes only. */
  readonly senderName: string | null;
  /** The direct conversation in which the person asked, and in which they are told the answer. */
  readonly surface: Surface;
  /** What the person was told and the operator types. Null once it was approved. */
  readonly code: string | null;
  readonly status: 'waiting' | 'approved';
  readonly requestedAt: number;
  /** A request that was not approved until then is forgotten. */
  readonly expiresAt: number | null;
  /** How often the person was told the code. */
  readonly timesTold: number;
  readonly approvedAt: number | null;
  readonly approvedBy: string | null;
}

/** What a channel remembers across restarts. Losing a row only makes the channel read something twice. */
export interface ChannelMemoryRow {
  readonly channel: string;
  readonly accountId: string;
  readonly name: string;
  readonly value: JsonValue;
  readonly at: number;
}

/**
 * The words of an entry of a transcript, so that it can be found by them. Made from the entry alone, behind the run, and
 * removed together with it.
 */
export interface EntryWordsRow {
  readonly seq: number;
  readonly sessionId: string;
  readonly position: number;
  readonly agentId: string;
  readonly at: number;
  /** Letters and digits only, in lower case and without accents; words are separated by one space. */
  readonly words: string;
}

/** An entry whose words are not in `entryWords` yet. It is stored in the same commit as the entry. */
export interface EntryToIndexRow {
  readonly sessionId: string;
  readonly position: number;
}

/** A text that a bootstrap file had, or was given through the gateway, so that an edit can be undone. */
export interface FileVersionRow {
  readonly seq: number;
  readonly agentId: string;
  /** The name of the file in the workspace, such as AGENTS.md. */
  readonly name: string;
  readonly at: number;
  /** Where it was written: `web`, `cli` or `api`; `disk` for a text that was found and that another program had written. */
  readonly author: string;
  /** Null when there was no file. */
  readonly text: string | null;
  /** The SHA-256 of the text; empty when there was no file. */
  readonly hash: string;
}
