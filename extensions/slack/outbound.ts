// Parts, drafts and actions as calls of the Web API, and its answers as outcomes. A part carries its key as metadata of
// its message, so that it can be looked for before it is sent again. Texts fit Slack's limits in every case: what is too
// long after it was escaped is shown as plain text in blocks.

import type { ChannelPort, OutboundPart, SendOutcome } from '../../src/channels/channel.ts';
import type {
  ActionOutcome,
  Draft,
  HistoryMessage,
  HistoryRequest,
  MessageRef,
  NewThread,
  Reaction,
} from '../../src/channels/channel-capabilities.ts';
import { replyTargetOf } from '../../src/channels/reply-target.ts';
import { type AttachmentRef, describeAttachment } from '../../src/protocol/attachment.ts';
import type { Button } from '../../src/protocol/button.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/protocol/json.ts';
import { clip } from '../../src/protocol/one-line.ts';
import type { SlackAccount } from './account.ts';
import type { SlackAnswer, SlackApi } from './api.ts';
import { messagesOf } from './catch-up.ts';
import { emojiNameOf } from './emoji.ts';
import { asActionOutcome, asSendOutcome, type SlackFailure, sentenceOf, unreachable } from './failure.ts';
import type { SlackFiles } from './files.ts';
import { formatMrkdwn } from './markup.ts';
import type { SlackPeople } from './people.ts';
import { mentionedIn, readableText } from './readable-text.ts';
import { isTs, type SlackPlaces, timeOf } from './surface.ts';
import type { SlackThreads } from './threads.ts';

export interface SlackOutboundParts {
  readonly account: SlackAccount;
  readonly api: SlackApi;
  readonly places: SlackPlaces;
  readonly people: SlackPeople;
  readonly threads: SlackThreads;
  readonly files: SlackFiles;
  readonly now: () => number;
}

/** Slack's limits, in characters. */
const LONGEST_POST = 40_000;
export const LONGEST_UPDATE = 4_000;
const LONGEST_SECTION = 3_000;
const LONGEST_VALUE = 2_000;
const LONGEST_LABEL = 75;
export const MOST_BUTTONS = 25;

const PART_EVENT = 'atrium_part';
const DRAFT_EVENT = 'atrium_draft';
const THREAD_EVENT = 'atrium_thread';

/** A part is not sent after a day, so an earlier attempt is not older either; the second day is for slow clocks. */
const LOOK_BACK_MS = 2 * 24 * 3_600_000;
const PAGE = 200;
const LOOK_PAGES = 10;
const HISTORY_PAGES = 10;

/** The message is not there, or not one that can still be changed. */
const GONE: ReadonlySet<string> = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'channel_not_found',
]);

/** Slack did not like the form of the text. */
const BAD_FORM: ReadonlySet<string> = new Set(['msg_too_long', 'invalid_blocks', 'invalid_blocks_format']);

interface Target {
  readonly channel: string;
  readonly threadTs?: string | undefined;
}

/** A message that was found by its key. */
interface Located {
  readonly ts: string;
  /** The files that belong to the part and are not shown yet. */
  readonly unshared: readonly string[];
}

export class SlackOutbound {
  readonly #parts: SlackOutboundParts;

  constructor(parts: SlackOutboundParts) {
    this.#parts = parts;
  }

