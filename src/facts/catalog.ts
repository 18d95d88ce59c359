// The fact catalog: one row per fact of the product's life, in the order in which a message meets them. A row says
// which plugin hook, which event of hook packs, which live frame and which record a fact becomes, and between which
// commits it is told. The rows together are everything that the product tells to plugins, hook packs, watchers and the
// trajectory. What a fact carries stands in facts.ts, how it is told in teller.ts; docs/lifecycle.md shows this table.

import type { ConversationHookContext, HookContext } from '../hooks/hook-context.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import { type HookAssistantMessage, type HookMessage, hookMessageOf, hookToolOutputOf } from '../hooks/hook-message.ts';
import { childTrace, inStep, runTrace } from '../hooks/hook-trace.ts';
import type { HookTypes, ObserverHookName, PackHookName } from '../hooks/hook-types.ts';
import type { DeliveryOrigin, SubagentHookContext } from '../hooks/session-hooks.ts';
import { userContextOf } from '../hooks/user-context.ts';
import type { Inbound, Surface } from '../protocol/inbound.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { LiveEvent, LiveEventType } from '../protocol/live-event.ts';
import type { RecordedFact, RecordedFactType } from '../protocol/recorded-fact.ts';
import { sha256Of } from '../protocol/sha256-of.ts';
import type {
  ChildAtHand,
  FactName,
  Facts,
  KeptMessage,
  ModelEndFacts,
  ModelStep,
  RunAtHand,
  SessionAtHand,
} from './facts.ts';

export interface FactRow<Fact> {
  readonly summary: string;
  /** The commit sites between which the fact is told; empty where it does not depend on a commit. */
  readonly when: {
    readonly after?: readonly string[] | undefined;
    readonly before?: readonly string[] | undefined;
  };
  readonly hook?: HookTelling<Fact> | undefined;
  readonly pack?: PackTelling<Fact> | undefined;
  readonly live?: LiveTelling<Fact> | undefined;
  readonly record?: RecordTelling<Fact> | undefined;
}

/** How a fact becomes a plugin hook. When `event` gives undefined, plugins are not told of this fact. */
export type HookTelling<Fact> = {
  [Hook in ObserverHookName]: {
    readonly name: Hook;
    readonly event: (fact: Fact) => HookTypes[Hook]['event'] | undefined;
    readonly context: (fact: Fact) => HookTypes[Hook]['context'];
    /** The only plugin that is told; without it all plugins are told. */
    readonly owner?: ((fact: Fact) => string) | undefined;
    /** The caller waits until the observers were told, although the hook catalog does not mark the hook as awaited. */
    readonly isAwaited?: true | undefined;
  };
}[ObserverHookName];

export interface PackTelling<Fact> {
  readonly names: readonly PackHookName[];
  readonly name: (fact: Fact) => PackHookName | undefined;
  readonly sessionKey: (fact: Fact) => string;
  /** Computed only when a handler listens. */
  readonly context: (fact: Fact) => JsonObject;
  /**
   * Where the messages that packs push are shown: in the answer that follows, or at the session's surface. Without it
   * they are not shown.
   */
  readonly says?: 'answer' | 'surface' | undefined;
}

export interface LiveTelling<Fact> {
  readonly type: LiveEventType;
  readonly frame: (fact: Fact, at: number) => LiveEvent | undefined;
}

export interface RecordTelling<Fact> {
  readonly type: RecordedFactType;
  readonly of: (fact: Fact) => RecordedFact | undefined;
}

