// Slack's events as inbounds and changes. The event `app_mention` and the event `message` of one message are one message,
// named by its conversation and its timestamp. What is not for the agent (other kinds of events, the bot's own messages)
// gives nothing and is acknowledged at once.

import { isInList } from '../../src/channels/access.ts';
import type { BotLoops } from '../../src/channels/bot-loops.ts';
import type { ChannelPort } from '../../src/channels/channel.ts';
import type { NativeCommand } from '../../src/channels/channel-extension.ts';
import { type AttachmentRef, cleanName } from '../../src/protocol/attachment.ts';
import { AtriumError } from '../../src/protocol/errors.ts';
import type { Inbound, Quote, Sender, Surface } from '../../src/protocol/inbound.ts';
import type { InboundChange } from '../../src/protocol/inbound-change.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/protocol/json.ts';
import { oneLine } from '../../src/protocol/one-line.ts';
import { rulesFor } from './access.ts';
import { channelSettingsOf, type SlackAccount } from './account.ts';
import type { QueuedEvent } from './conversation-queues.ts';
import { signOf } from './emoji.ts';
import { MOST_FILES, type SlackFiles } from './files.ts';
import type { SlackPeople } from './people.ts';
import { mentionedIn, readableText, withoutAddress } from './readable-text.ts';
import { CHANNEL_ID, isTs, type SlackPlace, type SlackPlaces, timeOf } from './surface.ts';
import type { SlackThreads } from './threads.ts';

/** The bot as Slack knows it. */
export interface SlackIdentity {
  readonly userId: string;
  readonly botId: string;
  readonly name: string;
  readonly teamId: string;
  readonly teamName: string;
}

export interface SlackInboundParts {
  readonly account: SlackAccount;
  readonly places: SlackPlaces;
  readonly people: SlackPeople;
  readonly threads: SlackThreads;
  readonly files: SlackFiles;
  readonly loops: BotLoops;
  readonly commands: () => readonly NativeCommand[];
  readonly now: () => number;
}

/** An envelope of Socket Mode. */
export interface SlackEnvelope {
  readonly type: string;
  readonly body: JsonValue;
}

export interface HeardEvent extends QueuedEvent {
  /** Set for messages: where the reading goes on after a restart. */
  readonly seen?: { readonly threadId: string | undefined; readonly ts: string } | undefined;
}

/** The subtypes that are messages of people. */
const MESSAGE_SUBTYPES: ReadonlySet<JsonValue | undefined> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
  'me_message',
  'bot_message',
]);

export class SlackInbound {
  readonly #parts: SlackInboundParts;
  readonly #port: ChannelPort;
  readonly #identity: SlackIdentity;

  constructor(parts: SlackInboundParts, port: ChannelPort, identity: SlackIdentity) {
    this.#parts = parts;
    this.#port = port;
    this.#identity = identity;
  }

  /** Undefined for an event that is not for the agent. */
  read({ type, body }: SlackEnvelope): HeardEvent | undefined {
    if (!isJsonObject(body)) return undefined;
    if (type === 'slash_commands') return this.#readCommand(body);
    if (type === 'interactive') return this.#readPress(body);
    const { event } = body;
    if (type !== 'events_api' || !isJsonObject(event)) return undefined;
    if (event.type === 'message' || event.type === 'app_mention') return this.readMessage(event);
    if (event.type === 'reaction_added' || event.type === 'reaction_removed') return this.#readReaction(event);
    return undefined;
  }