  async send(part: OutboundPart, port: ChannelPort, signal: AbortSignal): Promise<SendOutcome> {
    const target = await this.#targetOf(part, signal);
    if (!target.ok) return asSendOutcome(target.failure);
    const handle = part.replaces === undefined ? undefined : handleTs(part.replaces);
    if (part.attempt > 1 && handle === undefined) {
      const found = await this.#findPart(part, target.value, signal);
      if (!found.ok) return notLooked(found.failure);
      if (found.value !== undefined) return sent(target.value, found.value);
    }
    const { ids, lines, failure } = await this.#upload(part, port, signal);
    if (failure) return asSendOutcome(failure);
    const said = [part.text, ...lines].filter((line) => line.trim() !== '').join('\n\n');
    const names = (part.attachments ?? []).map(({ name }) => name).join(', ');
    const content = {
      // Only a message can carry the key, so files without words come with their names.
      text: said === '' ? names : said,
      buttons: part.buttons ?? [],
      metadata: metadataOf(PART_EVENT, { key: part.key, ...(ids.length > 0 && { files: ids }) }),
    };
    const shown = await this.#show(part, content, target.value, handle, signal);
    if (!shown.ok) return asSendOutcome(shown.failure);
    const shared = await this.#share(ids, target.value, signal);
    if (!shared.ok)
      return asSendOutcome(shared.failure.kind === 'refused' ? shared.failure : uncertain(shared.failure));
    return sent(target.value, shown.value);
  }

  /**
   * Looks for a part. One whose text has arrived without its files is completed here, because the next attempt to send
   * would repeat the text. Rejects when Slack cannot be asked, so that nothing is sent twice.
   */
  async find(part: OutboundPart, signal: AbortSignal): Promise<JsonValue | undefined> {
    const target = await this.#targetOf(part, signal);
    const found = target.ok ? await this.#findPart(part, target.value, signal) : target;
    if (!found.ok) throw new Error(`It is not known whether the part has arrived. ${sentenceOf(found.failure)}`);
    return found.value === undefined || !target.ok ? undefined : receiptOf(target.value, found.value);
  }

  async showDraft(draft: Draft, signal: AbortSignal): Promise<ActionOutcome<JsonValue>> {
    const target = await this.#placeOf(draft.surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    const metadata = metadataOf(DRAFT_EVENT, { key: draft.runId });
    const content = { text: draft.text, buttons: [], metadata };
    const handle = draft.handle === undefined ? undefined : handleTs(draft.handle);
    if (handle !== undefined) {
      const updated = await this.#update(content, target.value.channel, handle, signal);
      if (updated.ok) return done(draft.handle ?? null);
      if (!isGone(updated.failure)) return asActionOutcome(updated.failure);
    }
    const posted = await this.#post(content, target.value, signal);
    return posted.ok ? done({ draftTs: posted.value }) : asActionOutcome(posted.failure);
  }

  async findDraft(
    { surface, runId }: Pick<Draft, 'surface' | 'runId'>,
    signal: AbortSignal,
  ): Promise<ActionOutcome<JsonValue>> {
    const target = await this.#placeOf(surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    const found = await this.#locate(DRAFT_EVENT, runId, target.value, signal);
    if (!found.ok) return asActionOutcome(found.failure);
    return done(found.value ? { draftTs: found.value.ts } : null);
  }

  async withdrawDraft(
    { surface, handle }: Pick<Draft, 'surface' | 'handle'>,
    signal: AbortSignal,
  ): Promise<ActionOutcome> {
    const ts = handle === undefined ? undefined : handleTs(handle);
    return ts === undefined ? done(null) : this.delete({ surface, messageId: ts }, signal);
  }

  async edit({ surface, messageId, text }: MessageRef & { text: string }, signal: AbortSignal): Promise<ActionOutcome> {
    const target = await this.#placeOf(surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    if (!isTs(messageId)) return noSuchMessage(messageId);
    const updated = await this.#update({ text, buttons: [] }, target.value.channel, messageId, signal);
    return updated.ok ? done(null) : asActionOutcome(updated.failure);
  }

  async delete({ surface, messageId }: MessageRef, signal: AbortSignal): Promise<ActionOutcome> {
    const target = await this.#placeOf(surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    if (!isTs(messageId)) return noSuchMessage(messageId);
    const answer = await this.#parts.api.call('chat.delete', { channel: target.value.channel, ts: messageId }, signal);
    return answer.ok || isRefused(answer.failure, 'message_not_found') ? done(null) : asActionOutcome(answer.failure);
  }

