// Receives a message, from a channel to the inbox: it checks whether the message was received before, whether a plugin
// claims it, which session it belongs to, and whether it is a command that is answered at once or does not exist.
// Resolves when the message is stored; only then may a channel acknowledge it.
// Errors: rejects with an AtriumError when the message cannot be accepted. Then nothing of it is stored, so that the
// platform may send it again.

import { replyOf } from '../../agent/end-finished.ts';
import type { DeliveryPort, RunHooks } from '../../agent/run-parts.ts';
import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import { AttachmentNotUploadedError } from '../../attachments/errors.ts';
import type { ChangeResult, ChannelPort, ReceiveResult } from '../../channels/channel.ts';
import { answerCommand } from '../../commands/answer-command.ts';
import type { CommandPorts } from '../../commands/chat-command.ts';
import { parseCommand, writerOf } from '../../commands/parse-command.ts';
import { bodyOf } from '../../facts/catalog.ts';
import type { Tell } from '../../facts/facts.ts';
import type { MessageHookContext } from '../../hooks/hook-context.ts';
import { hookContextOf } from '../../hooks/hook-context-of.ts';
import { rootTrace } from '../../hooks/hook-trace.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { AttachmentRef, NamedUpload } from '../../protocol/attachment.ts';
import { dedupeKeyOf, type Inbound } from '../../protocol/inbound.ts';
import type { InboundChange } from '../../protocol/inbound-change.ts';
import type { Message } from '../../protocol/message.ts';
import { newId } from '../../protocol/new-id.ts';
import type { Route } from '../../routing/resolve-route.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import { attachmentsOf, nameAttachments } from '../../store/name-attachments.ts';
import type { Store, Write } from '../../store/store.ts';
import type { ClientRequest, TriggerPayload } from '../../store/tables.ts';
import { InboundTooLongError } from '../errors.ts';
import { noteWaiting } from './note-waiting.ts';
import { receiveChange } from './receive-change.ts';
import { routeInbound } from './route-inbound.ts';
import { takeUploads, usingUploads } from './using-uploads.ts';

export interface ReceiveOptions {
  readonly kind?: 'message' | 'api' | 'webhook' | undefined;
  /** The messages with which a fresh session begins. */
  readonly seed?: readonly Message[] | undefined;
  /** What an API client asks for besides the words. */
  readonly client?: ClientRequest | undefined;
  /** A hash of the text, to distinguish a repetition from another message under the same id. */
  readonly fingerprint?: string | undefined;
}

export interface InboxParts {
  readonly store: Store;
  readonly hooks: RunHooks;
  readonly route: (inbound: Inbound) => Route;
  readonly commands: CommandPorts;
  readonly delivery: DeliveryPort;
  readonly tell: Tell;
  readonly lanes: Pick<Lanes, 'wake'>;
  readonly attachments: Pick<AttachmentStore, 'keep' | 'findUpload' | 'useUpload' | 'releaseUpload' | 'read' | 'check'>;
  /** The process of the cluster that this is; null when it has its store alone. */
  readonly processId?: (() => string | null) | undefined;
  readonly now: () => number;
}

export const MAX_TEXT_LENGTH = 1_000_000;