export const FACT_CATALOG: { readonly [Name in FactName]: FactRow<Facts[Name]> } = {
  'message-received': {
    summary: 'A message came in and no plugin has claimed it.',
    when: { before: ['accept', 'control'] },
    hook: {
      name: 'message_received',
      event: ({ inbound, context: { sessionKey, runId, trace } }) => {
        const { surface, sender, text, at, messageId, replyToId, metadata } = inbound;
        return {
          from: sender.id,
          content: text,
          ...bodyOf(inbound),
          timestamp: at,
          threadId: surface.threadId,
          messageId,
          replyToId,
          senderId: sender.id,
          sessionKey,
          runId,
          ...trace,
          metadata,
        };
      },
      context: ({ context }) => context,
    },
    pack: {
      ...packEvent('message:received', ({ context }) => context.sessionKey ?? ''),
      context: ({ inbound: { surface, sender, text, at, messageId, metadata } }) => ({
        from: sender.id,
        content: text,
        timestamp: at,
        channelId: surface.channel,
        accountId: surface.accountId,
        conversationId: surface.peer.id,
        ...(messageId === undefined ? {} : { messageId }),
        metadata: {
          ...metadata,
          to: surface.peer.id,
          provider: surface.channel,
          surface: surface.channel,
          senderId: sender.id,
          ...(sender.name === undefined ? {} : { senderName: sender.name }),
          ...(sender.username === undefined ? {} : { senderUsername: sender.username }),
          ...(surface.threadId === undefined ? {} : { threadId: surface.threadId }),
        },
      }),
    },
  },
  'message-accepted': {
    summary: 'A message is in the inbox, or was answered at once.',
    when: { after: ['accept', 'control'] },
    live: {
      type: 'message-accepted',
      frame: ({ inbound: { text, attachments, surface }, runId, sessionKey, acceptedAt: at, isHidden }) => ({
        type: 'message-accepted',
        runId,
        sessionKey,
        at,
        text: isHidden ? '' : text,
        ...(attachments && !isHidden ? { attachments } : {}),
        surface,
      }),
    },
    pack: {
      names: ['message:preprocessed'],
      name: ({ isForAgent }) => (isForAgent ? 'message:preprocessed' : undefined),
      sessionKey: ({ sessionKey }) => sessionKey,
      context: ({ inbound: { surface, sender, text, at, messageId } }) => {
        const isGroup = surface.peer.kind !== 'direct';
        return {
          from: sender.id,
          to: surface.peer.id,
          body: text,
          bodyForAgent: text,
          timestamp: at,
          channelId: surface.channel,
          conversationId: surface.peer.id,
          ...(messageId === undefined ? {} : { messageId }),
          senderId: sender.id,
          ...(sender.name === undefined ? {} : { senderName: sender.name }),
          ...(sender.username === undefined ? {} : { senderUsername: sender.username }),
          provider: surface.channel,
          surface: surface.channel,
          isGroup,
          ...(isGroup ? { groupId: surface.peer.id } : {}),
        };
      },
    },
  },
  'run-started': {
    summary: 'A lane has taken a trigger, and its run begins or begins again.',
    when: { after: ['claim'] },
    record: {
      type: 'session.started',
      of: ({ run: { runId, sessionKey, agentId, attempt, workspaceDir, session, context } }) => ({
        type: 'session.started',
        runId,
        sessionId: session.sessionId,
        sessionKey,
        agentId,
        attempt,
        workspaceDir,
        trigger: context.trigger,
        channel: context.messageProvider,
      }),
    },
    live: {
      type: 'run-start',
      frame: ({ run: { runId, sessionKey, agentId, attempt, session }, startedAt: at }) => ({
        type: 'run-start',
        runId,
        sessionKey,
        at,
        attempt,
        agentId,
        sessionId: session.sessionId,
      }),
    },
  },
  'session-resetting': {
    summary: 'A person wants a new session, and the old one is still open.',
    when: { before: ['session'] },
    hook: {
      name: 'before_reset',
      event: ({ messages, reason }) => ({ messages: messages.map(hookMessageOfKept), reason }),
      context: ({ context }) => context,
    },
  },
  'command-given': {
    summary: 'A person said /new, /reset or /stop, or a client did the same.',
    when: {},
    pack: {
      names: ['command:new', 'command:reset', 'command:stop'],
      name: ({ command }) => `command:${command}`,
      sessionKey: ({ sessionKey }) => sessionKey,
      context: ({ command, runId, session, previous, source, senderId, workspaceDir }) => ({
        ...(runId === undefined ? {} : { runId }),
        ...(session ? { sessionEntry: sessionEntryOf(session) } : {}),
        ...(session && command === 'stop' ? { sessionId: session.sessionId } : {}),
        ...(previous ? { previousSessionEntry: sessionEntryOf(previous) } : {}),
        commandSource: source,
        ...(senderId === undefined ? {} : { senderId }),
        ...(workspaceDir === undefined ? {} : { workspaceDir }),
      }),
      says: 'answer',
    },
  },
  'session-ended': {
    summary: 'A session is over.',
    when: { after: ['session'], before: ['observed'] },
    record: {
      type: 'session.ended',
      of: ({ session: { sessionId, sessionKey }, reason }) => ({
        type: 'session.ended',
        sessionId,
        sessionKey,
        reason,
      }),
    },
    live: {
      type: 'session-end',
      frame: ({ session: { sessionId, sessionKey }, reason, context: { runId = '' } }, at) => ({
        type: 'session-end',
        runId,
        sessionKey,
        at,
        sessionId,
        reason,
      }),
    },
    hook: {
      name: 'session_end',
      event: ({ session: { sessionId, sessionKey }, messageCount, durationMs, reason, nextSessionId }) => ({
        sessionId,
        sessionKey,
        messageCount,
        durationMs,
        reason,
        ...(nextSessionId === undefined ? {} : { nextSessionId, nextSessionKey: sessionKey }),
      }),
      context: ({ context }) => context,
    },
    pack: {
      ...packEvent('session:end', ({ session }) => session.sessionKey),
      context: ({ session, reason, messageCount, nextSessionId, context }) => ({
        ...runIdOf(context),
        sessionEntry: sessionEntryOf(session),
        sessionId: session.sessionId,
        reason,
        messageCount,
        ...(nextSessionId === undefined ? {} : { nextSessionId }),
      }),
      says: 'surface',
    },
  },
  'session-paused': {
    summary: 'The process stops, and the session goes on with the next one. Only plugins are told.',
    when: {},
    hook: {
      name: 'session_end',
      event: ({ session: { sessionId, sessionKey }, messageCount, durationMs, reason }) => ({
        sessionId,
        sessionKey,
        messageCount,
        durationMs,
        reason,
      }),
      context: ({ context }) => context,
    },
  },
  'session-started': {
    summary: 'A session begins, or goes on in a new process.',
    when: {},
    hook: {
      name: 'session_start',
      event: ({ session: { sessionId, sessionKey }, resumedFrom }) => ({
        sessionId,
        sessionKey,
        ...(resumedFrom === null ? {} : { resumedFrom }),
      }),
      context: ({ context }) => inStep(context, 'session start'),
    },
    pack: {
      ...packEvent('session:start', ({ session }) => session.sessionKey),
      context: ({ session, resumedFrom, context }) => ({
        ...runIdOf(context),
        sessionEntry: sessionEntryOf(session),
        sessionId: session.sessionId,
        resumedFrom,
      }),
      says: 'surface',
    },
  },
  'session-changed': {
    summary: 'A person or a client changed something about a session outside of a run. Only those who watch are told.',
    when: {},
    live: {
      type: 'session-change',
      frame: ({ session: { sessionId, sessionKey }, what }, at) => ({
        type: 'session-change',
        runId: '',
        sessionKey,
        at,
        sessionId,
        what,
      }),
    },
  },
  'session-patched': {
    summary: 'A client changed what a plugin keeps for a session.',
    when: { after: ['plugin-state'] },
    pack: {
      ...packEvent('session:patch', ({ session }) => session.sessionKey),
      context: ({ session, patch }) => ({ sessionEntry: sessionEntryOf(session), patch }),
      says: 'surface',
    },
  },
  'context-composed': {
    summary: 'What the agent reads besides the conversation is composed.',
    when: { before: ['request', 'block'] },
    record: {
      type: 'context.compiled',
      of: ({ run: { runId }, composition: { report, prompt } }) => ({
        type: 'context.compiled',
        runId,
        facts: {
          prompt: report.prompt,
          budget: report.budget,
          layers: report.layers.map(({ id, stability, chars }) => ({ id, stability, chars })),
          files: report.files.map(({ name, status, reason, injectedChars }) => ({
            name,
            status,
            reason,
            injectedChars,
          })),
          handlers: report.handlers.map(({ id, owner, outcome, ms }) => ({ id, owner, outcome, ms })),
          cuts: report.cuts.map(({ file, lines, chars, cause }) => ({ file, lines, chars, cause })),
          absences: report.absences.map(({ what, reason, by }) => ({ what, reason, by })),
        },
        content: { systemPrompt: prompt.text },
      }),
    },
  },
  'gate-passed': {
    summary: 'The gate lets the model read the request, or let it before the run was cut short.',
    when: {},
    record: { type: 'gate.passed', of: ({ run: { runId } }) => ({ type: 'gate.passed', runId }) },
    live: {
      type: 'message-accepted',
      frame: ({ run: { runId, sessionKey }, shown }, at) =>
        shown && {
          type: 'message-accepted',
          runId,
          sessionKey,
          at,
          text: shown.text,
          ...(shown.attachments ? { attachments: shown.attachments } : {}),
          surface: shown.surface,
        },
    },
  },
  'gate-blocked': {
    summary: 'The gate does not let the model read the request.',
    when: { before: ['block'] },
    record: {
      type: 'prompt.skipped',
      of: ({ run: { runId }, by }) => ({ type: 'prompt.skipped', runId, reason: 'blocked', by }),
    },
  },
  'reply-claimed': {
    summary: 'A plugin answers in the place of the model.',
    when: { before: ['result'] },
    record: {
      type: 'prompt.skipped',
      of: ({ run: { runId }, by }) => ({ type: 'prompt.skipped', runId, reason: 'answered', by }),
    },
  },
  'compaction-begun': {
    summary: 'The older part of a conversation is about to become a summary.',
    when: { before: ['compaction'] },
    hook: {
      name: 'before_compaction',
      event: ({ messages, compactingCount, tokenCount }) => ({
        messageCount: messages.length,
        compactingCount,
        tokenCount,
        messages: messages.map(hookMessageOfKept),
      }),
      context: ({ run }) => run.context,
    },
    pack: {
      ...packEvent('session:compact:before', ({ run }) => run.sessionKey),
      context: ({ run, messages: { length }, tokenCount }) => ({
        ...placeOf(run),
        messageCount: length,
        tokenCount,
        messageCountOriginal: length,
        tokenCountOriginal: tokenCount,
      }),
      says: 'surface',
    },
  },
  'compaction-done': {
    summary: 'The older part of a conversation is a summary now.',
    when: { after: ['compaction'] },
    hook: { name: 'after_compaction', event: ({ left }) => left, context: ({ run }) => run.context },
    pack: {
      ...packEvent('session:compact:after', ({ run }) => run.sessionKey),
      context: ({ run, left, summaryLength, tokensBefore, firstKeptEntryId }) => ({
        ...placeOf(run),
        ...left,
        summaryLength,
        tokensBefore,
        tokensAfter: left.tokenCount,
        ...(firstKeptEntryId === undefined ? {} : { firstKeptEntryId }),
      }),
      says: 'surface',
    },
  },
  'prompt-sent': {
    summary: 'A model is about to read this request for its answer.',
    when: {},
    hook: {
      name: 'llm_input',
      event: ({ run, model: { provider, model }, prompt, imagesCount, system, tools, messages }) => ({
        runId: run.runId,
        sessionId: run.session.sessionId,
        provider,
        model,
        systemPrompt: textOf(system),
        prompt,
        historyMessages: messages.map((message) => hookMessageOf(message)),
        imagesCount,
        tools,
      }),
      context: modelContext,
    },
  },
  'model-called': {
    summary: 'A provider is asked, for an answer or for a summary.',
    when: {},
    record: {
      type: 'prompt.submitted',
      of: ({ run: { runId }, model: { provider, model, api }, call, body, sentBytes, system, prompt, messages }) => ({
        type: 'prompt.submitted',
        runId,
        provider,
        model,
        api,
        call,
        body,
        sentBytes,
        cacheTrace: () => ({ system: textOf(system), prompt, messages }),
      }),
    },
    hook: { name: 'model_call_started', event: modelCallOf, context: modelContext },
  },
  'text-streamed': {
    summary: 'A model wrote a piece of its answer.',
    when: {},
    record: {
      type: 'model.delta',
      of: ({ runId, text: delta }) => ({ type: 'model.delta', runId, kind: 'text', delta }),
    },
    live: {
      type: 'text-delta',
      frame: ({ runId, sessionKey, attempt, call, text }, at) => ({
        type: 'text-delta',
        runId,
        sessionKey,
        at,
        attempt,
        call,
        text,
      }),
    },
  },
  'thought-streamed': {
    summary: 'A model wrote a piece of its thoughts.',
    when: {},
    record: {
      type: 'model.delta',
      of: ({ runId, text: delta }) => ({ type: 'model.delta', runId, kind: 'thinking', delta }),
    },
    live: {
      type: 'thought-delta',
      frame: ({ runId, sessionKey, attempt, call, text }, at) => ({
        type: 'thought-delta',
        runId,
        sessionKey,
        at,
        attempt,
        call,
        text,
      }),
    },
  },
  'text-voided': {
    summary: 'What was streamed so far does not count: the model is asked again, or another one is.',
    when: {},
    live: {
      type: 'text-reset',
      frame: ({ runId, sessionKey, attempt, call, reason }, at) => ({
        type: 'text-reset',
        runId,
        sessionKey,
        at,
        attempt,
        call,
        reason,
      }),
    },
  },
  'model-ended': {
    summary: 'The exchange with a provider is over, however it went.',
    when: {},
    record: {
      type: 'model.completed',
      of: ({ run: { runId }, completed }) => ({ type: 'model.completed', runId, ...completed }),
    },
    hook: {
      name: 'model_call_ended',
      event: (fact) => {
        const { completed, end, sentBytes, timeToFirstByteMs } = fact;
        return {
          ...modelCallOf(fact),
          durationMs: completed.ms,
          outcome: end.stop === 'error' || end.stop === 'aborted' ? 'error' : 'completed',
          ...(end.error ? { errorCategory: end.error.kind } : {}),
          ...failureKindOf(end),
          requestPayloadBytes: sentBytes,
          ...(end.responseBytes === undefined ? {} : { responseStreamBytes: end.responseBytes }),
          ...(timeToFirstByteMs === undefined ? {} : { timeToFirstByteMs }),
          ...(end.requestId === undefined ? {} : { upstreamRequestIdHash: hashOf(end.requestId) }),
        };
      },
      context: modelContext,
    },
  },
  'answer-received': {
    summary: 'A model has answered.',
    when: {},
    hook: {
      name: 'llm_output',
      event: ({ run, model: { provider, model, api }, window, prompt, message, text, usage }) => {
        const { input, output, cacheRead, cacheWrite } = usage;
        const spent = { input, output, cacheRead, cacheWrite };
        return {
          runId: run.runId,
          sessionId: run.session.sessionId,
          provider,
          model,
          ...window,
          resolvedRef: `${provider}/${model}`,
          harnessId: 'atrium',
          prompt,
          assistantTexts: text === '' ? [] : [text],
          lastAssistant: {
            ...(hookMessageOf(message) as HookAssistantMessage),
            api,
            provider,
            model,
            usage: { ...spent, totalTokens: input + output },
          },
          usage: { ...spent, total: input + output },
        };
      },
      context: modelContext,
    },
  },
  'approval-asked': {
    summary: 'A run waits for a person.',
    when: { after: ['suspend'] },
    live: {
      type: 'approval-start',
      frame: ({ runId, sessionKey, approval }, at) => ({ type: 'approval-start', runId, sessionKey, at, ...approval }),
    },
  },
  'approval-answered': {
    summary: 'A person has answered, the time for it is over, or the question does not count any more.',
    when: { after: ['approval', 'suspend', 'tool-start', 'failure'] },
    live: {
      type: 'approval-end',
      frame: ({ runId, sessionKey, approvalId, decision, by }, at) => ({
        type: 'approval-end',
        runId,
        sessionKey,
        at,
        approvalId,
        decision,
        by,
      }),
    },
  },
  'wait-begun': {
    summary: 'A run waits for other sessions, or for the client that runs its own tool.',
    when: { after: ['suspend'] },
    live: {
      type: 'wait-start',
      frame: ({ runId, sessionKey, toolCallId, awaited, isForClient, expiresAt }, at) => ({
        type: 'wait-start',
        runId,
        sessionKey,
        at,
        toolCallId,
        awaited,
        ...(isForClient && { isForClient: true as const }),
        expiresAt,
      }),
    },
  },
  'wait-ended': {
    summary: 'What a run waited for has ended, the time for it is over, or the run was stopped.',
    when: { after: ['wake', 'client-result'] },
    live: {
      type: 'wait-end',
      frame: ({ runId, sessionKey, toolCallId, outcome }, at) => ({
        type: 'wait-end',
        runId,
        sessionKey,
        at,
        toolCallId,
        outcome,
      }),
    },
  },
  'child-spawned': {
    summary: 'A session has spawned a child.',
    when: { after: ['spawn'] },
    hook: {
      name: 'subagent_spawned',
      event: ({ child }) => ({ ...spawningEventOf(child), runId: child.runId }),
      context: ({ child }) => childContextOf(child),
    },
    live: {
      type: 'child-start',
      frame: ({ child: { parentRunId: runId, parentKey: sessionKey, childKey, agentId, label, taskName } }, at) => ({
        type: 'child-start',
        runId,
        sessionKey,
        at,
        childKey,
        agentId,
        label,
        taskName,
      }),
    },
  },
  'child-ended': {
    summary: 'A child is over, with its outcome.',
    when: { after: ['result', 'failure', 'block', 'control', 'dead-letter', 'child-end'] },
    hook: {
      name: 'subagent_ended',
      event: ({ child: { childKey, origin, endedAt, outcome, error }, runId }) => ({
        targetSessionKey: childKey,
        targetKind: 'subagent',
        reason: END_REASONS[outcome ?? 'ok'],
        accountId: origin.accountId,
        runId,
        ...(endedAt === null ? {} : { endedAt }),
        ...(outcome === null ? {} : { outcome }),
        ...(error === null ? {} : { error }),
      }),
      context: ({ child }) => childContextOf(child),
    },
    live: {
      type: 'child-end',
      frame: ({ child: { parentRunId: runId, parentKey: sessionKey, childKey, outcome, error } }, at) => ({
        type: 'child-end',
        runId,
        sessionKey,
        at,
        childKey,
        outcome: outcome ?? 'ok',
        error: error ?? undefined,
      }),
    },
  },
  'tool-started': {
    summary: 'A tool begins to work.',
    when: { after: ['tool-start', 'suspend'] },
    record: {
      type: 'tool.started',
      of: ({ run: { runId }, call: { id: toolCallId, name, params } }) => ({
        type: 'tool.started',
        runId,
        toolCallId,
        name,
        params,
      }),
    },
    live: {
      type: 'tool-start',
      frame: ({ run: { runId, sessionKey }, call: { id: toolCallId, name, params } }, at) => ({
        type: 'tool-start',
        runId,
        sessionKey,
        at,
        toolCallId,
        name,
        params,
      }),
    },
  },
  'tool-settled': {
    summary: 'A tool call has its result, or was refused.',
    when: { after: ['tool-result'] },
    hook: {
      name: 'after_tool_call',
      event: ({ run: { runId }, call: { id: toolCallId, name: toolName, params }, output, ms: durationMs }) => ({
        toolName,
        params,
        runId,
        toolCallId,
        durationMs,
        ...(output.isError ? { error: output.content } : { result: hookToolOutputOf(output) }),
      }),
      context: ({ run, call: { id: toolCallId, name: toolName } }) => ({
        ...inStep(run.context, `tool ${toolCallId}`),
        toolName,
        toolCallId,
      }),
    },
  },
  'tool-ended': {
    summary: 'The result of a tool call may be shown and recorded: every handler that may change it has been asked.',
    when: { after: ['tool-result'] },
    record: {
      type: 'tool.ended',
      of: ({ run: { runId }, call: { id: toolCallId, name }, content, isError, ms }) => ({
        type: 'tool.ended',
        runId,
        toolCallId,
        name,
        isError,
        ms,
        content,
      }),
    },
    live: {
      type: 'tool-end',
      frame: ({ run: { runId, sessionKey }, call, content, isError, ms }, at) => ({
        type: 'tool-end',
        runId,
        sessionKey,
        at,
        toolCallId: call.id,
        name: call.name,
        isError,
        ms,
        content,
      }),
    },
  },
  'limit-neared': {
    summary: 'A limit on spending is near; told once for each limit and period.',
    when: { after: ['spend'] },
    live: {
      type: 'limit-near',
      frame: ({ runId, sessionKey, setting, text }, at) => ({
        type: 'limit-near',
        runId,
        sessionKey,
        at,
        setting,
        text,
      }),
    },
  },
  'run-ended': {
    summary: 'A run is over: done, failed, stopped or blocked.',
    when: { after: ['result', 'failure', 'block', 'control', 'dead-letter'] },
    record: {
      type: 'trace.artifacts',
      of: ({ runId, sessionId, sessionKey, status, reply, error, errorCode, usage, ms }) => ({
        type: 'trace.artifacts',
        runId,
        sessionId,
        sessionKey,
        status,
        reply,
        error,
        errorCode,
        usage,
        ms,
      }),
    },
    live: {
      type: 'run-end',
      frame: ({ runId, sessionKey, status, reply, error }, at) => ({
        type: 'run-end',
        runId,
        sessionKey,
        at,
        status,
        reply,
        error,
      }),
    },
  },
  'agent-ended': {
    summary: 'A run is over, with everything that was said in its session.',
    when: { before: ['observed'] },
    hook: {
      name: 'agent_end',
      event: ({ runId, messages, status, error, durationMs, recovered }) => ({
        runId,
        messages: messages.map(hookMessageOfKept),
        success: status === 'done',
        error,
        durationMs,
        ...(recovered ? { recovered } : {}),
      }),
      context: ({ context }) => context,
      // The store records that the plugins were told.
      isAwaited: true,
    },
  },
  'delivery-ended': {
    summary:
      'A part of an answer has arrived, was given up, or was suppressed before it was sent. Of a suppressed part hook packs are told, and plugins are not.',
    when: { after: ['receipt', 'dead-letter', 'result', 'failure', 'block', 'control', 'suspend', 'approval'] },
    record: {
      type: 'delivery.ended',
      of: ({ runId, sessionKey, part, outcome, surface: { channel }, text, suppressed }) => ({
        type: 'delivery.ended',
        runId,
        sessionKey,
        facts: { part, outcome, channel, characters: text.length, ...(suppressed ? { suppressed } : {}) },
      }),
    },
    live: {
      type: 'delivery-end',
      frame: ({ context: _, ...delivery }, at) => ({ type: 'delivery-end', at, ...delivery }),
    },
    hook: {
      name: 'message_sent',
      event: ({ runId, sessionKey, part, text, surface, outcome, messageId, error }) =>
        outcome === 'suppressed'
          ? undefined
          : {
              to: surface.peer.id,
              content: text,
              success: outcome === 'sent',
              messageId,
              sessionKey,
              runId,
              error,
              ...deliveryTrace(runId, part),
            },
      context: ({ context }) => context,
    },
    pack: {
      ...packEvent('message:sent', ({ sessionKey }) => sessionKey),
      context: ({ surface: { channel, accountId, peer }, text, outcome, messageId, ...how }) => {
        const error = how.suppressed?.reason ?? how.error;
        return {
          to: peer.id,
          content: text,
          success: outcome === 'sent',
          channelId: channel,
          accountId,
          conversationId: peer.id,
          isGroup: peer.kind !== 'direct',
          ...(peer.kind === 'direct' ? {} : { groupId: peer.id }),
          ...(messageId === undefined ? {} : { messageId }),
          ...(error === undefined ? {} : { error }),
        };
      },
    },
  },
  'cron-changed': {
    summary: 'A job was added, changed or removed, its next time is set, or a run of it has begun or ended.',
    when: { after: ['job', 'job-slot', 'claim', 'result', 'failure', 'block'] },
    hook: { name: 'cron_changed', event: ({ event }) => event, context: ({ context }) => context },
  },
  'gateway-started': {
    summary: 'The gateway listens.',
    when: {},
    hook: {
      name: 'gateway_start',
      event: ({ port }) => ({ port }),
      context: ({ port, context }) => ({ ...context, port }),
    },
    pack: { ...packEvent('gateway:startup', () => ''), context: () => ({}) },
  },
  'gateway-restarting': {
    summary: 'The gateway stops to be started again at once.',
    when: {},
    pack: { ...packEvent('gateway:pre-restart', () => ''), context: endingOf },
  },
  'gateway-stopping': {
    summary: 'The gateway stops; runs and deliveries are over or left for the next start.',
    when: {},
    pack: { ...packEvent('gateway:shutdown', () => ''), context: endingOf },
  },
  'gateway-stopped': {
    summary: 'Everything else has been told, and plugins are about to go.',
    when: {},
    hook: { name: 'gateway_stop', event: ({ reason }) => ({ reason }), context: ({ context }) => context },
  },
  'plugin-loaded': {
    summary: 'A plugin was loaded while the gateway listens; it is told what the others were told at the start.',
    when: {},
    hook: {
      name: 'gateway_start',
      event: ({ port }) => ({ port }),
      context: ({ port, context }) => ({ ...context, port }),
      owner: ({ pluginId }) => pluginId,
    },
  },
  'plugin-unloading': {
    summary: 'A plugin is about to go while the gateway goes on; it is told what all are told at the stop.',
    when: {},
    hook: {
      name: 'gateway_stop',
      event: ({ reason }) => ({ reason }),
      context: ({ context }) => context,
      owner: ({ pluginId }) => pluginId,
    },
  },
  'handler-called': {
    summary: 'A handler of a plugin or a hook pack was called or left out, with any outcome.',
    when: {},
    record: { type: 'hook.called', of: (call) => ({ type: 'hook.called', call }) },
  },
};

