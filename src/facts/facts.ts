// The facts of the product's life by name, each with the values that a call site hands over to tell it. The row of a
// fact in catalog.ts says what it becomes.

import type { HookCallRecord } from '../hooks/hook-call-record.ts';
import type { ConversationHookContext, HookContext, MessageHookContext } from '../hooks/hook-context.ts';
import type { CronChangedEvent, GatewayHookContext } from '../hooks/lifecycle-hooks.ts';
import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { LiveEvent, RunStatus, SessionChange, SessionEndReason } from '../protocol/live-event.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import type { RecordedModelCall } from '../protocol/recorded-fact.ts';
import type { Suppression } from '../protocol/suppression.ts';
import type { Usage } from '../protocol/usage.ts';

export interface Facts {
  'message-received': { readonly inbound: Inbound; readonly context: MessageHookContext };
  'message-accepted': {
    readonly inbound: Inbound;
    readonly runId: string;
    readonly sessionKey: string;
    readonly acceptedAt: number;
    /** A gate may still block the message, so its words are not shown before the gate has passed. */
    readonly isHidden: boolean;
    /** The message goes to an agent; false for a message that was answered at once. */
    readonly isForAgent: boolean;
  };
  'command-given': {
    readonly command: 'new' | 'reset' | 'stop';
    readonly sessionKey: string;
    readonly runId?: string | undefined;
    readonly workspaceDir?: string | undefined;
    /** The session that the command leaves behind, or that it is about. */
    readonly session?: SessionAtHand | undefined;
    readonly previous?: SessionAtHand | undefined;
    /** The platform, or `api`. */
    readonly source: string;
    readonly senderId?: string | undefined;
  };
  'session-resetting': {
    readonly reason: SessionEndReason;
    /** All messages of the session. */
    readonly messages: readonly KeptMessage[];
    readonly context: ConversationHookContext;
  };
  'session-ended': {
    readonly session: SessionAtHand;
    readonly reason: SessionEndReason;
    readonly messageCount: number;
    readonly durationMs: number;
    /** The session of the same key that replaces it. */
    readonly nextSessionId?: string | undefined;
    /** The context names the run that caused the change, where a run did. */
    readonly context: ConversationHookContext;
  };
  'session-paused': {
    readonly session: SessionAtHand;
    readonly reason: SessionEndReason;
    readonly messageCount: number;
    readonly durationMs: number;
    readonly context: ConversationHookContext;
  };
  'session-started': {
    readonly session: SessionAtHand;
    /** The session that this one takes up: the one of its key before it, or itself after a restart. */
    readonly resumedFrom: string | null;
    readonly context: ConversationHookContext;
  };
  'session-changed': { readonly session: SessionAtHand; readonly what: SessionChange };
  'session-patched': { readonly session: SessionAtHand; readonly patch: JsonObject };