  /** Reads an event, or a message of the history with its `channel`. */
  readMessage(event: JsonObject): HeardEvent | undefined {
    const { channel, ts, subtype } = event;
    if (typeof channel !== 'string') return undefined;
    if (subtype === 'message_changed') return this.#readChanged(event, channel);
    if (subtype === 'message_deleted') return this.#readDeleted(event, channel, event.previous_message);
    if (!MESSAGE_SUBTYPES.has(subtype) || !isTs(ts) || !this.#isHeard(event, channel)) return undefined;
    const threadTs = isTs(event.thread_ts) && event.thread_ts !== ts ? event.thread_ts : undefined;
    return {
      conversation: channel,
      key: `${channel}:${ts}`,
      seen: { threadId: threadTs, ts },
      store: async () => {
        if (this.#isInLoop(event, channel)) return;
        await this.#port.receive(await this.#messageOf(event, channel, ts));
      },
    };
  }

  async #messageOf(event: JsonObject, channel: string, ts: string): Promise<Inbound> {
    const { places, people, threads } = this.#parts;
    const { userId } = this.#identity;
    const sender = await this.#senderOf(event);
    const place = await places.placeOf(channel, sender.id, textOf(event.channel_type));
    const threadId = this.#threadIdOf(place, event);
    threads.remember(channel, ts, threadId);
    const said = textOf(event.text) ?? '';
    const nameOf = await people.namesOf(mentionedIn(said));
    const { attachments, lines } = await this.#keepFiles(event);
    const surface = places.surfaceOf(place, threadId);
    const quote = await this.#quoteOf(event, surface, place.name);
    const words = readableText(withoutAddress(said, userId), nameOf).trim();
    const text = [words, ...lines].filter((line) => line !== '').join('\n\n');
    return {
      surface,
      sender,
      text: text === '' && quote ? '[shared a message]' : text,
      at: timeOf(ts),
      eventId: `${channel}:${ts}`,
      messageId: ts,
      wasMentioned: place.peer.kind === 'direct' || (await this.#isMentioned(event, channel)),
      space: this.#space(),
      ...(attachments.length > 0 && { attachments }),
      ...(quote && { quote }),
      ...(place.name !== undefined && { placeName: place.name }),
    };
  }

  /** A reply in a thread that the bot takes part in speaks to it, unless the operator wants more. */
  async #isMentioned(event: JsonObject, channel: string): Promise<boolean> {
    const { account, threads } = this.#parts;
    const { userId } = this.#identity;
    if (event.type === 'app_mention' || this.#mentionsBot(event)) return true;
    const { thread_ts: thread, ts } = event;
    if (account.requireExplicitMention || !isTs(thread) || thread === ts) return false;
    if (event.parent_user_id === userId) return true;
    return threads.takesPart(channel, thread, userId);
  }

  #readChanged(event: JsonObject, channel: string): HeardEvent | undefined {
    const { message, previous_message: before } = event;
    if (!isJsonObject(message) || !isTs(message.ts)) return undefined;
    // A message that has replies stays as a mark that something was deleted.
    if (message.subtype === 'tombstone')
      return this.#readDeleted({ ...event, deleted_ts: message.ts }, channel, before);
    const { ts, edited } = message;
    // Slack also tells of previews that it added and of replies that it counted.
    if (!isJsonObject(edited) || (isJsonObject(before) && before.text === message.text)) return undefined;
    if (!this.#isHeard(message, channel)) return undefined;
    const key = `edit:${channel}:${ts}:${String(edited.ts)}`;
    return this.#changeOf(event, channel, { ...message, ts }, key, async () => {
      const said = textOf(message.text) ?? '';
      const nameOf = await this.#parts.people.namesOf(mentionedIn(said));
      const text = readableText(withoutAddress(said, this.#identity.userId), nameOf).trim();
      return { kind: 'edit', text };
    });
  }

  #readDeleted(event: JsonObject, channel: string, before: JsonValue | undefined): HeardEvent | undefined {
    const { deleted_ts: ts } = event;
    if (!isTs(ts) || before === undefined || !isJsonObject(before) || !this.#isHeard(before, channel)) return undefined;
    const message = { ...before, ts };
    return this.#changeOf(event, channel, message, `delete:${channel}:${ts}`, async () => ({ kind: 'delete' }));
  }

  #changeOf(
    event: JsonObject,
    channel: string,
    message: JsonObject & { readonly ts: string },
    key: string,
    whatOf: () => Promise<{ readonly kind: 'edit'; readonly text: string } | { readonly kind: 'delete' }>,
  ): HeardEvent {
    const store = async () => {
      const sender = await this.#senderOf(message);
      const place = await this.#parts.places.placeOf(channel, sender.id, textOf(event.channel_type));
      const surface = this.#parts.places.surfaceOf(place, this.#threadIdOf(place, message));
      await this.#change({ surface, sender, messageId: message.ts, eventId: key, ...(await whatOf()) }, event);
    };
    return { conversation: channel, key, store };
  }

  #readReaction(event: JsonObject): HeardEvent | undefined {
    const { user, reaction, item, type, event_ts: eventTs } = event;
    if (!isJsonObject(item) || item.type !== 'message' || !isTs(item.ts)) return undefined;
    const { channel, ts } = item;
    if (typeof channel !== 'string' || typeof user !== 'string' || typeof reaction !== 'string') return undefined;
    if (user === this.#identity.userId || !this.#isReactionHeard(user, event.item_user)) return undefined;
    const { places, people, threads } = this.#parts;
    const key = `${type}:${channel}:${ts}:${user}:${reaction}:${String(eventTs)}`;
    const store = async () => {
      const place = await places.placeOf(channel, user);
      const threadId = await threads.threadOf(channel, ts, (message) =>
        message.user === this.#identity.userId ? realThreadOf(message) : this.#threadIdOf(place, message),
      );
      const what = { kind: 'reaction', emoji: signOf(reaction) } as const;
      await this.#change(
        {
          surface: places.surfaceOf(place, threadId),
          sender: await people.senderOf(user),
          messageId: ts,
          eventId: key,
          ...what,
          ...(type === 'reaction_removed' && { isRemoved: true }),
        },
        event,
      );
    };
    return { conversation: channel, key, store };
  }