  async react({ surface, messageId, emoji, isRemoved = false }: Reaction, signal: AbortSignal): Promise<ActionOutcome> {
    const target = await this.#placeOf(surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    if (!isTs(messageId)) return noSuchMessage(messageId);
    const name = emojiNameOf(emoji);
    if (name === undefined) {
      return {
        outcome: 'failed',
        reason: 'Slack knows reactions by their names, such as thumbsup; name it like that.',
      };
    }
    const args = { channel: target.value.channel, timestamp: messageId, name };
    const answer = await this.#parts.api.call(isRemoved ? 'reactions.remove' : 'reactions.add', args, signal);
    const isSo = !answer.ok && isRefused(answer.failure, isRemoved ? 'no_reaction' : 'already_reacted');
    return answer.ok || isSo ? done(null) : asActionOutcome(answer.failure);
  }

  /** A thread begins from a message; without one, from a new message with the name. */
  async createThread(
    { surface, name, messageId, key }: NewThread,
    signal: AbortSignal,
  ): Promise<ActionOutcome<Surface>> {
    if (surface.threadId !== undefined) return { outcome: 'failed', reason: 'A thread has no threads of its own.' };
    if (messageId !== undefined) {
      return isTs(messageId) ? done({ ...surface, threadId: messageId }) : noSuchMessage(messageId);
    }
    const target = await this.#placeOf(surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    const found = await this.#locate(THREAD_EVENT, key, target.value, signal);
    if (!found.ok) return asActionOutcome(found.failure);
    const metadata = metadataOf(THREAD_EVENT, { key });
    const root = found.value
      ? { ok: true as const, value: found.value.ts }
      : await this.#post({ text: name, buttons: [], metadata }, target.value, signal);
    if (!root.ok) return asActionOutcome(root.failure);
    this.#parts.threads.noteOwn(target.value.channel, root.value);
    return done({ ...surface, threadId: root.value });
  }

