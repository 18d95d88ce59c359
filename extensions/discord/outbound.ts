// Parts, drafts and actions as requests to Discord, and its answers as outcomes. A part is sent under a nonce that is
// made of its key; an edit can be repeated without harm. No text of an agent calls anybody but the person it replies to.

import type { APIMessage } from '@discordjs/core';
import type { OutboundPart, SendOutcome } from '../../src/channels/channel.ts';
import type { ActionOutcome, Draft, MessageRef, Reaction } from '../../src/channels/channel-capabilities.ts';
import { replyTargetOf } from '../../src/channels/reply-target.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import { isJsonObject, type JsonValue } from '../../src/protocol/json.ts';
import type { ApiFile } from './discord-api.ts';
import { actionOutcomeOf, DiscordFailure, isUnknown, sendOutcomeOf, UNKNOWN } from './discord-failure.ts';
import type { LiveAccount } from './live-account.ts';
import { toDiscord } from './markup.ts';
import { nonceOf } from './sent-parts.ts';
import { isLater, snowflakeAt, timeOfSnowflake } from './snowflake.ts';
import { channelIdOf } from './surface.ts';
import { createPost, isUnopenedThread, openAutoThread } from './threads.ts';

type Json = Readonly<Record<string, unknown>>;

export const LONGEST_TEXT = 2_000;
/** Files of one message. */
const MOST_FILES = 10;
const SUPPRESS_EMBEDS = 1 << 2;
const NOT_A_TEXT_CHANNEL = 50008;
const TOO_LARGE = 40005;
/** How many messages are read to find one that may have arrived. */
const LOOK_BACK = 50;
const MARK_MARGIN_MS = 60_000;

export async function sendPart(live: LiveAccount, part: OutboundPart, signal: AbortSignal): Promise<SendOutcome> {
  try {
    const files = await filesOf(live, part);
    const first = files.slice(0, MOST_FILES);
    const messageId =
      (await replaceDraft(live, part, first, signal)) ??
      (await create(live, part.surface, bodyOf(live, part), first, signal, part.key));
    await sendMoreFiles(live, part, files, signal);
    return { outcome: 'sent', receipt: { messageId } };
  } catch (error) {
    return sendOutcomeOf(error);
  }
}

/**
 * Where an earlier attempt arrived. Discord's own memory of nonces ends after some minutes; then the part is looked for
 * among those that are known to have arrived, and among the bot's messages that are too new to be known.
 */
export async function findPart(
  live: LiveAccount,
  part: OutboundPart,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const { sent, api, progress } = live;
  const nonce = nonceOf(part.key);
  const known = sent.messageOf(nonce);
  if (known !== undefined) return { messageId: known };
  try {
    const botId = await live.botId();
    const channelId = await targetOf(live, part.surface, signal);
    const since = snowflakeAt(timeOfSnowflake(progress.mark ?? '0') - MARK_MARGIN_MS);
    const text = contentOf(part.text);
    const recent = await api.messages(channelId, { limit: LOOK_BACK }, signal);
    const found = recent.find(
      (message) =>
        message.author.id === botId &&
        (message.nonce === nonce ||
          (isLater(message.id, since) && !sent.isKnown(message.id) && isSameText(message, text))),
    );
    return found && { messageId: found.id };
  } catch {
    // Sending again under the nonce is safer than to say that it has arrived.
    return undefined;
  }
}

export async function showDraft(
  live: LiveAccount,
  { surface, runId, text, handle }: Draft,
  signal: AbortSignal,
): Promise<ActionOutcome<JsonValue>> {
  const body = { content: contentOf(text), allowed_mentions: { parse: [] } };
  try {
    const shown = messageIdIn(handle);
    if (shown !== undefined) {
      const channelId = await targetOf(live, surface, signal);
      const edited = await live.api
        .editMessage(channelId, shown, body, [], signal)
        .catch(unless(UNKNOWN.message, UNKNOWN.channel));
      if (edited) return done({ messageId: shown });
    }
    const key = draftKey(runId);
    // A second draft of one run is another message, so only the first has the nonce.
    const nonce = handle === undefined ? nonceFields(key) : {};
    const created = await create(live, surface, { ...body, ...flagsOf(live), ...nonce }, [], signal, key);
    return done({ messageId: created });
  } catch (error) {
    return actionOutcomeOf(error);
  }
}

