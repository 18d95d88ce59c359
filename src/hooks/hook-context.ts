// What a handler is told besides its event: the people, the place, the agent and the run. Every field is optional,
// because a hook may fire before a session, an agent or a model is known; a call site fills in what it knows and leaves
// out the rest.

export interface HookContext {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  /** The scheduled job that started the run. */
  readonly jobId?: string | undefined;
  readonly workspaceDir?: string | undefined;
  /** The platform, such as `discord`. */
  readonly messageProvider?: string | undefined;
  readonly accountId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly senderId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly messageId?: string | undefined;
  /** The message that this one answers, where the platform says so. */
  readonly replyToId?: string | undefined;
  /** What started the run: `user`, `heartbeat`, `cron`… */
  readonly trigger?: string | undefined;
  readonly modelProviderId?: string | undefined;
  readonly modelId?: string | undefined;
  /** The number of tokens that a request may have after every limit. */
  readonly contextTokenBudget?: number | undefined;
  /** The name of the setting that gave the budget. */
  readonly contextWindowSource?: string | undefined;
  /** The model's own window, where a lower limit applies. */
  readonly contextWindowReferenceTokens?: number | undefined;
  /** This is true when the run was taken up after a crash, so that the handler may be told for the second time. */
  readonly recovered?: boolean | undefined;
  readonly trace?: HookTrace | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  readonly callDepth?: number | undefined;
}

/** The context of hooks that fire around runs, tool calls and sessions. */
export interface ConversationHookContext extends HookContext {
  /** The conversation on the platform. */
  readonly channelId?: string | undefined;
  readonly [FAMILY]?: 'conversation' | undefined;
}

/** The context of hooks that fire when a message comes in or goes out. */
export interface MessageHookContext extends HookContext {
  /** The platform itself, like `messageProvider`; the conversation is `conversationId`. */
  readonly channelId?: string | undefined;
  readonly [FAMILY]?: 'message' | undefined;
}

/**
 * This field never exists at run time. It only keeps the compiler from accepting one family for the other, because
 * `channelId` means different things in them.
 */
declare const FAMILY: unique symbol;

export interface HookTrace {
  readonly traceId: string;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  readonly callDepth?: number | undefined;
}

/** Handlers may read the trace as one object or field by field. A call site gives the object, and these are the fields. */
export function traceFields({ traceId, spanId, parentSpanId, callDepth }: HookTrace): HookTrace {
  return { traceId, spanId, parentSpanId, callDepth };
}
