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
import { type AttachmentRef, describeAttachment, kindOfMime } from '../protocol/attachment.ts';
import type { Button } from '../protocol/button.ts';
import { type Surface, surfaceId } from '../protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { Suppression } from '../protocol/suppression.ts';
import type { NewRow } from '../store/store.ts';
import { fileLongCode } from './code-files.ts';
import type { DeliveryHooks, HandlerName, OutboundAnswer, OutboundHook } from './delivery-hooks.ts';
import { splitText } from './split-text.ts';

export interface PlannedReply {
  readonly runId: string;
  readonly sessionKey: string;
  readonly surface: Surface;
  readonly text: string;
  /** Files that are sent with the last part. Where the channel cannot, the text names them. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
  readonly replyToId?: string | undefined;
  /** Set when the agent named that message itself, so that no mode of the channel decides whether it is a reply. */
  readonly isReplyAsked?: true | undefined;
  /** Shown below the last part, on channels that declare buttons. */
  readonly buttons?: readonly Button[] | undefined;
  /** The number of the first part. It is higher when the run has already sent something. The default is 1. */
  readonly firstPart?: number | undefined;
  /** Set for words that a person decides about: no part of them may be read as markup, which could hide it. */
  readonly isLiteral?: true | undefined;
  /** Set when the caller's commit names the files of the rows, so that long code may become one. */
  readonly mayBringFiles?: true | undefined;
  /** What handlers learn besides the message: the agent, the session, the sender. */
  readonly context: HookContext;
}

export interface PlanPorts {
  readonly hooks: DeliveryHooks;
  /** Undefined when no such channel is configured. The text then stays whole and becomes a dead letter. */
  readonly channel: Pick<Channel, 'maxTextLength' | 'buttons' | 'attachments' | 'rendersMarkdown'> | undefined;
  /** Keeps the bytes of a file. Rejects when they cannot be kept. */
  readonly keep: (file: { readonly name: string; readonly bytes: Uint8Array }) => Promise<AttachmentRef>;
  readonly now: () => number;
  readonly ttlMs: number;
  /**
   * True when who asked reads the answer from the store: then it is delivered by the commit that stores it, and there is
   * nothing to send.
   */
  readonly isHandedOver?: boolean | undefined;
}

export interface DeliveryPlan {
  readonly rows: readonly NewRow<'outbox'>[];
  /** The final text before it is cut into parts. It is empty when the answer was stopped. */
  readonly text: string;
  readonly suppressed?: PlannedSuppression | undefined;
}

interface PlannedSuppression extends Suppression {
  readonly hook: OutboundHook;
  readonly metadata?: JsonObject | undefined;
}

export async function planDelivery(reply: PlannedReply, ports: PlanPorts): Promise<DeliveryPlan> {
  const { text, attachments } = withFiles(reply, ports);
  if (isBlank(text) && attachments.length === 0) return { rows: [], text: '' };
  let draft: Draft = { text, attachments, replyToId: reply.replyToId };
  for (const ask of OUTBOUND_STEPS) {
    const step = await ask(reply, draft, ports);
    if ('suppressed' in step) return suppressedPlan(reply, draft, step.suppressed, ports);
    draft = step;
  }
  draft = await withCodeFiles(reply, draft, ports);
  const shownText = reply.isLiteral && ports.channel?.rendersMarkdown ? asCode(draft.text) : draft.text;
  const texts = splitText(shownText, ports.channel?.maxTextLength ?? Number.POSITIVE_INFINITY);
  // Platforms refuse a blank message, so blank parts are dropped, unless a file comes with them.
  const shown = texts.filter((part) => !isBlank(part));
  const said = shown.length === 0 && draft.attachments.length > 0 ? [''] : shown;
  const rows = said.map((part, index) => {
    const files = index === said.length - 1 ? draft.attachments : [];
    return newRow(reply, draft, part, index, ports, files);
  });
  return { rows: withButtons(rows, reply, ports), text: draft.text };
}

/** A channel that cannot show all of them shows none: the text says what to type. */
function withButtons(
  rows: readonly NewRow<'outbox'>[],
  { buttons = [] }: PlannedReply,
  { channel }: PlanPorts,
): readonly NewRow<'outbox'>[] {
  const last = rows.at(-1);
  if (!last || buttons.length === 0 || buttons.length > (channel?.buttons?.maxButtons ?? 0)) return rows;
  const shown = buttons.map(({ label, value }): JsonObject => ({ label, value }));
  return [...rows.slice(0, -1), { ...last, options: { ...last.options, buttons: shown } }];
}

/** The text with a line for every file that the channel cannot send, and the files that it can. */
function withFiles(
  { text, attachments = [] }: PlannedReply,
  { channel }: PlanPorts,
): { readonly text: string; readonly attachments: readonly AttachmentRef[] } {
  const most = channel?.attachments?.maxBytes ?? 0;
  const lines = attachments.filter(({ size }) => size > most).map(describeUnsent);
  return {
    text: [text, ...lines].filter((part) => part !== '').join('\n\n'),
    attachments: attachments.filter(({ size }) => size <= most),
  };
}