  'run-started': {
    readonly run: RunAtHand;
    readonly startedAt: number;
    /** The run and the tool call that spawned the session, when this is its first run. */
    readonly spawnedBy?: { readonly runId: string; readonly toolCallId: string } | undefined;
    /** The children whose results the run is told. */
    readonly told?: readonly string[] | undefined;
  };
  'context-composed': { readonly run: RunAtHand; readonly composition: ComposedContext };
  'gate-passed': {
    readonly run: RunAtHand;
    /** The message that came in, where its words were hidden until now. */
    readonly shown?: Pick<Inbound, 'text' | 'attachments' | 'surface'> | undefined;
  };
  'gate-blocked': { readonly run: RunAtHand; readonly by: string };
  'reply-claimed': { readonly run: RunAtHand; readonly by: string };
  'prompt-sent': ModelStep & {
    readonly prompt: string;
    /** How many images of the message the model is shown. */
    readonly imagesCount: number;
    readonly system: readonly { readonly text: string }[];
    readonly tools: readonly object[];
    readonly messages: readonly Message[];
  };
  'model-called': ModelStep & {
    readonly call: number;
    /** The text of the request as it is sent, with the hash of every image in place of its bytes. */
    readonly body: string;
    /** How many bytes are sent. */
    readonly sentBytes: number;
    readonly system: readonly { readonly text: string }[];
    /** What the run was asked. A request for a summary has none. */
    readonly prompt?: string | undefined;
    readonly messages: readonly Message[];
  };
  'text-streamed': RunStep & { readonly attempt: number; readonly call: number; readonly text: string };
  'thought-streamed': RunStep & { readonly attempt: number; readonly call: number; readonly text: string };
  'text-voided': RunStep & { readonly attempt: number; readonly call: number; readonly reason: string };
  'model-ended': ModelStep & {
    readonly completed: RecordedModelCall;
    readonly end: ModelEndFacts;
    /** How many bytes the request had. */
    readonly sentBytes: number;
    readonly timeToFirstByteMs: number | undefined;
  };
  'answer-received': ModelStep & {
    readonly prompt: string;
    readonly message: AssistantMessage;
    readonly text: string;
    readonly usage: Usage;
  };
  'tool-started': { readonly run: RunAtHand; readonly call: ToolCallFacts };
  'tool-settled': {
    readonly run: RunAtHand;
    readonly call: ToolCallFacts;
    readonly output: { readonly content: string; readonly isError?: boolean | undefined; readonly details?: unknown };
    readonly ms: number;
  };
  'tool-ended': {
    readonly run: RunAtHand;
    readonly call: ToolCallFacts;
    /** The result as it is kept, after the handlers that may change it. */
    readonly content: string;
    readonly isError: boolean;
    readonly ms: number;
  };
  'approval-asked': RunStep & { readonly approval: ApprovalFacts };
  'approval-answered': RunStep & { readonly approvalId: string; readonly decision: string; readonly by: string };
  'wait-begun': RunStep & {
    readonly toolCallId: string;
    readonly awaited: readonly string[];
    readonly isForClient: boolean;
    readonly expiresAt: number;
  };
  'wait-ended': RunStep & { readonly toolCallId: string; readonly outcome: 'over' | 'cancelled' };
  'child-spawned': { readonly child: ChildAtHand };
  'child-ended': {
    readonly child: ChildAtHand;
    /** The run and the session in which it ended. */
    readonly runId: string;
    readonly sessionId: string;
  };
  'compaction-begun': {
    readonly run: RunAtHand;
    readonly messages: readonly KeptMessage[];
    readonly compactingCount: number;
    readonly tokenCount: number;
  };
  'compaction-done': {
    readonly run: RunAtHand;
    readonly left: { readonly messageCount: number; readonly tokenCount: number; readonly compactedCount: number };
    readonly summaryLength: number;
    readonly tokensBefore: number;
    readonly firstKeptEntryId?: string | undefined;
  };
  'limit-neared': RunStep & {
    /** Where the limit is written, such as `limits.spend[0]`. */
    readonly setting: string;
    /** One sentence for the operator. */
    readonly text: string;
  };
  'run-ended': RunStep & {
    readonly status: Exclude<RunStatus, 'running' | 'suspended'>;
    /** Where it is recorded, for a run that this process did not begin. */
    readonly sessionId?: string | undefined;
    readonly reply?: string | undefined;
    readonly error?: string | undefined;
    readonly errorCode?: string | undefined;
    readonly usage?: Usage | undefined;
    readonly ms?: number | undefined;
  };
  'agent-ended': {
    readonly runId: string;
    readonly messages: readonly KeptMessage[];
    readonly status: RunStatus;
    readonly error?: string | undefined;
    readonly durationMs: number;
    /** The observers may have been told of this end before. */
    readonly recovered?: boolean | undefined;
    readonly context: ConversationHookContext;
  };
  'delivery-ended': EndedDelivery & {
    /** The conversation and the person that the answer was for, as far as they are known. */
    readonly context: MessageHookContext;
  };
  'cron-changed': { readonly event: CronChangedEvent; readonly context: GatewayHookContext };
  'gateway-started': { readonly port: number; readonly context: GatewayHookContext };
  'gateway-restarting': { readonly reason: string };
  'gateway-stopping': { readonly reason: string };
  'gateway-stopped': { readonly reason: string; readonly context: GatewayHookContext };
  'plugin-loaded': { readonly pluginId: string; readonly port: number; readonly context: GatewayHookContext };
  'plugin-unloading': { readonly pluginId: string; readonly reason: string; readonly context: GatewayHookContext };
  'handler-called': HookCallRecord;
}

