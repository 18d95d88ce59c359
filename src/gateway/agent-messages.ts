// What the message tool does on the channels. A post is committed as outbox rows and as a note for the session of the
// surface, in one commit under a name that is made of the run and the call: a call that is repeated after a crash finds
// its rows and waits for those. Whether the agent may do it was decided before.

import { createHash } from 'node:crypto';
import type { DeliveryPort, PlannedAnswer } from '../agent/run-parts.ts';
import type { Channel } from '../channels/channel.ts';
import type { ActionOutcome } from '../channels/channel-capabilities.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import { rootTrace } from '../hooks/hook-trace.ts';
import { describeAttachment } from '../protocol/attachment.ts';
import { type Inbound, parentSurface, type Surface, surfaceId } from '../protocol/inbound.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import { oneLine } from '../protocol/one-line.ts';
import { pageSurface } from '../protocol/page-surface.ts';
import { timeLimit } from '../protocol/time-limit.ts';
import type { Route } from '../routing/resolve-route.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import { filesOfRows, outboxWrites } from '../store/name-attachments.ts';
import type { Store, Write } from '../store/store.ts';
import type { OutboxRow } from '../store/tables.ts';
import type {
  ActOutcome,
  MessageAction,
  MessageChannel,
  MessageName,
  MessagePort,
  MessageReaction,
  Post,
  PostedThread,
  PostOrigin,
  PostOutcome,
  ReadMessage,
  ReadRequest,
} from '../tools/message/message-port.ts';
import { routeInbound } from './inbound/route-inbound.ts';

export interface AgentMessagesParts {
  readonly store: Store;
  /** The channels that people read. */
  readonly channels: () => readonly Channel[];
  readonly delivery: () => DeliveryPort;
  readonly route: (inbound: Inbound) => Route;
  readonly wakeLane: (sessionKey: string) => void;
  readonly files: MessagePort['files'];
  /** Set where other nodes send too: how often the rows of a post are looked at, even if nothing is told. */
  readonly lookEveryMs?: number | undefined;
  readonly subscribe: (listener: (event: LiveEvent) => void) => () => void;
  readonly now: () => number;
}

/** How long a post is waited for. After that it is sent all the same. */
const POST_PATIENCE_MS = 20_000;
const ACTION_LIMIT_MS = 30_000;
/** How far back a message is looked for that an agent wants to change. */
const MOST_OWN_MESSAGES = 1_000;
const MOST_LISTED_PEERS = 20;
const MOST_SESSIONS_LOOKED_AT = 1_000;

export class AgentMessages implements MessagePort {
  readonly #parts: AgentMessagesParts;

  constructor(parts: AgentMessagesParts) {
    this.#parts = parts;
  }

  get files(): MessagePort['files'] {
    return this.#parts.files;
  }

