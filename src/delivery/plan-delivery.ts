// Turns the answer of a run into outbox rows: the outbound hooks run in their order, then the text is cut. All of this
// happens before the rows are committed, so a retry sends what was decided once and calls no handler again.
//
// Errors: none of its own; the runner handles a handler that fails, and a failed handler that must not be skipped
// suppresses the answer.
// Result: rows in the order of their parts. A stopped answer is one row of status `suppressed` that says which handler
// stopped it and why; a blank answer gives no row.

import type { Channel } from '../channels/channel.ts';
import type { HookContext, MessageHookContext } from '../hooks/hook-context.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import { inStep } from '../hooks/hook-trace.ts';
import type { ReplyPayload } from '../hooks/message-hooks.ts';
import { type Surface, surfaceId } from '../protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { NewRow } from '../store/store.ts';
import type { DeliveryHooks, HandlerName, OutboundAnswer, OutboundHook } from './delivery-hooks.ts';
import { splitText } from './split-text.ts';

export interface PlannedReply {
  readonly runId: string;
  readonly sessionKey: string;
  readonly surface: Surface;
  readonly text: string;
  readonly replyToId?: string | undefined;
  /** The number of the first part. It is higher when the run has already sent something. The default is 1. */
  readonly firstPart?: number | undefined;
  /** What handlers learn besides the message: the agent, the session, the sender. */
  readonly context: HookContext;
}

export interface PlanPorts {
  readonly hooks: DeliveryHooks;
  /** Undefined when no such channel is configured. The text then stays whole and becomes a dead letter. */
  readonly channel: Pick<Channel, 'maxTextLength'> | undefined;
  readonly now: () => number;
  readonly ttlMs: number;
}

export interface DeliveryPlan {
  readonly rows: readonly NewRow<'outbox'>[];
  /** The final text before it is cut into parts. It is empty when the answer was stopped. */
  readonly text: string;
  readonly suppressed?: Suppression | undefined;
}