  /** The latest messages, oldest first. The message that a thread began from is among them, if there is room for two. */
  async readHistory(
    { surface, limit, before }: HistoryRequest,
    ownUserId: string,
    signal: AbortSignal,
  ): Promise<ActionOutcome<readonly HistoryMessage[]>> {
    const target = await this.#placeOf(surface, signal);
    if (!target.ok) return asActionOutcome(target.failure);
    const { channel, threadTs } = target.value;
    const args: JsonObject = {
      channel,
      limit: PAGE,
      ...(isTs(before) && { latest: before, inclusive: false }),
      ...(threadTs !== undefined && { ts: threadTs }),
    };
    const method = threadTs === undefined ? 'conversations.history' : 'conversations.replies';
    // A conversation is told from its end, and a thread from its beginning.
    const pages = threadTs === undefined ? Math.ceil(limit / PAGE) : HISTORY_PAGES;
    const answer = await this.#parts.api.callPages(method, args, { pages }, signal);
    if (!answer.ok) return asActionOutcome(answer.failure);
    const all = answer.value.pages.flatMap(messagesOf).filter(isSaid).sort(byTs);
    const earlier = isTs(before) ? all.filter(({ ts }) => String(ts) < before) : all;
    const [first, ...rest] = earlier;
    const isRoot = first !== undefined && first.ts === threadTs && limit > 1;
    const kept = isRoot ? [first, ...rest.slice(-(limit - 1))] : earlier.slice(-limit);
    return done(await Promise.all(kept.map((message) => this.#historyMessage(message, ownUserId))));
  }

  async #historyMessage(message: JsonObject, ownUserId: string): Promise<HistoryMessage> {
    const { people } = this.#parts;
    const ts = String(message.ts);
    const said = String(message.text ?? '');
    const nameOf = await people.namesOf(mentionedIn(said));
    const files = Array.isArray(message.files) ? message.files.filter(isJsonObject) : [];
    const names = files.map(({ name }) => `[File: ${String(name)}]`);
    const isOwn = message.user === ownUserId;
    const author = typeof message.user === 'string' ? message.user : String(message.bot_id ?? 'unknown');
    return {
      messageId: ts,
      sender: typeof message.user === 'string' ? await people.senderOf(author) : { id: author },
      text: [readableText(said, nameOf), ...names].filter((line) => line !== '').join('\n'),
      at: timeOf(ts),
      ...(isOwn && { isOwn: true }),
    };
  }

  // Where

  /** On Slack, a reply is in the thread of the message that it answers. */
  async #targetOf(part: OutboundPart, signal: AbortSignal): Promise<SlackAnswer<Target>> {
    const place = await this.#placeOf(part.surface, signal);
    if (!place.ok || place.value.threadTs !== undefined) return place;
    const threadTs = replyTargetOf(part, this.#parts.account.replyToMode[part.surface.peer.kind]);
    return isTs(threadTs) ? { ok: true, value: { ...place.value, threadTs } } : place;
  }

  async #placeOf(surface: Surface, signal: AbortSignal): Promise<SlackAnswer<Target>> {
    const channel = await this.#parts.places.conversationOf(surface, signal);
    if (!channel.ok) return channel;
    const { threadId } = surface;
    return { ok: true, value: { channel: channel.value, ...(threadId !== undefined && { threadTs: threadId }) } };
  }

  // What

  /** Shows the text as a new message, or as the message of the draft. Gives the timestamp of the message. */
  async #show(
    part: OutboundPart,
    content: Content,
    target: Target,
    handle: string | undefined,
    signal: AbortSignal,
  ): Promise<SlackAnswer<string>> {
    if (handle === undefined) return this.#post(content, target, signal);
    // A message can be changed only to a text that is much shorter than a new one may be.
    if (formatted(content.text).length <= LONGEST_UPDATE) {
      const updated = await this.#update(content, target.channel, handle, signal);
      if (updated.ok || !isGone(updated.failure)) return updated;
    }
    // An earlier attempt may have found no draft either, and sent a new message.
    const found = await this.#locate(PART_EVENT, part.key, target, signal);
    if (!found.ok) return found;
    const shown = found.value
      ? { ok: true as const, value: found.value.ts }
      : await this.#post(content, target, signal);
    if (shown.ok && shown.value !== handle) {
      await this.#parts.api.call('chat.delete', { channel: target.channel, ts: handle }, signal);
    }
    return shown;
  }