/**
 * Discord does not say which message has a nonce. One that it has told of is known. Else a sign is sent under the nonce
 * of the draft: within some minutes Discord answers with the message that is there.
 */
export async function findDraft(
  live: LiveAccount,
  { surface, runId }: Pick<Draft, 'surface' | 'runId'>,
  signal: AbortSignal,
): Promise<ActionOutcome<JsonValue>> {
  const known = live.sent.messageOf(nonceOf(draftKey(runId)));
  return known === undefined ? showDraft(live, { surface, runId, text: '…' }, signal) : done({ messageId: known });
}

export async function deleteMessage(
  live: LiveAccount,
  { surface, messageId }: MessageRef,
  signal: AbortSignal,
): Promise<ActionOutcome> {
  try {
    const channelId = await channelOfMessage(live, surface, messageId, signal);
    live.ownDeletes.set(messageId, true);
    await live.api.deleteMessage(channelId, messageId, signal).catch(unless(UNKNOWN.message, UNKNOWN.channel));
    return done(null);
  } catch (error) {
    return actionOutcomeOf(error);
  }
}

export async function withdrawDraft(
  live: LiveAccount,
  { surface, handle }: Pick<Draft, 'surface' | 'handle'>,
  signal: AbortSignal,
): Promise<ActionOutcome> {
  const messageId = messageIdIn(handle);
  return messageId === undefined ? done(null) : deleteMessage(live, { surface, messageId }, signal);
}

export async function editMessage(
  live: LiveAccount,
  { surface, messageId, text }: MessageRef & { readonly text: string },
  signal: AbortSignal,
): Promise<ActionOutcome> {
  try {
    const channelId = await channelOfMessage(live, surface, messageId, signal);
    const body = { content: contentOf(text), allowed_mentions: { parse: [] } };
    await live.api.editMessage(channelId, messageId, body, [], signal);
    return done(null);
  } catch (error) {
    return actionOutcomeOf(error);
  }
}

export async function react(
  live: LiveAccount,
  { surface, messageId, emoji, isRemoved = false }: Reaction,
  signal: AbortSignal,
): Promise<ActionOutcome> {
  try {
    const channelId = await channelOfMessage(live, surface, messageId, signal);
    // An own emoji of a server is written `name:id`, with or without the signs around it.
    const name = emoji.replace(/^<a?:(\w+:\d+)>$/, '$1');
    if (isRemoved) await live.api.unreact(channelId, messageId, name, signal);
    else await live.api.react(channelId, messageId, name, signal);
    return done(null);
  } catch (error) {
    return actionOutcomeOf(error);
  }
}

/** A thread that does not exist yet shows the sign in its channel, because typing alone opens no thread. */
export async function showTyping(live: LiveAccount, surface: Surface, signal: AbortSignal): Promise<void> {
  try {
    const isUnopened = surface.threadId !== undefined && live.autoThreads.nameOf(surface.threadId) !== undefined;
    const channelId = isUnopened ? surface.peer.id : await targetOf(live, surface, signal);
    await live.api.showTyping(channelId, signal);
  } catch {
    // It is a sign only.
  }
}

/** The channel of Discord for a surface. The one of a direct conversation is asked for when it is not known. */
export async function targetOf(live: LiveAccount, surface: Surface, signal: AbortSignal): Promise<string> {
  return channelIdOf(surface) ?? live.places.dmChannelOf(surface.peer.id, signal);
}

/** The message that a thread begins from stands in the parent channel, except in a forum, where it is the first post. */
export async function channelOfMessage(
  live: LiveAccount,
  surface: Surface,
  messageId: string,
  signal: AbortSignal,
): Promise<string> {
  const { threadId, peer } = surface;
  if (threadId === undefined || threadId !== messageId) return targetOf(live, surface, signal);
  return (await live.places.find(peer.id)).isForum ? threadId : peer.id;
}