  channels(): readonly MessageChannel[] {
    return this.#parts.channels().map((channel) => ({
      id: channel.id,
      accounts: channel.accounts?.list().map(({ accountId }) => accountId),
      actions: actionsOf(channel),
      maxFileBytes: channel.attachments?.maxBytes ?? 0,
    }));
  }

  async isKnown(surface: Surface, signal: AbortSignal): Promise<boolean> {
    const { accountId, peer } = surface;
    // A thread that nobody has written in yet is as known as the place that it belongs to.
    const parent = parentSurface(surface);
    if ((await this.#wasUsed(surface)) || (parent && (await this.#wasUsed(parent)))) return true;
    const { directory } = this.#channelOf(surface) ?? {};
    if (!directory) return false;
    const request = { accountId, query: peer.id, limit: 100 };
    const found = await bounded((limit) => directory.listPeers(request, limit), signal);
    // When the directory cannot be asked, the platform decides.
    if (found.outcome !== 'done') return found.outcome === 'retry';
    return found.value.some((entry) => entry.peer.kind === peer.kind && entry.peer.id === peer.id);
  }

  async listPeers(
    place: Pick<Surface, 'channel' | 'accountId'>,
    signal: AbortSignal,
  ): Promise<readonly Surface['peer'][]> {
    const { directory } = this.#channelOf(place) ?? {};
    if (!directory) return this.#peersOfSessions(place);
    const request = { accountId: place.accountId, limit: MOST_LISTED_PEERS };
    const found = await bounded((limit) => directory.listPeers(request, limit), signal);
    return found.outcome === 'done' ? found.value.map(({ peer }) => peer) : this.#peersOfSessions(place);
  }

  sessionOf(surface: Surface): Promise<{ readonly sessionKey: string; readonly agentId: string }> {
    return routeInbound(this.#parts, { surface, sender: { id: surface.peer.id }, text: '', at: this.#parts.now() });
  }

  async isOwn({ surface, messageId }: MessageName): Promise<boolean> {
    const sent = await this.#parts.store.select('outbox', {
      where: { surfaceId: surfaceId(surface), status: 'sent' },
      orderBy: [['seq', 'desc']],
      limit: MOST_OWN_MESSAGES,
    });
    return sent.some((row) => messageIdOf(row) === messageId);
  }

  async post(post: Post, signal: AbortSignal): Promise<PostOutcome> {
    const postId = postIdOf(post.from);
    if (!(await this.wasPosted(post.from))) await this.#commit(post, postId);
    return this.#outcomeOf(postId, signal);
  }

  async wasPosted(from: PostOrigin): Promise<boolean> {
    return (await this.#parts.store.count('outbox', { runId: postIdOf(from) })) > 0;
  }

  async edit(edit: Post & MessageName, signal: AbortSignal): Promise<ActOutcome> {
    const { surface, messageId } = edit;
    const channel = this.#channelOf(surface);
    const planned = await this.#plan(edit, `${postIdOf(edit.from)}-edit`);
    if (planned.suppressed) return { outcome: 'stopped', ...reasonOf(planned.suppressed) };
    const { text } = planned;
    if (channel && text.length > channel.maxTextLength) {
      return {
        outcome: 'failed',
        reason: `a message has at most ${channel.maxTextLength} characters there`,
        isPassing: false,
      };
    }
    return this.#act(channel?.edits, (edits, limit) => edits.edit({ surface, messageId, text }, limit), signal);
  }

  react(
    { surface, messageId, emoji, isRemoved }: MessageName & MessageReaction,
    signal: AbortSignal,
  ): Promise<ActOutcome> {
    const reaction = { surface, messageId, emoji, isRemoved };
    return this.#act(this.#channelOf(surface)?.reactions, (each, limit) => each.react(reaction, limit), signal);
  }

  delete({ surface, messageId }: MessageName, signal: AbortSignal): Promise<ActOutcome> {
    const message = { surface, messageId };
    return this.#act(this.#channelOf(surface)?.deletes, (each, limit) => each.delete(message, limit), signal);
  }

  createThread({ from, surface, name, messageId }: PostedThread, signal: AbortSignal): Promise<ActOutcome<Surface>> {
    const thread = { surface, name, messageId, key: postIdOf(from) };
    return this.#act(this.#channelOf(surface)?.threads, (each, limit) => each.create(thread, limit), signal);
  }

  async read(
    { surface, limit: most, before }: ReadRequest,
    signal: AbortSignal,
  ): Promise<ActOutcome<readonly ReadMessage[]>> {
    const request = { surface, limit: most, before };
    const read = await this.#act(
      this.#channelOf(surface)?.history,
      (each, limit) => each.readHistory(request, limit),
      signal,
    );
    if (read.outcome !== 'done') return read;
    const value = read.value.slice(-most).map(({ messageId, sender, text, at, isOwn }) => ({
      messageId,
      from: sender.name ?? sender.id,
      text,
      at,
      isOwn,
    }));
    return { outcome: 'done', value };
  }

  /** The conversations that sessions were in last, the latest first. */
  async #peersOfSessions(place: Pick<Surface, 'channel' | 'accountId'>): Promise<readonly Surface['peer'][]> {
    const sessions = await this.#parts.store.select('sessions', {
      orderBy: [['startedAt', 'desc']],
      limit: MOST_SESSIONS_LOOKED_AT,
    });
    const peers = new Map<string, Surface['peer']>();
    for (const { surface } of sessions) {
      if (surface?.channel !== place.channel || surface.accountId !== place.accountId) continue;
      peers.set(JSON.stringify([surface.peer.kind, surface.peer.id]), surface.peer);
    }
    return [...peers.values()].slice(0, MOST_LISTED_PEERS);
  }

  /** Whether something was sent there, or a session was there last. */
  async #wasUsed(surface: Surface): Promise<boolean> {
    const { store } = this.#parts;
    const place = surfaceId(surface);
    if ((await store.count('outbox', { surfaceId: place })) > 0) return true;
    const { sessionKey } = await this.sessionOf(surface);
    const [session] = await store.select('sessions', {
      where: { sessionKey },
      orderBy: [['startedAt', 'desc']],
      limit: 1,
    });
    // Every page shows this session there, whoever spoke in it last.
    if (session && surface.channel === 'web' && pageSurface(sessionKey) === surface.peer.id) return true;
    return session?.surface ? surfaceId(session.surface) === place : false;
  }

  #channelOf({ channel }: Pick<Surface, 'channel'>): Channel | undefined {
    return this.#parts.channels().find(({ id }) => id === channel);
  }

  /** The rows of the post and the note for its session, or nothing of both. */
  async #commit(post: Post, postId: string): Promise<void> {
    const { store, wakeLane, delivery, now } = this.#parts;
    const { sessionKey } = await this.sessionOf(post.surface);
    const planned = await this.#plan(post, postId);
    const writes = outboxWrites(planned.rows, { runId: postId, sessionKey, at: now() });
    const note = await this.#noteOf(post, postId, planned);
    try {
      await store.commit([...writes, ...note], { site: 'control' });
    } catch (error) {
      // Another attempt of the same call was faster.
      if (error instanceof PreconditionFailedError) return;
      throw error;
    }
    delivery().wake();
    if (note.length > 0) wakeLane(sessionKey);
  }

  async #plan({ from, surface, text, attachments, replyToId }: Post, postId: string): Promise<PlannedAnswer> {
    const { sessionKey } = await this.sessionOf(surface);
    const { agentId } = from;
    const known = { agentId, sessionKey, runId: postId, replyToId, trace: rootTrace(postId) };
    const context = hookContextOf('message', { ...known, surface });
    return this.#parts.delivery().plan({
      runId: postId,
      sessionKey,
      surface,
      text,
      attachments,
      mayBringFiles: true,
      replyToId,
      ...(replyToId !== undefined && { isReplyAsked: true }),
      context,
    });
  }

  /** A session that posts in its own conversation remembers its call, and needs no note. */
  async #noteOf({ from, surface }: Post, postId: string, planned: PlannedAnswer): Promise<readonly Write[]> {
    const { text: said, suppressed } = planned;
    const { sessionKey, agentId } = await this.sessionOf(surface);
    const files = filesOfRows(planned.rows).map((file) => `[File: ${describeAttachment(file)}]`);
    const text = [said, ...files].filter((part) => part !== '').join('\n\n');
    if (suppressed || text.trim() === '' || sessionKey === from.sessionKey) return [];
    const now = this.#parts.now();
    const sender = { id: `agent:${from.agentId}`, name: `agent ${from.agentId}` };
    return [
      {
        insert: 'inbox',
        row: {
          runId: postId,
          sessionKey,
          kind: 'note',
          dedupeKey: JSON.stringify(['post', postId]),
          fingerprint: null,
          payload: { inbound: { surface, sender, text: '', at: now }, agentId, note: { kind: 'posted', text } },
          acceptedAt: now,
          status: 'queued',
        },
      },
    ];
  }

  /** Waits until every part is sent or given up. */
  async #outcomeOf(postId: string, signal: AbortSignal): Promise<PostOutcome> {
    const { store, subscribe } = this.#parts;
    let look = (): void => {};
    const unsubscribe = subscribe((event) => {
      if (event.type === 'delivery-end' && event.runId === postId) look();
    });
    // Another node may send it, and the message about that may be lost.
    const timer = this.#parts.lookEveryMs && setInterval(() => look(), this.#parts.lookEveryMs);
    const limit = timeLimit(POST_PATIENCE_MS, () => new Error('the wait is over'), signal);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          look = resolve;
          limit.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        const rows = await store.select('outbox', { where: { runId: postId }, orderBy: [['part', 'asc']] });
        const settled = settledOutcome(rows);
        if (settled) return settled;
        signal.throwIfAborted();
        if (limit.signal.aborted) return { outcome: 'queued' };
        await changed;
      }
    } finally {
      limit.clear();
      clearInterval(timer);
      unsubscribe();
    }
  }

  async #act<Capability, Value>(
    capability: Capability | undefined,
    act: (capability: Capability, limit: AbortSignal) => Promise<ActionOutcome<Value>>,
    signal: AbortSignal,
  ): Promise<ActOutcome<Value>> {
    if (capability === undefined) return { outcome: 'failed', reason: 'the channel cannot do it', isPassing: false };
    const outcome = await bounded((limit) => act(capability, limit), signal);
    if (outcome.outcome === 'done') return outcome;
    return { outcome: 'failed', reason: oneLine(outcome.reason), isPassing: outcome.outcome === 'retry' };
  }
}

