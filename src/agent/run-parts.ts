// Everything that a run needs from outside, handed in. The agent knows no HTTP, no channel and no configuration file;
// delivery, routing and recording reach it as the small ports below.

import type { CommandList } from '../commands/chat-command.ts';
import type { Composition } from '../context/compose.ts';
import type { Tell } from '../facts/facts.ts';
import type { HookContext } from '../hooks/hook-context.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { Model, WireRequest } from '../models/model.ts';
import type { AttachmentRef, AttachmentSource } from '../protocol/attachment.ts';
import type { ChannelContext, InternalHookHandler } from '../protocol/bootstrap-event.ts';
import type { Button } from '../protocol/button.ts';
import type { CompactionSettings } from '../protocol/compaction-settings.ts';
import type { Inbound, RunWishes, Surface } from '../protocol/inbound.ts';
import type { Say } from '../protocol/log.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import type { Requester } from '../protocol/requester.ts';
import type { Trigger } from '../protocol/session-type.ts';
import type { SpendSettings } from '../protocol/spend-limit.ts';
import type { Suppression } from '../protocol/suppression.ts';
import type { LifetimeSettings } from '../sessions/session-lifetime.ts';
import type { TranscriptMemory } from '../sessions/transcript-memory.ts';
import type { NewRow, Store, Write } from '../store/store.ts';
import type { AttachmentRow, RunRow, SessionRow } from '../store/tables.ts';
import type { Tool } from '../tools/tool.ts';
import type { TrustedPolicy } from '../tools/trusted-policy.ts';
import type { SentFacts } from './capture-call.ts';
import type { LoopSettings } from './loop-watch.ts';
import type { RequestSpan } from './request-draft.ts';
import type { RequestFrame } from './request-frame.ts';
import type { ThreadHistoryPort } from './thread-history.ts';

export type RunHooks = HookRunner<InternalHookHandler>;

/** What drafting a request needs. A preview gets only this, so it cannot do anything else. */
export type DraftParts = Pick<
  RunParts,
  | 'store'
  | 'hooks'
  | 'context'
  | 'models'
  | 'lifetime'
  | 'tools'
  | 'compaction'
  | 'clientToolTimeoutMs'
  | 'missingPlugins'
  | 'attachments'
  | 'threadHistory'
  | 'warn'
>;

export interface RunParts {
  readonly store: Store;
  readonly hooks: RunHooks;
  readonly context: ContextPort;
  readonly models: ModelPort;
  /** When sessions end by themselves. */
  readonly lifetime: () => LifetimeSettings;
  readonly delivery: DeliveryPort;
  /** The tools that the policy allows in this scope now, in a stable order. */
  readonly tools: (scope: ToolScope) => Promise<readonly Tool[]>;
  /** Read for every call, in the order of registration. They decide before any hook. */
  readonly trustedPolicies?: (() => readonly TrustedPolicy[]) | undefined;
  readonly approvals: ApprovalPort;
  /** The plugins that the operator requires and that are not at work. While there is one, no run starts. */
  readonly missingPlugins: () => readonly { readonly id: string; readonly reason: string }[];
  /** The commands that people can type. */
  readonly commands: CommandList;
  /** Whether the operator speaks, in a session in which no other person can speak. */
  readonly isOwner: (who: { readonly sessionKey: string; readonly requester: Requester }) => boolean;
  /** The bytes of files and images that came with messages. */
  readonly attachments: AttachmentPort;
  /** Reads what was written in a thread before its session began. Without it, sessions of threads begin empty. */
  readonly threadHistory?: ThreadHistoryPort | undefined;
  /** The compaction settings of an agent. */
  readonly compaction: (agentId: string) => CompactionSettings;
  /** How long a run waits for the result of a tool that its API client runs. */
  readonly clientToolTimeoutMs: () => number;
  /** The writes that store a request byte for byte. */
  readonly capture: (request: CapturedRequest) => readonly Write[];
  /** The body that `capture` stored; undefined when it was pruned. */
  readonly readCapture: (runId: string, call: number) => Promise<KeptRequest | undefined>;
  /** The limits on what model calls may cost, as they are now; undefined when there are none. */
  readonly spend: () => SpendSettings | undefined;
  /** Tells a fact to all its listeners. */
  readonly tell: Tell;
  /** Called when the end of a run that was begun once is committed, with what its row says now. */
  readonly noteEnd: (end: Pick<RunRow, 'runId' | 'status' | 'outcome' | 'startedAt'>) => void;
  /** Called after a trigger for this session was committed. */
  readonly wakeLane: (sessionKey: string) => void;
  /** Writes to the operator's log about unexpected errors. */
  readonly warn: Say;
  readonly now: () => number;
  /** Whether the client that waits for the answer to this message on a connection is gone. */
  readonly isClientGone: (inbound: Inbound, acceptedAt: number) => boolean;
  /** Called when a run has its answer, before it is committed: its tools may have ended the agent's first run. */
  readonly worked: (agentId: string) => Promise<void>;
  /** True for the first run of this process in a session that began in an earlier process. */
  readonly isResumed: (session: SessionRow) => boolean;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What was said in the sessions that talk now. */
  readonly transcripts: TranscriptMemory;
  readonly settings: RunSettings;
  /** When repeated tool calls of an agent are told and refused. */
  readonly loops: (agentId: string) => LoopSettings;
}