  #isReactionHeard(user: string, itemUser: JsonValue | undefined): boolean {
    const { mode, only } = this.#parts.account.reactions;
    if (mode === 'own') return itemUser === this.#identity.userId;
    return mode === 'all' || (mode === 'allowlist' && (only.includes(user) || only.includes('*')));
  }

  async #change(change: Unfinished<InboundChange>, { event_ts: ts }: JsonObject): Promise<void> {
    await this.#port.receiveChange({ ...change, space: this.#space(), at: isTs(ts) ? timeOf(ts) : this.#parts.now() });
  }

  #readCommand(body: JsonObject): HeardEvent | undefined {
    const { command, text, user_id: user, channel_id: channel, trigger_id: trigger } = body;
    if (!this.#parts.account.takesCommands) return undefined;
    if (typeof command !== 'string' || typeof user !== 'string' || typeof channel !== 'string') return undefined;
    const key = `command:${String(trigger)}`;
    const said = this.#commandText(command, textOf(text) ?? '');
    return { conversation: channel, key, store: () => this.#receiveAct({ user, channel, key, text: said }) };
  }

  /** `/new now` and `/atrium new now` both are the command `/new now`; other words behind `/atrium` are a message, and none ask for help. */
  #commandText(command: string, text: string): string {
    const names = new Set(this.#parts.commands().map(({ name }) => name));
    const own = command.replace(/^\//, '').toLowerCase();
    // Slack keeps some names for itself, such as /status, so people name theirs /agentstatus.
    const native = [own, own.replaceAll('-', '_'), own.replace(/^agent/, '')].find((name) => names.has(name));
    if (native !== undefined) return `/${native} ${text}`.trim();
    if (text.trim() === '') return '/help';
    const [first = ''] = text.trim().split(/\s/);
    return names.has(first.toLowerCase()) ? `/${text.trim()}` : text.trim();
  }

  #readPress(body: JsonObject): HeardEvent | undefined {
    const { type, user, channel, message, actions, container } = body;
    const [action] = Array.isArray(actions) ? actions : [];
    if (type !== 'block_actions' || !isJsonObject(user) || !isJsonObject(action)) return undefined;
    const inside = isJsonObject(container) ? container : {};
    const conversation = isJsonObject(channel) ? textOf(channel.id) : textOf(inside.channel_id);
    const shown = isJsonObject(message) ? message : inside;
    const { value, action_ts: at } = action;
    if (typeof value !== 'string' || typeof user.id !== 'string' || conversation === undefined) return undefined;
    const key = `press:${conversation}:${String(shown.ts ?? inside.message_ts)}:${user.id}:${String(at)}`;
    const threadId = realThreadOf({ ts: inside.message_ts ?? '', ...shown });
    const act = { user: user.id, channel: conversation, key, text: value, threadId, ts: at };
    return { conversation, key, store: () => this.#receiveAct(act) };
  }

  /** A command or a press: it is no message on Slack, so it has no id there. */
  async #receiveAct({ user, channel, key, text, threadId, ts }: Act): Promise<void> {
    const { places, people, now } = this.#parts;
    const place = await places.placeOf(channel, user);
    await this.#port.receive({
      surface: places.surfaceOf(place, threadId),
      sender: await people.senderOf(user),
      text,
      at: isTs(ts) ? timeOf(ts) : now(),
      eventId: key,
      wasMentioned: true,
      space: this.#space(),
      ...(place.name !== undefined && { placeName: place.name }),
    });
  }

  /** Whether the author is one whom the agent may hear at all: never the bot itself, and other bots where it is allowed. */
  #isHeard(message: JsonObject, channel: string): boolean {
    const { account, places } = this.#parts;
    const { userId, botId } = this.#identity;
    const { user, bot_id: bot, subtype } = message;
    if (user === userId || (bot !== undefined && bot === botId)) return false;
    if (bot === undefined && subtype !== 'bot_message') return typeof user === 'string';
    const settings = channelSettingsOf(account, channel, places.nameOf(channel));
    const policy = settings?.allowBots ?? account.allowBots;
    return policy === 'mentions' ? this.#mentionsBot(message) : policy;
  }

  /** A message of a bot that talks too much is left out. */
  #isInLoop({ user, bot_id: bot, subtype }: JsonObject, channel: string): boolean {
    const { account, places, loops } = this.#parts;
    if (bot === undefined && subtype !== 'bot_message') return false;
    const own = channelSettingsOf(account, channel, places.nameOf(channel))?.botLoop;
    const settings = own === undefined ? account.botLoop : own;
    return settings ? !loops.isHeard(String(bot ?? user), channel, settings) : false;
  }

  #mentionsBot({ text }: JsonObject): boolean {
    return mentionedIn(textOf(text) ?? '').includes(this.#identity.userId);
  }

  /** With `replyToMode: all` every answer opens a thread, so the message belongs to that thread from the beginning. */
  #threadIdOf({ peer }: SlackPlace, message: JsonObject): string | undefined {
    const thread = realThreadOf(message);
    if (thread !== undefined) return thread;
    return this.#parts.account.replyToMode[peer.kind] === 'all' ? textOf(message.ts) : undefined;
  }

  async #senderOf({ user, bot_id: bot, username }: JsonObject): Promise<Sender> {
    if (typeof user === 'string') return this.#parts.people.senderOf(user);
    const name = textOf(username);
    return { id: textOf(bot) ?? 'unknown', ...(name !== undefined && { name: oneLine(name, 80) }) };
  }

  async #keepFiles({ files }: JsonObject): Promise<{
    readonly attachments: readonly AttachmentRef[];
    readonly lines: readonly string[];
  }> {
    const attachments: AttachmentRef[] = [];
    const lines: string[] = [];
    const named = Array.isArray(files) ? files.filter(isJsonObject) : [];
    for (const [index, each] of named.entries()) {
      const file =
        index < MOST_FILES
          ? await this.#parts.files.read(each)
          : { name: cleanName(String(each.name ?? '')), problem: `a message may bring ${MOST_FILES} files` };
      if ('problem' in file) {
        lines.push(unread(file.name, file.problem));
        continue;
      }
      try {
        attachments.push(await this.#port.keep(file));
      } catch (error) {
        // A file that is refused is named; one that could not be stored is tried again with its message.
        if (!(error instanceof AtriumError)) throw error;
        lines.push(unread(file.name, oneLine(error, 200)));
      }
    }
    return { attachments, lines };
  }

  /** A message that a person shares is an attachment with its author. */
  async #quoteOf({ attachments }: JsonObject, surface: Surface, placeName?: string): Promise<Quote | undefined> {
    const shared = (Array.isArray(attachments) ? attachments : [])
      .filter(isJsonObject)
      .find(({ is_share, is_msg_unfurl, text }) => (is_share === true || is_msg_unfurl === true) && textOf(text));
    if (!shared) return undefined;
    const author = textOf(shared.author_id);
    const said = textOf(shared.text) ?? '';
    const nameOf = await this.#parts.people.namesOf(mentionedIn(said));
    const sender =
      author === undefined
        ? { id: 'unknown', name: oneLine(shared.author_name ?? 'unknown', 80) }
        : await this.#parts.people.senderOf(author);
    const isOwn = author === this.#identity.userId;
    if (!isOwn && this.#parts.account.quotesOnlyListed && !this.#isListed(sender, surface, placeName)) return undefined;
    return { sender, text: readableText(said, nameOf), ...(isOwn && { isOwn: true }) };
  }

  #isListed(sender: Sender, surface: Surface, placeName: string | undefined): boolean {
    const { allowFrom } = rulesFor(this.#parts.account, { surface }, placeName);
    return allowFrom === undefined || isInList(allowFrom, CHANNEL_ID, sender);
  }

  #space(): Inbound['space'] {
    const { teamId, teamName } = this.#identity;
    return { id: teamId, name: teamName };
  }
}

type Unfinished<Change> = Change extends unknown ? Omit<Change, 'at'> : never;

interface Act {
  readonly user: string;
  readonly channel: string;
  readonly key: string;
  readonly text: string;
  readonly threadId?: string | undefined;
  readonly ts?: JsonValue | undefined;
}

/** The thread that a message is in; undefined for one that is in none or that a thread begins from. */
export function realThreadOf({ ts, thread_ts: thread }: JsonObject): string | undefined {
  return isTs(thread) && thread !== ts ? thread : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function unread(name: string, problem: string): string {
  return `[File: ${name}. It could not be loaded: ${problem}.]`;
}