function actionsOf(channel: Channel): readonly MessageAction[] {
  return [
    'send',
    ...(channel.history ? (['read'] as const) : []),
    ...(channel.reactions ? (['react'] as const) : []),
    ...(channel.edits ? (['edit'] as const) : []),
    ...(channel.deletes ? (['delete'] as const) : []),
    ...(channel.threads ? (['thread-create', 'thread-reply'] as const) : []),
  ];
}

/** A channel that breaks its contract, or that takes too long, counts as one that could not do it now. */
async function bounded<Value>(
  act: (limit: AbortSignal) => Promise<ActionOutcome<Value>>,
  signal: AbortSignal,
): Promise<ActionOutcome<Value>> {
  const limit = timeLimit(ACTION_LIMIT_MS, () => new Error('the channel did not answer in time'), signal);
  const late = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  });
  try {
    return await Promise.race([act(limit.signal), late]);
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'retry', reason: oneLine(error) };
  } finally {
    limit.clear();
  }
}

/** The files that are sent. A handler may have taken some away, and a file that cannot be shown is in the text. */
function settledOutcome(rows: readonly OutboxRow[]): PostOutcome | undefined {
  if (rows.some(({ status }) => status === 'queued')) return undefined;
  const stopped = rows.find(({ status }) => status === 'suppressed');
  if (stopped) {
    const { receipt } = stopped;
    const found = isJsonObject(receipt) && isJsonObject(receipt.suppressed) ? receipt.suppressed : {};
    return { outcome: 'stopped', by: String(found.by ?? ''), reason: String(found.cancelReason ?? found.reason ?? '') };
  }
  const failed = rows.find(({ status }) => status !== 'sent');
  if (failed) return { outcome: 'failed', reason: failed.error ?? 'the platform refused it' };
  return { outcome: 'sent', messageIds: rows.flatMap((row) => messageIdOf(row) ?? []) };
}

function reasonOf({ by, reason, cancelReason }: NonNullable<PlannedAnswer['suppressed']>) {
  return { by, reason: cancelReason ?? reason };
}

function messageIdOf({ receipt }: OutboxRow): string | undefined {
  const id = isJsonObject(receipt) ? receipt.messageId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The name of a post in the outbox, which is the same for every attempt of its call. */
function postIdOf({ runId, call }: PostOrigin): string {
  return `post_${createHash('sha256')
    .update(JSON.stringify([runId, call]))
    .digest('hex')
    .slice(0, 32)}`;
}
