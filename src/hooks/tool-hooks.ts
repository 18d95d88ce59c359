// The events and answers of hooks around a tool call and around the writing of a message. Field names are the plugin
// contract's and do not change.

import type { ApprovalDecision, ApprovalResolution } from '../protocol/approval-decision.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ConversationHookContext } from './hook-context.ts';
import type { AnsweredMessage, HookMessage, HookToolResult } from './hook-message.ts';

export interface ToolHooks {
  before_tool_call: { event: BeforeToolCallEvent; context: ToolHookContext; result: BeforeToolCallResult };
  after_tool_call: { event: AfterToolCallEvent; context: ToolHookContext; result: undefined };
  tool_result_persist: { event: ToolResultPersistEvent; context: ToolHookContext; result: ToolResultPersistResult };
  before_message_write: {
    event: BeforeMessageWriteEvent;
    context: ConversationHookContext;
    result: BeforeMessageWriteResult;
  };
}

export interface ToolHookContext extends ConversationHookContext {
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
}

export interface BeforeToolCallEvent {
  readonly toolName: string;
  readonly params: JsonObject;
  readonly runId?: string | undefined;
  readonly toolCallId?: string | undefined;
  /** Paths that the call would probably touch. This is a guess: the call may touch fewer or more. */
  readonly derivedPaths?: readonly string[] | undefined;
}

export interface BeforeToolCallResult {
  /**
   * What a handler returns is merged over the parameters that it saw. What the runner returns are all parameters, when a
   * handler changed one.
   */
  readonly params?: JsonObject | undefined;
  readonly block?: boolean | undefined;
  readonly blockReason?: string | undefined;
  readonly requireApproval?: ApprovalRequest | undefined;
  /**
   * The requests of the other handlers that asked, in order. The runner fills this in; a handler's own value is
   * ignored.
   */
  readonly alsoAsked?: readonly ApprovalRequest[] | undefined;
}

export interface ApprovalRequest {
  readonly title: string;
  readonly description: string;
  readonly severity?: 'info' | 'warning' | 'critical' | undefined;
  readonly timeoutMs?: number | undefined;
  readonly timeoutBehavior?: 'allow' | 'deny' | undefined;
  readonly allowedDecisions?: readonly ApprovalDecision[] | undefined;
  /** Always the owner of the handler that asked, even when the handler wrote another name. */
  readonly pluginId?: string | undefined;
  readonly onResolution?: ((resolution: ApprovalResolution) => unknown) | undefined;
}

export interface AfterToolCallEvent {
  readonly toolName: string;
  /** The parameters that the tool was really given. */
  readonly params: JsonObject;
  readonly runId?: string | undefined;
  readonly toolCallId?: string | undefined;
  /** What the tool returned: `content` as blocks, and `details` where it has some. */
  readonly result?: unknown;
  readonly error?: string | undefined;
  readonly durationMs?: number | undefined;
}

export interface ToolResultPersistEvent {
  readonly toolName?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly message: HookToolResult;
  /** True when no tool ran, because the call was blocked or interrupted by a crash. */
  readonly isSynthetic?: boolean | undefined;
}

export interface ToolResultPersistResult {
  readonly message?: AnsweredMessage | undefined;
}

export interface BeforeMessageWriteEvent {
  readonly message: HookMessage;
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
}

export interface BeforeMessageWriteResult {
  readonly message?: AnsweredMessage | undefined;
  readonly block?: boolean | undefined;
}