function packEvent<Fact>(name: PackHookName, sessionKey: (fact: Fact) => string) {
  return { names: [name], name: () => name, sessionKey } as const;
}

/** The message as it came in, without what is known about its sender and place. */
export function bodyOf(inbound: Inbound) {
  const { text } = inbound;
  return { body: text, bodyForAgent: text, BodyForAgent: text, userContext: userContextOf(inbound) };
}

/** A session with the field names that the contract gives to handlers of hook packs. */
function sessionEntryOf({ sessionId, sessionKey, agentId, startedAt, activeAt, surface }: SessionAtHand) {
  return {
    sessionId,
    sessionKey,
    agentId,
    startedAt,
    updatedAt: activeAt,
    ...(surface === null ? {} : { channel: surface.channel, lastChannel: surface.channel, lastTo: surface.peer.id }),
  };
}

function hookMessageOfKept({ message, at }: KeptMessage): HookMessage {
  return hookMessageOf(message, at);
}

/** Hook packs get the run id too, so that their records can be found with the run. */
function runIdOf({ runId }: HookContext): { readonly runId?: string } {
  return runId === undefined ? {} : { runId };
}

function placeOf({ runId, session }: RunAtHand) {
  return { runId, sessionId: session.sessionId, missingSessionKey: false };
}