  async #post(content: Content, { channel, threadTs }: Target, signal: AbortSignal): Promise<SlackAnswer<string>> {
    const { account, api, threads } = this.#parts;
    const { unfurlLinks, unfurlMedia } = account;
    const place = {
      channel,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
      unfurl_links: unfurlLinks,
      ...(unfurlMedia !== undefined && { unfurl_media: unfurlMedia }),
    };
    const post = (form: JsonObject) => api.call('chat.postMessage', { ...place, ...form }, signal);
    const answer = await inSomeForm(content, LONGEST_POST, post);
    if (!answer.ok) return answer;
    const ts = String(answer.value.ts);
    threads.remember(channel, ts, threadTs);
    threads.noteOwn(channel, threadTs ?? ts);
    return { ok: true, value: ts };
  }

  async #update(content: Content, channel: string, ts: string, signal: AbortSignal): Promise<SlackAnswer<string>> {
    const update = (form: JsonObject) =>
      this.#parts.api.call('chat.update', { channel, ts, blocks: [], attachments: [], ...form }, signal);
    const answer = await inSomeForm(content, LONGEST_UPDATE, update);
    return answer.ok ? { ok: true, value: ts } : answer;
  }

  // Files

  async #upload(
    { attachments = [] }: OutboundPart,
    port: ChannelPort,
    signal: AbortSignal,
  ): Promise<{ readonly ids: readonly string[]; readonly lines: readonly string[]; readonly failure?: SlackFailure }> {
    const ids: string[] = [];
    const lines: string[] = [];
    for (const ref of attachments) {
      const bytes = await port.readAttachment(ref.hash).catch(() => undefined);
      if (!bytes || bytes.length === 0) {
        lines.push(unsent(ref));
        continue;
      }
      const uploaded = await this.#parts.files.upload(ref, bytes, signal);
      if (!uploaded.ok) return { ids, lines, failure: uploaded.failure };
      ids.push(uploaded.value);
    }
    return { ids, lines };
  }

  async #share(ids: readonly string[], { channel, threadTs }: Target, signal: AbortSignal): Promise<SlackAnswer<null>> {
    if (ids.length === 0) return { ok: true, value: null };
    const place = { channel_id: channel, ...(threadTs !== undefined && { thread_ts: threadTs }) };
    const files = ids.map((id) => ({ id }));
    const answer = await this.#parts.api.call('files.completeUploadExternal', { ...place, files }, signal);
    return answer.ok ? { ok: true, value: null } : answer;
  }

  // Looking

  async #findPart(
    { key }: Pick<OutboundPart, 'key'>,
    target: Target,
    signal: AbortSignal,
  ): Promise<SlackAnswer<string | undefined>> {
    const found = await this.#locate(PART_EVENT, key, target, signal);
    if (!found.ok) return found;
    if (!found.value) return { ok: true, value: undefined };
    const shared = await this.#share(found.value.unshared, target, signal);
    return shared.ok ? { ok: true, value: found.value.ts } : shared;
  }

  async #locate(
    event: string,
    key: string,
    { channel, threadTs }: Target,
    signal: AbortSignal,
  ): Promise<SlackAnswer<Located | undefined>> {
    const oldest = `${Math.floor((this.#parts.now() - LOOK_BACK_MS) / 1_000)}.000000`;
    const args = { channel, oldest, limit: PAGE, include_all_metadata: true };
    const [method, where] =
      threadTs === undefined
        ? (['conversations.history', {}] as const)
        : (['conversations.replies', { ts: threadTs }] as const);
    const answer = await this.#parts.api.callPages(method, { ...args, ...where }, { pages: LOOK_PAGES }, signal);
    if (!answer.ok) return answer;
    const messages = answer.value.pages.flatMap(messagesOf);
    const payloads = messages.map((message) => ({ ts: String(message.ts), payload: payloadOf(message, event) }));
    const found = payloads.find(({ payload }) => payload?.key === key);
    if (!found) return { ok: true, value: undefined };
    const shown = new Set(messages.flatMap(filesOf));
    const files = Array.isArray(found.payload?.files) ? found.payload.files.map(String) : [];
    return { ok: true, value: { ts: found.ts, unshared: files.filter((id) => !shown.has(id)) } };
  }
}

interface Content {
  /** Markdown. */
  readonly text: string;
  readonly buttons: readonly Button[];
  readonly metadata?: JsonObject | undefined;
}

/** Asks with Slack's markup first; a text that is too long in it, or that Slack refuses, is shown plain. */
async function inSomeForm(
  { text, buttons, metadata }: Content,
  longest: number,
  ask: (form: JsonObject) => Promise<SlackAnswer>,
): Promise<SlackAnswer> {
  const mrkdwn = formatted(text);
  const extras = { ...(metadata && { metadata }), ...buttonsForm(buttons) };
  const plain = () => ask({ text: clip(mrkdwn, 1_000), blocks: plainBlocks(text), ...extras });
  if (mrkdwn.length > longest) return plain();
  const answer = await ask({ text: mrkdwn, ...extras });
  const isBadForm = !answer.ok && answer.failure.kind === 'refused' && BAD_FORM.has(answer.failure.error);
  return isBadForm ? plain() : answer;
}