export class Inbox implements ChannelPort {
  readonly #parts: InboxParts;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  keep(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<AttachmentRef> {
    return this.#parts.attachments.keep(file);
  }

  async findUpload(id: string): Promise<NamedUpload> {
    const found = await this.#parts.attachments.findUpload(id);
    if (!found) throw new AttachmentNotUploadedError({ id });
    return { ...found, upload: id };
  }

  readAttachment(hash: string): Promise<Uint8Array | undefined> {
    return this.#parts.attachments.read(hash);
  }

  async receive(given: Inbound, options: ReceiveOptions = {}): Promise<ReceiveResult> {
    const parts = this.#parts;
    const { length } = given.text;
    if (length > MAX_TEXT_LENGTH) throw new InboundTooLongError({ chars: length, limit: MAX_TEXT_LENGTH });
    const dedupeKey = dedupeKeyOf(given);
    const earlier = dedupeKey === undefined ? undefined : await findEarlier(parts.store, dedupeKey);
    if (earlier) return earlier;

    const { inbound, uploads } = takeUploads(given);
    const now = parts.now();
    const runId = newId('run', now);
    return usingUploads(parts.attachments, uploads, dedupeKey ?? runId, () =>
      this.#take(inbound, { dedupeKey, now, runId }, options),
    );
  }

  /** A message that was not received before. */
  async #take(
    inbound: Inbound,
    { dedupeKey, now, runId }: { readonly dedupeKey: string | undefined; readonly now: number; readonly runId: string },
    options: ReceiveOptions,
  ): Promise<ReceiveResult> {
    const parts = this.#parts;
    const brought = [...(inbound.attachments ?? []), ...attachmentsOf(options.seed ?? [])];
    await parts.attachments.check(brought);
    const route = await routeInbound(parts, inbound);
    const { sessionKey, agentId } = route;
    const { surface, sender, messageId, replyToId } = inbound;
    const known = { agentId, sessionKey, runId, messageId, replyToId, trace: rootTrace(runId) };
    const context = hookContextOf('message', { ...known, surface, sender });
    const claimed = await claimInbound(parts, inbound, context);
    const { fingerprint } = options;
    const taken = { inbound, route, runId, dedupeKey, fingerprint, now, context, kind: 'message' } as const;
    if (claimed) return answerAtOnce(parts, { ...taken, ...claimed });

    void parts.tell('message-received', { inbound, context });
    const kind = options.kind ?? 'message';
    const parsed = parseCommand(inbound.text, writerOf(kind, inbound), () => parts.commands.list());
    const answer = await answerCommand(parts.commands, parsed, { sessionKey, agentId, inbound });
    // What waits for an approval is shown literally, so that markup in it hides nothing.
    const isLiteral = parsed.kind === 'command' && parsed.call.name === 'approve';
    if (answer !== undefined) return answerAtOnce(parts, { ...taken, text: answer, ...(isLiteral && { isLiteral }) });

    const { seed, client } = options;
    const awaitedBy = inbound.isAwaited ? parts.processId?.() : undefined;
    const kept = awaitedBy ? { ...inbound, awaitedBy } : inbound;
    const payload: TriggerPayload = { inbound: kept, agentId, ...(seed && { seed }), ...(client && { client }) };
    const notes = await noteWaiting(parts, inbound, sessionKey, context);
    const writes: readonly Write[] = [
      {
        insert: 'inbox',
        row: {
          runId,
          sessionKey,
          kind,
          dedupeKey: dedupeKey ?? null,
          fingerprint: fingerprint ?? null,
          payload,
          acceptedAt: now,
          status: 'queued',
        },
        onConflict: notes.length > 0 || brought.length > 0 ? 'fail' : 'ignore',
      },
      ...notes.map((row): Write => ({ insert: 'outbox', row })),
      ...nameAttachments(brought, { runId, sessionKey, at: now }),
    ];
    // A client that waits on its connection learns its answer when the run has ended, and that end is synced. If the power
    // fails before, the connection is gone too, and the run would be given up because of that.
    const isTaken = await parts.store
      .commit(writes, { site: 'accept', lazy: inbound.isAwaited === true, waits: true })
      .then(
        ({ changed }) => changed[0] === 1,
        (error: unknown) => {
          // The same message arrived twice at once, and the other one was committed first.
          if (dedupeKey !== undefined && error instanceof PreconditionFailedError) return false;
          throw error;
        },
      );
    if (!isTaken && dedupeKey !== undefined)
      return (await findEarlier(parts.store, dedupeKey)) ?? { outcome: 'duplicate', runId, sessionKey };
    if (notes.length > 0) parts.delivery.wake();
    // A message that a gate may still block is not shown; the run shows it when the gate has passed.
    const isHidden = parts.hooks.has('before_agent_run');
    const accepted = { inbound, runId, sessionKey, acceptedAt: now };
    void parts.tell('message-accepted', { ...accepted, isHidden, isForAgent: true });
    parts.lanes.wake(sessionKey);
    return { outcome: 'accepted', runId, sessionKey };
  }

  receiveChange(change: InboundChange): Promise<ChangeResult> {
    return receiveChange(this.#parts, change);
  }
}