function textOf(blocks: readonly { readonly text: string }[]): string {
  return blocks.map(({ text }) => text).join('');
}

/** The payload holds no content: only names and limits, which handlers may count and send elsewhere. */
function modelCallOf({ run, model: { provider, model, api }, window, step }: ModelStep) {
  return {
    runId: run.runId,
    callId: `${run.runId}:${step}`,
    sessionKey: run.sessionKey,
    sessionId: run.session.sessionId,
    provider,
    model,
    api,
    transport: 'http',
    ...window,
  };
}

/** A summary may be written by another model than the run's. */
function modelContext({ run, model, window, step }: ModelStep): ConversationHookContext {
  const context = { ...run.context, modelProviderId: model.provider, modelId: model.model, ...window };
  return inStep(context, `model ${step}`);
}

/** The kind of a failed connection, in the plugin contract's words; other failures have no kind. */
function failureKindOf({ stop, error }: ModelEndFacts): { readonly failureKind?: string } {
  if (stop === 'aborted') return { failureKind: 'aborted' };
  if (error?.kind === 'timeout') return { failureKind: 'timeout' };
  return error?.kind === 'network' ? { failureKind: 'connection_closed' } : {};
}

function hashOf(requestId: string): string {
  return sha256Of(requestId).slice(0, 16);
}