/** Undefined when there is no draft any more, so that the part becomes a new message. */
async function replaceDraft(
  live: LiveAccount,
  part: OutboundPart,
  files: readonly ApiFile[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const messageId = messageIdIn(part.replaces);
  if (messageId === undefined) return undefined;
  const channelId = await targetOf(live, part.surface, signal);
  const body = {
    content: contentOf(part.text),
    components: live.buttons.rowsOf(part.buttons ?? []),
    allowed_mentions: { parse: [] },
  };
  const edited = await live.api
    .editMessage(channelId, messageId, body, files, signal)
    .catch(unless(UNKNOWN.message, UNKNOWN.channel));
  return edited?.id;
}

/** Files beyond the tenth follow in messages of their own. */
async function sendMoreFiles(
  live: LiveAccount,
  part: OutboundPart,
  files: readonly ApiFile[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = MOST_FILES; at < files.length; at += MOST_FILES) {
    const key = `${part.key}:files:${at}`;
    const body = { ...nonceFields(key), allowed_mentions: { parse: [] }, ...flagsOf(live) };
    await create(live, part.surface, body, files.slice(at, at + MOST_FILES), signal, key);
  }
}

async function create(
  live: LiveAccount,
  surface: Surface,
  body: Json,
  files: readonly ApiFile[],
  signal: AbortSignal,
  key: string,
): Promise<string> {
  const { api, autoThreads } = live;
  const channelId = await targetOf(live, surface, signal);
  const send = async (content: Json, attached: readonly ApiFile[]): Promise<string> => {
    const message = await api.createMessage(channelId, content, attached, signal);
    if (typeof body.nonce === 'string') live.sent.arrived(body.nonce, message.id);
    return message.id;
  };
  try {
    if (surface.threadId !== undefined && autoThreads.nameOf(surface.threadId) !== undefined) {
      await openAutoThread(live, surface, signal);
    }
    return await send(body, files);
  } catch (error) {
    if (isUnopenedThread(error, surface) && live.opensThreads(surface)) {
      await openAutoThread(live, surface, signal);
      return send(body, files);
    }
    if (isUnknown(error, NOT_A_TEXT_CHANNEL) && surface.threadId === undefined) {
      return createPost(live, surface, key, String(body.content ?? ''), body, signal);
    }
    if (isUnknown(error, TOO_LARGE) && files.length > 0) {
      const names = files.map(({ name }) => name).join(', ');
      const line = `[Files that are too large for Discord: ${names}]`;
      return send({ ...body, content: `${String(body.content ?? '')}\n${line}`.trim().slice(0, LONGEST_TEXT) }, []);
    }
    throw error;
  }
}

function draftKey(runId: string): string {
  return `draft:${runId}`;
}

function bodyOf(live: LiveAccount, part: OutboundPart): Json {
  const { surface, buttons = [] } = part;
  const content = contentOf(part.text);
  const replyTo = replyToOf(live, part);
  return {
    ...(content !== '' && { content }),
    ...nonceFields(part.key),
    ...flagsOf(live),
    ...(buttons.length > 0 && { components: live.buttons.rowsOf(buttons) }),
    // The first message of a thread stands in another channel, to which Discord allows no reply.
    ...(replyTo !== undefined &&
      replyTo !== surface.threadId && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    allowed_mentions: { parse: [], replied_user: true },
  };
}

function nonceFields(key: string): Json {
  return { nonce: nonceOf(key), enforce_nonce: true };
}

function flagsOf({ account }: LiveAccount): Json {
  return account.suppressEmbeds ? { flags: SUPPRESS_EMBEDS } : {};
}

function replyToOf({ account }: LiveAccount, part: OutboundPart): string | undefined {
  const replyToId = replyTargetOf(part, account.replyToMode);
  return replyToId !== undefined && /^\d{15,20}$/.test(replyToId) ? replyToId : undefined;
}

function contentOf(text: string): string {
  return toDiscord(text, LONGEST_TEXT);
}

/** A file whose bytes are gone is named in the reason, and the part is not sent without it. */
async function filesOf({ port }: LiveAccount, { attachments = [] }: OutboundPart): Promise<readonly ApiFile[]> {
  return Promise.all(
    attachments.map(async ({ hash, name, mime }) => {
      const bytes = await port.readAttachment(hash);
      if (!bytes) throw new DiscordFailure('refused', `The file ${name} of this answer is not there any more.`);
      return { name, mime, bytes };
    }),
  );
}

function isSameText({ content, attachments }: APIMessage, text: string): boolean {
  return content.trim() === text.trim() && (content !== '' || attachments.length > 0);
}

function messageIdIn(handle: JsonValue | undefined): string | undefined {
  const id = handle !== undefined && isJsonObject(handle) ? handle.messageId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Turns these refusals of Discord into undefined. */
function unless(...codes: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    if (!isUnknown(error, ...codes)) throw error;
    return undefined;
  };
}

function done<Value>(value: Value): ActionOutcome<Value> {
  return { outcome: 'done', value };
}