export async function findEarlier(store: Store, dedupeKey: string): Promise<ReceiveResult | undefined> {
  const [row] = await store.select('inbox', { where: { dedupeKey }, limit: 1 });
  return row && { outcome: 'duplicate', runId: row.runId, sessionKey: row.sessionKey };
}

/** A plugin may claim any message before it reaches an agent, and answer it or drop it. */
export async function claimInbound(
  parts: InboxParts,
  inbound: Inbound,
  context: MessageHookContext,
): Promise<{ text: string } | undefined> {
  if (!parts.hooks.has('inbound_claim')) return undefined;
  const { surface, sender, text, at, messageId, replyToId, wasMentioned, metadata } = inbound;
  const { result } = await parts.hooks.run(
    'inbound_claim',
    {
      content: text,
      ...bodyOf(inbound),
      timestamp: at,
      channel: surface.channel,
      accountId: surface.accountId,
      conversationId: surface.peer.id,
      senderId: sender.id,
      senderName: sender.name,
      senderUsername: sender.username,
      threadId: surface.threadId,
      messageId,
      replyToId,
      sessionKey: context.sessionKey,
      runId: context.runId,
      ...context.trace,
      isGroup: surface.peer.kind !== 'direct',
      wasMentioned,
      metadata,
    },
    context,
  );
  return result.handled ? { text: result.reply?.text ?? '' } : undefined;
}

/** The message and its answer are stored in one commit, so that it can be neither lost nor answered twice. */
async function answerAtOnce(
  parts: InboxParts,
  message: {
    readonly inbound: Inbound;
    readonly route: Route;
    readonly runId: string;
    readonly dedupeKey: string | undefined;
    readonly fingerprint: string | undefined;
    readonly now: number;
    readonly context: MessageHookContext;
    readonly kind: 'message';
    readonly text: string;
    readonly isLiteral?: true | undefined;
  },
): Promise<ReceiveResult> {
  const { inbound, runId, now, context, text, dedupeKey, fingerprint } = message;
  const { sessionKey, agentId } = message.route;
  const planned =
    text === ''
      ? { rows: [], text }
      : await parts.delivery.plan({
          runId,
          sessionKey,
          surface: inbound.surface,
          text,
          replyToId: inbound.messageId,
          isLiteral: message.isLiteral,
          context,
        });
  const writes: Write[] = [
    {
      insert: 'inbox',
      row: {
        runId,
        sessionKey,
        kind: message.kind,
        dedupeKey: dedupeKey ?? null,
        fingerprint: fingerprint ?? null,
        payload: { inbound, agentId },
        acceptedAt: now,
        status: 'done',
      },
    },
    {
      insert: 'runs',
      row: {
        runId,
        sessionKey,
        agentId,
        sessionId: null,
        status: 'done',
        claim: 1,
        progressClaim: 1,
        startedAt: now,
        endedAt: parts.now(),
        outcome: replyOf(planned),
        observed: true,
        node: null,
        stopReason: null,
      },
    },
    ...planned.rows.map((row): Write => ({ insert: 'outbox', row })),
    ...nameAttachments(inbound.attachments ?? [], { runId, sessionKey, at: now }),
  ];
  try {
    await parts.store.commit(writes, { site: 'control', waits: true });
  } catch (error) {
    // The same message arrived twice at once, and the other one was committed first.
    const earlier = dedupeKey === undefined ? undefined : await findEarlier(parts.store, dedupeKey);
    if (earlier && error instanceof PreconditionFailedError) return earlier;
    throw error;
  }
  const accepted = { inbound, runId, sessionKey, acceptedAt: now };
  void parts.tell('message-accepted', { ...accepted, isHidden: false, isForAgent: false });
  void parts.tell('run-ended', { runId, sessionKey, status: 'done', reply: planned.text });
  parts.delivery.wake();
  return { outcome: 'handled', runId, sessionKey };
}