export function deliveryTrace(runId: string, part: number) {
  return childTrace(runTrace(runId), `delivery ${part}`);
}

function endingOf({ reason }: { readonly reason: string }): JsonObject {
  return { reason, restartExpectedMs: null };
}

/** The contract's words for why a child is over. */
const END_REASONS = {
  ok: 'subagent-complete',
  timeout: 'subagent-complete',
  error: 'subagent-error',
  killed: 'subagent-killed',
  reset: 'session-reset',
  deleted: 'session-delete',
} as const;

/** What plugins are told of a child before it is spawned and when it was. */
export function spawningEventOf(
  child: Pick<ChildAtHand, 'childKey' | 'agentId' | 'label' | 'mode' | 'origin' | 'boundTo'>,
) {
  const { childKey: childSessionKey, agentId, label, mode, origin, boundTo } = child;
  return {
    childSessionKey,
    agentId,
    ...(label === null ? {} : { label }),
    mode,
    requester: deliveryOriginOf(origin),
    threadRequested: boundTo !== null,
  };
}

export function childContextOf({
  childKey,
  parentKey,
  parentAgentId,
  runId,
  origin,
}: Pick<ChildAtHand, 'childKey' | 'parentKey' | 'parentAgentId' | 'runId' | 'origin'>): SubagentHookContext {
  const at = { agentId: parentAgentId, sessionKey: parentKey, runId, surface: origin };
  return { ...hookContextOf('conversation', at), childSessionKey: childKey, requesterSessionKey: parentKey };
}

/** A place in the terms of the plugin contract. */
export function deliveryOriginOf({ channel, accountId, peer, threadId }: Surface): DeliveryOrigin {
  const to = peer.kind === 'direct' ? peer.id : `${peer.kind}:${peer.id}`;
  return { channel, accountId, to, ...(threadId === undefined ? {} : { threadId }) };
}
