// Threads that the agent opens: on request under a key, and by an answer where `autoThread` is set. A thread that begins
// from a message has the id of that message, so it can be named before it exists, and is opened once however often it
// is asked for.

import type { ActionOutcome, NewThread } from '../../src/channels/channel-capabilities.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import { settingsFor } from './access.ts';
import { actionOutcomeOf, DiscordFailure, isUnknown, UNKNOWN } from './discord-failure.ts';
import { threadNameOf } from './inbound.ts';
import type { LiveAccount } from './live-account.ts';
import { nonceOf } from './sent-parts.ts';
import { isLater, snowflakeAt } from './snowflake.ts';

const THREAD_EXISTS = 160004;
const PUBLIC_THREAD = 11;
const DEFAULT_ARCHIVE_MINUTES = 60;
const LONGEST_NAME = 100;
/** The clocks of the two machines may differ. */
const CLOCK_MARGIN_MS = 60_000;

export async function createThread(
  live: LiveAccount,
  { surface, name, messageId, key }: NewThread,
  signal: AbortSignal,
): Promise<ActionOutcome<Surface>> {
  if (surface.threadId !== undefined) return failed('A thread of Discord has no threads of its own.');
  if (surface.peer.kind === 'direct') return failed('A direct conversation on Discord has no threads.');
  const thread = (threadId: string): ActionOutcome<Surface> => ({ outcome: 'done', value: { ...surface, threadId } });
  const { threadKeys, now } = live;
  try {
    if (messageId !== undefined) {
      await openThreadFrom(live, surface.peer.id, messageId, name, signal);
      return thread(messageId);
    }
    const known = threadKeys.get(key);
    if (known?.threadId !== undefined) return thread(known.threadId);
    const found = known && (await findThread(live, surface, nameOf(name), known.startedAt, signal));
    if (found !== undefined) {
      await threadKeys.set(key, { threadId: found, startedAt: known?.startedAt ?? now() });
      return thread(found);
    }
    const startedAt = known?.startedAt ?? now();
    await threadKeys.set(key, { startedAt });
    const parent = await live.places.find(surface.peer.id);
    const opened = await live.api.createThread(surface.peer.id, bodyOf(live, surface, name, parent.isForum), signal);
    live.places.learn(opened, parent.guildId);
    await threadKeys.set(key, { threadId: opened.id, startedAt });
    return thread(opened.id);
  } catch (error) {
    return actionOutcomeOf(error);
  }
}

/** A forum takes no messages of its own: what is sent there becomes a post. Gives the id of its first message. */
export async function createPost(
  live: LiveAccount,
  surface: Surface,
  key: string,
  text: string,
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<string> {
  const { threadKeys, now, api } = live;
  const postKey = `post:${nonceOf(key)}`;
  const name = nameOf(threadNameOf(text.split('\n').find((line) => line.trim() !== '') ?? ''));
  const known = threadKeys.get(postKey);
  const found = known?.threadId ?? (known && (await findThread(live, surface, name, known.startedAt, signal)));
  // The first message of a post has the id of the post.
  if (found !== undefined) return found;
  const startedAt = known?.startedAt ?? now();
  await threadKeys.set(postKey, { startedAt });
  const { nonce: _, enforce_nonce: __, ...message } = body;
  const post = await api.createThread(surface.peer.id, { ...bodyOf(live, surface, name, false), message }, signal);
  await threadKeys.set(postKey, { threadId: post.id, startedAt });
  return post.id;
}

/** Opens the thread that the answer to a message belongs to. */
export async function openAutoThread(live: LiveAccount, surface: Surface, signal: AbortSignal): Promise<void> {
  const { threadId = '', peer } = surface;
  const known = live.autoThreads.nameOf(threadId);
  const name = known ?? threadNameOf((await live.api.message(peer.id, threadId, signal)).content);
  await openThreadFrom(live, peer.id, threadId, name, signal, surface);
}

async function openThreadFrom(
  live: LiveAccount,
  channelId: string,
  messageId: string,
  name: string,
  signal: AbortSignal,
  surface?: Surface,
): Promise<void> {
  try {
    const body = { name: nameOf(name), auto_archive_duration: archiveMinutes(live, surface) };
    const opened = await live.api.createThreadFrom(channelId, messageId, body, signal);
    live.places.learn(opened);
  } catch (error) {
    if (!isUnknown(error, THREAD_EXISTS)) throw error;
  }
  live.autoThreads.opened(messageId);
}

/** The thread of an earlier attempt whose answer was lost. */
async function findThread(
  live: LiveAccount,
  surface: Surface,
  name: string,
  startedAt: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { api, places } = live;
  const { guildId } = await places.find(surface.peer.id);
  const botId = await live.botId();
  if (guildId === undefined) return undefined;
  const { threads } = await api.activeThreads(guildId, signal);
  const since = snowflakeAt(startedAt - CLOCK_MARGIN_MS);
  return threads.find(
    (each) =>
      each.parent_id === surface.peer.id && each.owner_id === botId && each.name === name && isLater(each.id, since),
  )?.id;
}

function bodyOf(live: LiveAccount, surface: Surface, name: string, isForum: boolean) {
  const title = nameOf(name);
  const body = { name: title, auto_archive_duration: archiveMinutes(live, surface) };
  return isForum ? { ...body, message: { content: title } } : { ...body, type: PUBLIC_THREAD };
}

function archiveMinutes({ account, places }: LiveAccount, surface: Surface | undefined): number {
  const guildId = surface && places.known(surface.peer.id)?.guildId;
  if (!surface || guildId === undefined) return DEFAULT_ARCHIVE_MINUTES;
  const space = { id: guildId, name: places.knownGuildName(guildId) };
  const { channel } = settingsFor(account, space, surface, (id) => places.known(id)?.name);
  return channel?.autoArchiveMinutes ?? DEFAULT_ARCHIVE_MINUTES;
}

function nameOf(name: string): string {
  return name.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME) || 'Thread';
}

function failed(reason: string): ActionOutcome<Surface> {
  return { outcome: 'failed', reason };
}

/** Whether a request failed because the thread that an answer opens does not exist yet. */
export function isUnopenedThread(error: unknown, surface: Surface): boolean {
  return surface.threadId !== undefined && isUnknown(error, UNKNOWN.channel) && error instanceof DiscordFailure;
}
