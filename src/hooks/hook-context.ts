// Who and where: what a handler is told besides its event. Everything is optional, because a hook may fire before a
// session, an agent or a model is known; a call site fills in what it knows and leaves out the rest.

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
  /** The tokens that a request may have after every cap. */
  readonly contextTokenBudget?: number | undefined;
  /** Which setting gave the budget. */
  readonly contextWindowSource?: string | undefined;
  /** The model's own window, where a lower cap applies. */
  readonly contextWindowReferenceTokens?: number | undefined;
  /** True when the run was taken up after a crash, so that this may be told for the second time. */
  readonly recovered?: boolean | undefined;
  readonly trace?: HookTrace | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  readonly callDepth?: number | undefined;
}

/** Of hooks that fire around runs, tool calls and sessions. */
export interface ConversationHookContext extends HookContext {
  /** The conversation on the platform. */
  readonly channelId?: string | undefined;
  readonly [FAMILY]?: 'conversation' | undefined;
}

/** Of hooks that fire when a message comes in or goes out. */
export interface MessageHookContext extends HookContext {
  /** The platform itself, as `messageProvider`; the conversation is `conversationId`. */
  readonly channelId?: string | undefined;
  readonly [FAMILY]?: 'message' | undefined;
}

/** Never there: it only keeps the compiler from taking one family, whose `channelId` means something else, for the other. */
declare const FAMILY: unique symbol;

export interface HookTrace {
  readonly traceId: string;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  readonly callDepth?: number | undefined;
}

/** Handlers may read the trace as one object or field by field; whichever the call site gave, both are there. */
export function withTraceFields<Context extends HookContext>(context: Context): Context {
  const { trace } = context;
  if (!trace) return context;
  const { traceId, spanId, parentSpanId, callDepth } = trace;
  return { traceId, spanId, parentSpanId, callDepth, ...context };
}
