// What handlers are given and may answer around one run of an agent, from the choice of the model to the end. Field
// names are the plugin contract's and do not change.

import type { JsonObject } from '../protocol/json.ts';
import type { ConversationHookContext } from './hook-context.ts';
import type { HookAssistantMessage, HookMessage } from './hook-message.ts';
import type { ReplyPayload } from './message-hooks.ts';

export interface AgentHooks {
  before_model_resolve: {
    event: BeforeModelResolveEvent;
    context: ConversationHookContext;
    result: BeforeModelResolveResult;
  };
  before_agent_start: {
    event: BeforeAgentStartEvent;
    context: ConversationHookContext;
    result: BeforeAgentStartResult;
  };
  agent_turn_prepare: { event: AgentTurnPrepareEvent; context: ConversationHookContext; result: ContextContribution };
  heartbeat_prompt_contribution: {
    event: HeartbeatPromptEvent;
    context: ConversationHookContext;
    result: ContextContribution;
  };
  before_prompt_build: { event: BeforePromptBuildEvent; context: ConversationHookContext; result: PromptContribution };
  before_agent_run: { event: BeforeAgentRunEvent; context: ConversationHookContext; result: BeforeAgentRunResult };
  before_agent_reply: {
    event: BeforeAgentReplyEvent;
    context: ConversationHookContext;
    result: BeforeAgentReplyResult;
  };
  llm_input: { event: LlmInputEvent; context: ConversationHookContext; result: undefined };
  model_call_started: { event: ModelCallStartedEvent; context: ConversationHookContext; result: undefined };
  model_call_ended: { event: ModelCallEndedEvent; context: ConversationHookContext; result: undefined };
  llm_output: { event: LlmOutputEvent; context: ConversationHookContext; result: undefined };
  before_agent_finalize: {
    event: BeforeAgentFinalizeEvent;
    context: ConversationHookContext;
    result: BeforeAgentFinalizeResult;
  };
  agent_end: { event: AgentEndEvent; context: ConversationHookContext; result: undefined };
}

export interface BeforeModelResolveEvent {
  readonly prompt: string;
  readonly attachments?: readonly { readonly kind: string; readonly mimeType?: string | undefined }[] | undefined;
}

export interface BeforeModelResolveResult {
  readonly modelOverride?: string | undefined;
  readonly providerOverride?: string | undefined;
}

export interface BeforeAgentStartEvent {
  readonly prompt: string;
  readonly runId?: string | undefined;
  readonly messages?: readonly HookMessage[] | undefined;
}

export interface BeforeAgentStartResult extends BeforeModelResolveResult, PromptContribution {}

export interface AgentTurnPrepareEvent {
  readonly prompt: string;
  readonly messages: readonly HookMessage[];
  readonly queuedInjections: readonly QueuedInjection[];
}

/** Text that a plugin queued, as the run will show it. */
export interface QueuedInjection {
  readonly id: string;
  readonly pluginId: string;
  readonly text: string;
  readonly placement: 'prepend_context' | 'append_context';
  readonly idempotencyKey?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly expiresAt?: number | undefined;
}

export interface ContextContribution {
  readonly prependContext?: string | undefined;
  readonly appendContext?: string | undefined;
}

export interface HeartbeatPromptEvent {
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  readonly heartbeatName?: string | undefined;
}

export interface BeforePromptBuildEvent {
  readonly prompt: string;
  readonly messages: readonly HookMessage[];
}

export interface PromptContribution extends ContextContribution {
  readonly systemPrompt?: string | undefined;
  readonly prependSystemContext?: string | undefined;
  readonly appendSystemContext?: string | undefined;
}

export interface BeforeAgentRunEvent {
  readonly prompt: string;
  readonly messages: readonly HookMessage[];
  readonly systemPrompt?: string | undefined;
  readonly accountId?: string | undefined;
  readonly channelId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly senderIsOwner?: boolean | undefined;
}

/** `reason` is for the operator and is never shown to people or models; `message` is what the person reads. */
export interface BeforeAgentRunResult {
  readonly outcome?: 'pass' | 'block' | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly category?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

export interface BeforeAgentReplyEvent {
  /** What the person said, without commands and mentions. */
  readonly cleanedBody: string;
}

/** `handled` without a reply means that the person gets no answer. */
export interface BeforeAgentReplyResult {
  readonly handled?: boolean | undefined;
  readonly reply?: ReplyPayload | undefined;
  readonly reason?: string | undefined;
}

export interface LlmInputEvent {
  readonly runId: string;
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  readonly systemPrompt?: string | undefined;
  readonly prompt: string;
  readonly historyMessages: readonly HookMessage[];
  readonly imagesCount: number;
  readonly tools?: readonly object[] | undefined;
}

interface ContextWindowFields {
  readonly contextTokenBudget?: number | undefined;
  readonly contextWindowSource?: string | undefined;
  readonly contextWindowReferenceTokens?: number | undefined;
}

/** The event holds no content, so handlers may count it and send it elsewhere. */
export interface ModelCallStartedEvent extends ContextWindowFields {
  readonly runId: string;
  readonly callId: string;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly provider: string;
  readonly model: string;
  readonly api?: string | undefined;
  readonly transport?: string | undefined;
}

export interface ModelCallEndedEvent extends ModelCallStartedEvent {
  readonly durationMs: number;
  readonly outcome: 'completed' | 'error';
  readonly errorCategory?: string | undefined;
  readonly failureKind?: string | undefined;
  readonly requestPayloadBytes?: number | undefined;
  readonly responseStreamBytes?: number | undefined;
  readonly timeToFirstByteMs?: number | undefined;
  readonly upstreamRequestIdHash?: string | undefined;
}

export interface LlmOutputEvent extends ContextWindowFields {
  readonly runId: string;
  readonly sessionId: string;
  readonly provider: string;
  readonly model: string;
  /** The provider and the model as one text, in the form that the configuration uses. */
  readonly resolvedRef?: string | undefined;
  readonly harnessId?: string | undefined;
  readonly prompt?: string | undefined;
  readonly assistantTexts: readonly string[];
  readonly lastAssistant?: HookAssistantMessage | undefined;
  readonly usage?: HookUsage | undefined;
}

export interface HookUsage {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly total?: number | undefined;
}

export interface BeforeAgentFinalizeEvent {
  readonly runId?: string | undefined;
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly turnId?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly cwd?: string | undefined;
  readonly transcriptPath?: string | undefined;
  /** This is true when a handler has already asked for a revision in this run. */
  readonly stopHookActive: boolean;
  readonly lastAssistantMessage?: string | undefined;
  readonly messages?: readonly HookMessage[] | undefined;
}

export interface BeforeAgentFinalizeResult {
  readonly action?: 'continue' | 'revise' | 'finalize' | undefined;
  readonly reason?: string | undefined;
  readonly retry?: FinalizeRetry | undefined;
  /** Every retry that was asked for, in order, `retry` first. Filled in by the runner; a handler's own is ignored. */
  readonly retryCandidates?: readonly FinalizeRetry[] | undefined;
}

export interface FinalizeRetry {
  readonly instruction: string;
  /** Requests with the same key count together against `maxAttempts`. */
  readonly idempotencyKey?: string | undefined;
  readonly maxAttempts?: number | undefined;
}

export interface AgentEndEvent {
  readonly runId?: string | undefined;
  readonly messages: readonly HookMessage[];
  readonly success: boolean;
  readonly error?: string | undefined;
  readonly durationMs?: number | undefined;
  /** This is true when the run was taken up after a crash, so that handlers may have been told of its end before. */
  readonly recovered?: boolean | undefined;
}