/** Some Markdown has no words; then people see it as it was written. */
function formatted(markdown: string): string {
  const mrkdwn = formatMrkdwn(markdown);
  return mrkdwn.trim() === '' ? markdown : mrkdwn;
}

/** Plain text needs no escaping, so it has the length that it was split to. */
function plainBlocks(text: string): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + LONGEST_SECTION, text.length);
    // No character is cut in two.
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? '')) to -= 1;
    blocks.push({ type: 'section', text: { type: 'plain_text', text: text.slice(from, to), emoji: false } });
    from = to;
  }
  return blocks;
}

/** When one of the buttons cannot be shown, none is: the text says what to type. */
function buttonsForm(buttons: readonly Button[]): JsonObject {
  if (buttons.length === 0 || buttons.some(({ value }) => value.length > LONGEST_VALUE)) return {};
  const elements = buttons.map(({ label, value }, index) => ({
    type: 'button',
    action_id: `atrium_${index}`,
    text: { type: 'plain_text', text: clip(label, LONGEST_LABEL) },
    value,
  }));
  // In an attachment, because blocks of the message itself would take the place of its text.
  return { attachments: [{ fallback: 'Buttons', blocks: [{ type: 'actions', elements }] }] };
}

function metadataOf(event: string, payload: JsonObject): JsonObject {
  return { event_type: event, event_payload: payload };
}

function payloadOf({ metadata }: JsonObject, event: string): JsonObject | undefined {
  if (!isJsonObject(metadata) || metadata.event_type !== event) return undefined;
  return isJsonObject(metadata.event_payload) ? metadata.event_payload : undefined;
}

function filesOf({ files }: JsonObject): readonly string[] {
  return Array.isArray(files) ? files.filter(isJsonObject).map(({ id }) => String(id)) : [];
}

function isSaid({ ts, subtype }: JsonObject): boolean {
  return isTs(ts) && !HIDDEN_SUBTYPES.has(String(subtype));
}

const HIDDEN_SUBTYPES: ReadonlySet<string> = new Set(['tombstone', 'channel_join', 'channel_leave', 'group_join']);

function byTs(a: JsonObject, b: JsonObject): number {
  return String(a.ts) < String(b.ts) ? -1 : 1;
}

function handleTs(handle: JsonValue): string | undefined {
  const ts = isJsonObject(handle) ? handle.draftTs : undefined;
  return isTs(ts) ? ts : undefined;
}

function sent(target: Target, ts: string): SendOutcome {
  return { outcome: 'sent', receipt: receiptOf(target, ts) };
}

function receiptOf({ channel, threadTs }: Target, ts: string): JsonObject {
  return { messageId: ts, conversation: channel, ...(threadTs !== undefined && { threadId: threadTs }) };
}

function done<Value>(value: Value): ActionOutcome<Value> {
  return { outcome: 'done', value };
}

function noSuchMessage<Value>(messageId: string): ActionOutcome<Value> {
  return { outcome: 'failed', reason: `There is no message ${clip(messageId, 40)} on Slack.` };
}

function isGone(failure: SlackFailure): boolean {
  return failure.kind === 'refused' && GONE.has(failure.error);
}

function isRefused(failure: SlackFailure, error: string): boolean {
  return failure.kind === 'refused' && failure.error === error;
}

/** An attempt before this one may have arrived, and that could not be found out. */
function notLooked(failure: SlackFailure): SendOutcome {
  const outcome = asSendOutcome(failure);
  return outcome.outcome === 'retry' ? { ...outcome, mayHaveArrived: true } : outcome;
}

/** The text is there already. */
function uncertain(failure: SlackFailure): SlackFailure {
  return failure.kind === 'unreachable' ? unreachable(failure.reason, true) : failure;
}

function unsent(file: AttachmentRef): string {
  return `[File: ${describeAttachment(file)}. It is no longer there.]`;
}