/** The text as a block of code. Its fence is longer than any in the text, so that the text cannot end it. */
function asCode(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Code that would be cut in the middle is sent as a file, where the channel shows files. */
async function withCodeFiles(reply: PlannedReply, draft: Draft, { channel, keep }: PlanPorts): Promise<Draft> {
  const { longCode, maxBytes = 0 } = channel?.attachments ?? {};
  if (longCode === undefined || !reply.mayBringFiles) return draft;
  const { text, files } = fileLongCode(draft.text, longCode);
  if (files.length === 0 || files.some(({ bytes }) => bytes.byteLength > maxBytes)) return draft;
  try {
    const refs = await Promise.all(files.map(keep));
    return { ...draft, text, attachments: [...draft.attachments, ...refs] };
  } catch {
    // What cannot be kept as a file is sent as text.
    return draft;
  }
}

function describeUnsent(file: AttachmentRef): string {
  return `[File: ${describeAttachment(file)}. It cannot be shown here.]`;
}

/** The answer so far. */
interface Draft {
  readonly text: string;
  /** The files that are sent with it. */
  readonly attachments: readonly AttachmentRef[];
  readonly replyToId: string | undefined;
  readonly channelData?: JsonObject | undefined;
}

type Step = Draft | { readonly suppressed: PlannedSuppression };

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
  return rewritten(hook, answer.decidedBy, draft, {
    text: typeof payload.text === 'string' ? payload.text : draft.text,
    attachments: keptFiles(draft.attachments, payload.mediaUrls),
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
    {
      to: surface.peer.id,
      content: draft.text,
      replyToId: draft.replyToId,
      threadId: surface.threadId,
      ...(draft.attachments.length > 0 && { metadata: describeFiles(draft.attachments) }),
    },
    contextOf(reply),
  );
  const { content, cancel, cancelReason, metadata } = answer.result;
  if (cancel === true || answer.refusal) return cancelled(hook, answer, cancelReason, metadata);
  return typeof content === 'string' ? rewritten(hook, answer.decidedBy, draft, { ...draft, text: content }) : draft;
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
  if (typeof text === 'string') return rewritten(hook, answer.decidedBy, draft, { ...draft, text });
  return handled ? suppress(hook, answer.decidedBy, undefined) : draft;
}

function payloadOf({ text, attachments, replyToId }: Draft): ReplyPayload {
  return {
    text,
    ...(replyToId !== undefined && { replyToId }),
    ...(attachments.length > 0 && { mediaUrls: attachments.map(({ name }) => name) }),
  };
}

/** What a gate learns about the files: what they are, and nothing of their content. They have no address but a name. */
function describeFiles(files: readonly AttachmentRef[]): JsonObject {
  return {
    mediaUrls: files.map(({ name }) => name),
    attachments: files.map(({ name, mime, size }) => ({ kind: kindOfMime(mime), mimeType: mime, name, size })),
  };
}

/** A handler may take files away by leaving out their names; it cannot add any. */
function keptFiles(files: readonly AttachmentRef[], names: unknown): readonly AttachmentRef[] {
  return Array.isArray(names) ? files.filter(({ name }) => names.includes(name)) : files;
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
function rewritten(hook: OutboundHook, by: HandlerName | undefined, before: Draft, draft: Draft): Step {
  // Files may come without a text; then a handler that leaves the text as it is has stopped nothing.
  const hadOnlyFiles = isBlank(before.text) && draft.attachments.length > 0;
  return isBlank(draft.text) && !hadOnlyFiles ? suppress(hook, by, 'a handler left nothing to say') : draft;
}

function suppress(
  hook: OutboundHook,
  by: HandlerName | undefined,
  reason: string | undefined,
  told: Pick<PlannedSuppression, 'cancelReason' | 'metadata'> = {},
): Step {
  const why = oneLine(reason ?? '') || `cancelled_by_${hook}_hook`;
  return { suppressed: { hook, by: by?.owner ?? hook, reason: why, ...told } };
}

/** Metadata that is too large is replaced by a note that it was left out. */
function boundMetadata(metadata: JsonObject): JsonObject {
  return JSON.stringify(metadata).length <= LONGEST_METADATA ? metadata : { metadataTruncated: true };
}

const LONGEST_METADATA = 4_096;

function suppressedPlan(
  reply: PlannedReply,
  draft: Draft,
  suppressed: PlannedSuppression,
  ports: PlanPorts,
): DeliveryPlan {
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
  { runId, sessionKey, surface, firstPart = 1, isReplyAsked }: PlannedReply,
  { replyToId, channelData }: Draft,
  text: string,
  index: number,
  { now, ttlMs, isHandedOver }: PlanPorts,
  files: readonly AttachmentRef[] = [],
): NewRow<'outbox'> {
  const createdAt = now();
  return {
    runId,
    part: firstPart + index,
    sessionKey,
    surface,
    surfaceId: surfaceId(surface),
    text,
    options: {
      ...(replyToId !== undefined && { replyToId, ...(isReplyAsked && { isReplyAsked }) }),
      ...(channelData && { channelData }),
      ...(files.length > 0 && { attachments: files.map((file) => ({ ...file })) }),
    },
    ...(isHandedOver ? HANDED_OVER : QUEUED),
    nextAt: createdAt,
    createdAt,
    expiresAt: createdAt + ttlMs,
    error: null,
  };
}

const QUEUED = { status: 'queued', attempts: 0, receipt: null } as const;
const HANDED_OVER = { status: 'sent', attempts: 1, receipt: { kept: true } } as const;

function isBlank(text: string): boolean {
  return text.trim() === '';
}