export interface AttachmentPort extends AttachmentSource {
  /** Removes the files of rows that were just removed, unless another row names them. */
  forget(rows: readonly AttachmentRow[]): Promise<void>;
}

export interface RunSettings {
  /** How often one run may go back to the model with tool results. */
  readonly maxToolRounds: number;
  readonly runTimeoutMs: number;
  /** The longest that a run about the result of a child may take, when it is less than that. */
  readonly announceTimeoutMs?: number | undefined;
  readonly toolTimeoutMs: number;
}

/** The agent, session, sender and model whose tools are meant. */
export interface ToolScope {
  readonly agentId: string;
  readonly sessionKey: string;
  /** Undefined where no run exists and a caller only asks which tools there are. */
  readonly sessionId?: string | undefined;
  readonly requester: Requester;
  readonly provider: string;
  readonly model: string;
}

export interface ApprovalPort {
  readonly ttlMs: number;
  readonly timeoutBehavior: 'allow' | 'deny';
  /**
   * Changes with every setting that decides what an agent's tools may do; answers that were given under another version
   * are void.
   */
  readonly policyVersionOf: (agentId: string) => string;
}

export interface ContextPort {
  compose(request: {
    readonly agentId: string;
    readonly sessionKey: string;
    readonly sessionId: string;
    readonly trigger: Trigger;
    readonly channel?: ChannelContext | undefined;
    readonly channelName?: string | undefined;
    readonly isForSeveralPeople?: boolean | undefined;
    readonly at: Date;
    readonly runId: string;
    /** With false, the handlers' calls are not recorded. Previews use this. */
    readonly record: boolean;
  }): Promise<Composition>;
  workspaceDirOf(agentId: string): string;
}

export interface ModelPort {
  /**
   * The models of an agent, first choice first; those that were asked for by name and are not refused stand before its
   * own.
   */
  candidates(agentId: string, asked?: readonly string[]): readonly ModelRef[];
  /** The models of a run whose trigger names some. What it does not name is the agent's own. */
  wished(agentId: string, wishes: Pick<RunWishes, 'model' | 'fallbacks'>): readonly ModelRef[];
  /** Throws ModelNotAllowedError when no run of the agent may ask for the model of this name. */
  checkWished(agentId: string, name: string): void;
  /** Those of the names that the agent may not be given, each in the first answer only: it is said once. */
  refusedAnew(agentId: string, asked: readonly string[]): readonly string[];
  /** As this agent asks it. Rejects with an AtriumError when there is no such provider, or no key for it. */
  model(ref: ModelRef, agentId?: string): Promise<Model>;
}

/** What is sent: the answer, or the notice of a failure. */
export interface Answer {
  readonly runId: string;
  readonly sessionKey: string;
  readonly surface: Surface;
  readonly text: string;
  /** Files that are sent with it. The caller's commit names them (`nameAttachments`). */
  readonly attachments?: readonly AttachmentRef[] | undefined;
  readonly replyToId?: string | undefined;
  /** Set for words that a person decides about: no part of them may be read as markup, which could hide it. */
  readonly isLiteral?: true | undefined;
  /** Set when the caller's commit names the files of the rows (`outboxWrites`), so that long code may become one. */
  readonly mayBringFiles?: true | undefined;
  /** The model whose answer it is; absent for notices of the product. */
  readonly by?: ModelRef | undefined;
  /** What people may press instead of typing it, where the surface has buttons. */
  readonly buttons?: readonly Button[] | undefined;
  readonly context: HookContext;
}

/** What the outbound hooks made of an answer. */
export interface PlannedAnswer {
  readonly rows: readonly NewRow<'outbox'>[];
  /** The text that is really sent; empty when a handler cancelled it. */
  readonly text: string;
  readonly suppressed?: Suppression | undefined;
}

export interface DeliveryPort {
  /** Calls the outbound hooks and splits the answer. The rows are not committed yet. */
  plan(answer: Answer): Promise<PlannedAnswer>;
  /** Whether a draft with the words of the run's answer is shown, which the answer will replace. */
  isDraftShown(runId: string): Promise<boolean>;
  /** Called after rows were committed. */
  wake(): void;
}

export interface CapturedRequest {
  readonly runId: string;
  readonly call: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  /**
   * Behind `listsEnd` no value of the body is a list; where it is not known, the whole body is looked at. `cuts` are places
   * behind it, between which the body says the same as that of other requests.
   */
  readonly wire: WireRequest & {
    readonly listsEnd?: number | undefined;
    readonly cuts?: readonly number[] | undefined;
  };
  /** The authors of the parts that this request has and the one before it had not. */
  readonly spans?: readonly RequestSpan[] | undefined;
  readonly sent?: SentFacts | undefined;
  /** Set for the frame of a run: the value that the body has. Nobody changes it. */
  readonly frame?: RequestFrame | undefined;
}

export interface KeptRequest {
  readonly provider: string;
  readonly model: string;
  readonly wire: WireRequest;
}