export interface Suppression {
  readonly hook: OutboundHook;
  /** The owner of the handler. */
  readonly by: string;
  /** The word of the plugin contract for a cancelled delivery, for programs; otherwise a sentence. */
  readonly reason: string;
  /** The handler's own words. */
  readonly cancelReason?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

export async function planDelivery(reply: PlannedReply, ports: PlanPorts): Promise<DeliveryPlan> {
  if (isBlank(reply.text)) return { rows: [], text: '' };
  let draft: Draft = { text: reply.text, replyToId: reply.replyToId };
  for (const ask of OUTBOUND_STEPS) {
    const step = await ask(reply, draft, ports);
    if ('suppressed' in step) return suppressedPlan(reply, draft, step.suppressed, ports);
    draft = step;
  }
  const texts = splitText(draft.text, ports.channel?.maxTextLength ?? Number.POSITIVE_INFINITY);
  // Platforms refuse a blank message, so blank parts are dropped.
  const rows = texts.filter((text) => !isBlank(text)).map((text, index) => newRow(reply, draft, text, index, ports));
  return { rows, text: draft.text };
}

/** The answer so far. */
interface Draft {
  readonly text: string;
  readonly replyToId: string | undefined;
  readonly channelData?: JsonObject | undefined;
}

type Step = Draft | { readonly suppressed: Suppression };

/** An answer passes these steps in this order. */
const OUTBOUND_STEPS = [askReplyDispatch, askReplyPayloadSending, askMessageSending, askBeforeDispatch] as const;

async function askReplyDispatch(reply: PlannedReply, draft: Draft, { hooks }: PlanPorts): Promise<Step> {
  const hook = 'reply_dispatch';
  if (!hooks.has(hook)) return draft;
  const { runId, sessionKey, surface } = reply;
  const answer = await hooks.run(
    hook,
    {
      runId,
      sessionKey,
      payloads: [payloadOf(draft)],
      suppressUserDelivery: false,
      suppressReplyLifecycle: false,
      shouldRouteToOriginating: true,
      originatingChannel: surface.channel,
      originatingTo: surface.peer.id,
      sendPolicy: 'allow',
    },
    contextOf(reply),
  );
  if (answer.refusal) return suppress(hook, answer.refusal, answer.refusal.reason);
  if (answer.result.handled) return suppress(hook, answer.decidedBy, 'a handler has taken the answer over');
  return draft;
}

async function askReplyPayloadSending(reply: PlannedReply, draft: Draft, { hooks }: PlanPorts): Promise<Step> {
  const hook = 'reply_payload_sending';
  if (!hooks.has(hook)) return draft;
  const { runId, sessionKey, surface } = reply;
  const answer = await hooks.run(
    hook,
    { payload: payloadOf(draft), kind: 'final', channel: surface.channel, to: surface.peer.id, sessionKey, runId },
    contextOf(reply),
  );
  const { payload, cancel, cancelReason } = answer.result;
  if (cancel === true || answer.refusal) return cancelled(hook, answer, cancelReason);
  if (!payload) return draft;
  return rewritten(hook, answer.decidedBy, {
    text: typeof payload.text === 'string' ? payload.text : draft.text,
    replyToId: typeof payload.replyToId === 'string' ? payload.replyToId : draft.replyToId,
    channelData: payload.channelData ?? draft.channelData,
  });
}

async function askMessageSending(reply: PlannedReply, draft: Draft, { hooks }: PlanPorts): Promise<Step> {
  const hook = 'message_sending';
  if (!hooks.has(hook)) return draft;
  const { surface } = reply;
  const answer = await hooks.run(
    hook,
    { to: surface.peer.id, content: draft.text, replyToId: draft.replyToId, threadId: surface.threadId },
    contextOf(reply),
  );
  const { content, cancel, cancelReason, metadata } = answer.result;
  if (cancel === true || answer.refusal) return cancelled(hook, answer, cancelReason, metadata);
  return typeof content === 'string' ? rewritten(hook, answer.decidedBy, { ...draft, text: content }) : draft;
}

async function askBeforeDispatch(reply: PlannedReply, draft: Draft, { hooks, now }: PlanPorts): Promise<Step> {
  const hook = 'before_dispatch';
  if (!hooks.has(hook)) return draft;
  const { runId, sessionKey, surface, context } = reply;
  const answer = await hooks.run(
    hook,
    {
      content: draft.text,
      body: draft.text,
      channel: surface.channel,
      to: surface.peer.id,
      sessionKey,
      runId,
      senderId: context.senderId,
      isGroup: surface.peer.kind !== 'direct',
      timestamp: now(),
      replyToId: draft.replyToId,
      threadId: surface.threadId,
    },
    contextOf(reply),
  );
  if (answer.refusal) return suppress(hook, answer.refusal, answer.refusal.reason);
  const { handled, text } = answer.result;
  if (typeof text === 'string') return rewritten(hook, answer.decidedBy, { ...draft, text });
  return handled ? suppress(hook, answer.decidedBy, undefined) : draft;
}

function payloadOf({ text, replyToId }: Draft): ReplyPayload {
  return replyToId === undefined ? { text } : { text, replyToId };
}

function contextOf({ surface, runId, sessionKey, context }: PlannedReply): MessageHookContext {
  return inStep(hookContextOf('message', { ...context, surface, runId, sessionKey }), 'delivery');
}

/** A handler refused, or a handler that must not be skipped could not be called. */
function cancelled(
  hook: OutboundHook,
  { refusal, decidedBy }: Pick<OutboundAnswer<OutboundHook>, 'refusal' | 'decidedBy'>,
  cancelReason: string | undefined,
  metadata?: JsonObject,
): Step {
  if (refusal?.cause === 'failure') return suppress(hook, refusal, refusal.reason);
  const words = oneLine(cancelReason ?? '');
  return suppress(hook, refusal ?? decidedBy, undefined, {
    ...(words === '' ? {} : { cancelReason: words }),
    ...(isJsonObject(metadata) ? { metadata: boundMetadata(metadata) } : {}),
  });
}

/** A handler that returns an empty text has stopped the answer, even if it meant something else. */
function rewritten(hook: OutboundHook, by: HandlerName | undefined, draft: Draft): Step {
  return isBlank(draft.text) ? suppress(hook, by, 'a handler left nothing to say') : draft;
}

function suppress(
  hook: OutboundHook,
  by: HandlerName | undefined,
  reason: string | undefined,
  told: Pick<Suppression, 'cancelReason' | 'metadata'> = {},
): Step {
  const why = oneLine(reason ?? '') || `cancelled_by_${hook}_hook`;
  return { suppressed: { hook, by: by?.owner ?? hook, reason: why, ...told } };
}

/** Metadata that is too large is replaced by a note that it was left out. */
function boundMetadata(metadata: JsonObject): JsonObject {
  return JSON.stringify(metadata).length <= LONGEST_METADATA ? metadata : { metadataTruncated: true };
}

const LONGEST_METADATA = 4_096;

function suppressedPlan(reply: PlannedReply, draft: Draft, suppressed: Suppression, ports: PlanPorts): DeliveryPlan {
  const row = newRow(reply, draft, draft.text, 0, ports);
  const { hook, by, reason, cancelReason, metadata } = suppressed;
  const receipt: JsonValue = {
    suppressed: {
      hook,
      by,
      reason,
      ...(cancelReason !== undefined && { cancelReason }),
      ...(metadata && { metadata }),
    },
  };
  return { rows: [{ ...row, status: 'suppressed', receipt }], text: '', suppressed };
}

function newRow(
  { runId, sessionKey, surface, firstPart = 1 }: PlannedReply,
  { replyToId, channelData }: Draft,
  text: string,
  index: number,
  { now, ttlMs }: PlanPorts,
): NewRow<'outbox'> {
  const createdAt = now();
  return {
    runId,
    part: firstPart + index,
    sessionKey,
    surface,
    surfaceId: surfaceId(surface),
    text,
    options: { ...(replyToId !== undefined && { replyToId }), ...(channelData && { channelData }) },
    status: 'queued',
    attempts: 0,
    nextAt: createdAt,
    createdAt,
    expiresAt: createdAt + ttlMs,
    receipt: null,
    error: null,
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