export type FactName = keyof Facts;

/** Tells one fact. Never throws; gives the messages of hook packs for the answer, where the row allows them. */
export type Tell = <Name extends FactName>(name: Name, fact: Facts[Name]) => Promise<readonly string[]>;

/** The run that a fact is about. */
export interface RunAtHand {
  readonly runId: string;
  readonly attempt: number;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly session: { readonly sessionId: string };
  readonly workspaceDir: string;
  readonly context: ConversationHookContext;
}

/** A session as the store keeps it. */
export interface SessionAtHand {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAt: number;
  readonly activeAt: number;
  readonly surface: Surface | null;
}

/** A step of a run of which only the id is known or needed. */
interface RunStep {
  readonly runId: string;
  readonly sessionKey: string;
}

/** A session that another session spawned. */
export interface ChildAtHand {
  readonly childKey: string;
  readonly agentId: string;
  /** Its first run. */
  readonly runId: string;
  readonly parentKey: string;
  readonly parentAgentId: string;
  readonly parentRunId: string;
  readonly label: string | null;
  readonly taskName: string | null;
  readonly mode: 'run' | 'session';
  readonly origin: Surface;
  readonly boundTo: Surface | null;
  readonly endedAt: number | null;
  readonly outcome: 'ok' | 'error' | 'timeout' | 'killed' | 'reset' | 'deleted' | null;
  readonly error: string | null;
}

/** One exchange with a provider. */
export interface ModelStep {
  readonly run: RunAtHand;
  readonly model: { readonly provider: string; readonly model: string; readonly api: string };
  /** How much of the model's window the run may use. */
  readonly window: Pick<HookContext, 'contextTokenBudget' | 'contextWindowSource' | 'contextWindowReferenceTokens'>;
  /** The step differs for each request to a provider within a run. */
  readonly step: string;
}

export interface ModelEndFacts {
  readonly stop: string;
  readonly error?: { readonly kind: string } | undefined;
  readonly requestId?: string | undefined;
  readonly responseBytes?: number | undefined;
}

export interface ToolCallFacts {
  readonly id: string;
  readonly name: string;
  readonly params: JsonObject;
}

export type ApprovalFacts = Omit<
  LiveEvent & { readonly type: 'approval-start' },
  'type' | 'runId' | 'sessionKey' | 'at'
>;

/** What the trajectory keeps of a composition: names and sizes, and the prompt as content. */
export interface ComposedContext {
  readonly prompt: { readonly text: string };
  readonly report: {
    readonly prompt: object;
    readonly budget: object;
    readonly layers: readonly { readonly id: string; readonly stability: string; readonly chars: number }[];
    readonly files: readonly {
      readonly name: string;
      readonly status: string;
      readonly reason?: unknown;
      readonly injectedChars: number;
    }[];
    readonly handlers: readonly {
      readonly id: string;
      readonly owner: string;
      readonly outcome: string;
      readonly ms: number;
    }[];
    readonly cuts: readonly {
      readonly file: string;
      readonly lines: unknown;
      readonly chars: unknown;
      readonly cause: string;
    }[];
    readonly absences: readonly { readonly what: string; readonly reason: string; readonly by?: unknown }[];
  };
}

export interface EndedDelivery {
  readonly runId: string;
  readonly sessionKey: string;
  readonly seq: number;
  readonly part: number;
  readonly text: string;
  readonly surface: Surface;
  readonly outcome: 'sent' | 'dead' | 'suppressed';
  /** The platform's id of the message, where the platform gives one. */
  readonly messageId?: string | undefined;
  /** Why the message did not arrive. */
  readonly error?: string | undefined;
  readonly suppressed?: Suppression | undefined;
}

/** A message of a conversation, and when it was written, where that is known. */
export interface KeptMessage {
  readonly message: Message;
  readonly at?: number | undefined;
}
