// A channel to a platform that exists only in memory, with accounts, senders, groups, channels and threads. The test
// plays the people on it: it writes messages and expects answers. The test also scripts what the platform does to a
// message, and chooses which capabilities the channel declares. What is on the platform stays when the channel is closed
// and opened again.

import type { Access, AccessRules } from '../channels/access.ts';
import type {
  ChangeResult,
  Channel,
  ChannelPort,
  DeliveryGuarantee,
  OutboundPart,
  ReceiveResult,
  SendOutcome,
} from '../channels/channel.ts';
import type {
  Accounts,
  ActionOutcome,
  Attachments,
  Buttons,
  ChannelCapabilities,
  Deletes,
  Directory,
  DirectoryEntry,
  DraftMode,
  Drafts,
  Edits,
  History,
  HistoryMessage,
  MessageRef,
  Reactions,
  Threads,
  Typing,
} from '../channels/channel-capabilities.ts';
import type { Button } from '../protocol/button.ts';
import { type Inbound, type Peer, type Surface, surfaceId } from '../protocol/inbound.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';

export interface TestChannelSettings {
  /** The default is `test`. */
  readonly id?: string | undefined;
  /** The default is one account, `default`. */
  readonly accounts?: readonly string[] | undefined;
  /** The default is 2,000. */
  readonly maxTextLength?: number | undefined;
  /** Whether the platform drops a message whose key it has seen. The default is true. */
  readonly dedupes?: boolean | undefined;
  /** Whether the channel can look for a message. The default is true. */
  readonly canFind?: boolean | undefined;
  /** The capabilities that the channel declares. The default is none. */
  readonly can?: readonly Capability[] | 'everything' | undefined;
  /** Who may talk, where the channel declares `access`. The default is everybody, without a mention. */
  readonly access?: Access['rulesFor'] | undefined;
  /** Whether the platform shows Markdown as formatted text. The default is that it does not. */
  readonly rendersMarkdown?: true | undefined;
  /** Code that is longer than this is sent as a file. The default is never. */
  readonly longCode?: number | undefined;
  /** How much drafts show. The default is `partial`. */
  readonly draftMode?: DraftMode | undefined;
  /** The shortest time between two edits of a draft. The default is 20. */
  readonly draftEveryMs?: number | undefined;
  /** Whether the channel can look for a draft. The default is true. */
  readonly canFindDrafts?: boolean | undefined;
}

export type Capability = keyof ChannelCapabilities;

/** Where a person is on the platform. Without a group or channel it is a direct conversation with the sender. */
export interface TestPlace {
  readonly account?: string | undefined;
  readonly sender?: string | undefined;
  readonly group?: string | undefined;
  readonly channel?: string | undefined;
  readonly thread?: string | undefined;
}

export interface TestMessageDetails
  extends Partial<
    Pick<
      Inbound,
      | 'eventId'
      | 'messageId'
      | 'revision'
      | 'replyToId'
      | 'quote'
      | 'wasMentioned'
      | 'space'
      | 'sender'
      | 'sessionKey'
      | 'agentId'
      | 'at'
      | 'metadata'
    >
  > {
  /** Files that come with the message. */
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[] | undefined;
}

export interface ChangeDetails {
  readonly sender?: string | undefined;
  /** The same id means the same event. */
  readonly eventId?: string | undefined;
}

/** What the platform does to one message on its way out. */
export type PlatformOutcome =
  | 'ok'
  | { readonly retry: string; readonly afterMs?: number }
  | { readonly fail: string }
  /** The message arrives, but the channel does not learn that. */
  | 'unknown-but-arrived'
  | 'unknown-and-lost'
  /** The channel breaks its own contract. */
  | 'throws'
  | 'never-answers';

/**
 * What the platform does to one draft on its way out. `unknown-but-arrived`: the draft is shown, but the channel does not
 * learn that.
 */
export type DraftOutcome = 'ok' | 'unknown-but-arrived' | 'unknown-and-lost';

export interface ShownMessage {
  readonly messageId: string;
  readonly key: string;
  readonly surface: Surface;
  readonly text: string;
  readonly replyToId?: string | undefined;
  readonly buttons?: readonly Button[] | undefined;
  /** The files that came with the text. */
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[] | undefined;
}

/** How long an expectation waits by default; long enough for a busy machine. */
const PATIENCE_MS = 45_000;

export class TestChannel implements Channel {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly rendersMarkdown?: true | undefined;
  readonly maxTextLength: number;
  readonly find?: (part: OutboundPart) => Promise<JsonValue | undefined>;
  readonly access?: Access | undefined;
  readonly threads?: Threads | undefined;
  readonly reactions?: Reactions | undefined;
  readonly edits?: Edits | undefined;
  readonly deletes?: Deletes | undefined;
  readonly buttons?: Buttons | undefined;
  readonly typing?: Typing | undefined;
  readonly history?: History | undefined;
  readonly directory?: Directory | undefined;
  readonly accounts?: Accounts | undefined;
  readonly drafts?: Drafts | undefined;
  readonly attachments?: Attachments | undefined;
  /** Every attempt to send, in order, with any outcome. */
  readonly tries: OutboundPart[] = [];
  /** Everything that people see of this channel's account, in order, without drafts. */
  readonly messages: ShownMessage[] = [];
  /** Every text that a draft has shown, in order. */
  readonly draftTexts: string[] = [];
  /** The names of the threads that were opened, by their ids. */
  readonly threadNames = new Map<string, string>();
  /** Where the typing sign was shown, in order. */
  readonly typingAt: Surface[] = [];
  readonly #accounts: readonly string[];
  readonly #dedupes: boolean;
  readonly #namesMessages: boolean;
  readonly #script: PlatformOutcome[] = [];
  readonly #draftScript: DraftOutcome[] = [];
  readonly #drafts = new Map<string, { readonly surface: Surface; readonly runId: string; readonly text: string }>();
  readonly #watchers = new Set<() => void>();
  readonly #expected = new Set<ShownMessage>();
  /** What people wrote, by the id of the message. */
  readonly #written = new Map<string, HistoryMessage & { readonly surface: Surface }>();
  /** The ids of all messages, in the order in which they were written or shown. */
  readonly #order: string[] = [];
  /** The reactions of this channel's account, by the id of the message. */
  readonly #reactions = new Map<string, Set<string>>();
  /** The threads by the key that they were opened under. */
  readonly #threads = new Map<string, Surface>();
  #port: ChannelPort | undefined;
  #events = 0;
  #ids = 0;

  constructor(settings: TestChannelSettings = {}) {
    const { id = 'test', accounts = ['default'], maxTextLength = 2_000, dedupes = true, canFind = true } = settings;
    this.id = id;
    this.maxTextLength = maxTextLength;
    this.rendersMarkdown = settings.rendersMarkdown;
    this.#accounts = accounts;
    this.#dedupes = dedupes;
    if (canFind) this.find = async (part) => this.#receiptOf(part.key);
    this.guarantee = dedupes
      ? { level: 'exactly-once', because: 'the platform drops a message whose key it has seen' }
      : { level: 'at-least-once', because: 'the platform knows no keys' };
    const all: Required<ChannelCapabilities> = {
      access: { rulesFor: settings.access ?? everybody },
      threads: { create: async (request) => this.#createThread(request) },
      reactions: { react: async (reaction) => this.#react(reaction) },
      edits: { edit: async (message) => this.#edit(message) },
      deletes: { delete: async (message) => this.#delete(message) },
      buttons: { maxButtons: 5 },
      typing: { everyMs: 1_000, show: (surface) => this.#showTyping(surface) },
      history: { readHistory: async (request) => this.#readHistory(request) },
      directory: { listPeers: async (request) => this.#listPeers(request) },
      accounts: {
        list: () =>
          this.#accounts.map((accountId) => ({ accountId, state: this.#port ? 'connected' : ('stopped' as const) })),
      },
      attachments: { maxBytes: 1_048_576, longCode: settings.longCode },
      drafts: {
        modeOf: () => settings.draftMode ?? 'partial',
        everyMs: settings.draftEveryMs ?? 20,
        show: async (draft) => this.#showDraft(draft),
        ...(settings.canFindDrafts !== false && { find: async ({ runId }) => this.#findDraft(runId) }),
        withdraw: async ({ handle }) => {
          this.#drafts.delete(handleIdOf(handle));
          return done(null);
        },
      },
    };
    const can = settings.can === 'everything' ? (Object.keys(all) as Capability[]) : (settings.can ?? []);
    Object.assign(this, Object.fromEntries(can.map((capability) => [capability, all[capability]])));
    // Platforms on which messages are edited, deleted or answered one by one name each message.
    this.#namesMessages = can.length > 0;
  }

  async open(port: ChannelPort): Promise<void> {
    this.#port = port;
  }

  async close(): Promise<void> {
    this.#port = undefined;
  }

  /**
   * Sets what happens to the next messages on their way out, in order. After these the platform works normally again.
   */
  script(...outcomes: readonly PlatformOutcome[]): void {
    this.#script.push(...outcomes);
  }

  /** Sets what happens to the next shows of drafts, in order. After these the platform works normally again. */
  scriptDrafts(...outcomes: readonly DraftOutcome[]): void {
    this.#draftScript.push(...outcomes);
  }

  async send(part: OutboundPart): Promise<SendOutcome> {
    if (!this.#port) return { outcome: 'retry', reason: 'the channel is closed' };
    this.tries.push(part);
    if (part.surface.channel !== this.id || !this.#accounts.includes(part.surface.accountId)) {
      return { outcome: 'failed', reason: `there is no account ${part.surface.accountId} on ${part.surface.channel}` };
    }
    const outcome = this.#script.shift() ?? 'ok';
    if (outcome === 'throws') throw new Error('the channel broke');
    if (outcome === 'never-answers') return new Promise(() => {});
    if (outcome === 'unknown-and-lost') return noAnswer();
    if (typeof outcome === 'object' && 'fail' in outcome) return { outcome: 'failed', reason: outcome.fail };
    if (typeof outcome === 'object') {
      const { retry: reason, afterMs } = outcome;
      return { outcome: 'retry', reason, ...(afterMs !== undefined && { afterMs }) };
    }
    const receipt = this.#show(part, await this.#load(part));
    return outcome === 'ok' ? { outcome: 'sent', receipt } : noAnswer();
  }

  /** The texts of the drafts that people see at this place. */
  draftsAt(place: TestPlace): readonly string[] {
    const id = surfaceId(this.surface(place));
    return [...this.#drafts.values()].filter(({ surface }) => surfaceId(surface) === id).map(({ text }) => text);
  }

  /** The reactions of this channel's account to a message. */
  reactionsTo(messageId: string): readonly string[] {
    return [...(this.#reactions.get(messageId) ?? [])];
  }

  surface({ account = this.#accounts[0] ?? 'default', sender = 'owner', group, channel, thread }: TestPlace): Surface {
    const peer: Peer = group
      ? { kind: 'group', id: group }
      : channel
        ? { kind: 'channel', id: channel }
        : { kind: 'direct', id: sender };
    const place = { channel: this.id, accountId: account, peer };
    return thread === undefined ? place : { ...place, threadId: thread };
  }

  /**
   * A person writes. Rejects when the gateway does not accept the message; a repetition with the same `eventId` is the
   * same event.
   */
  async says(place: TestPlace, text: string, given: TestMessageDetails = {}): Promise<ReceiveResult> {
    const { files = [], ...details } = given;
    if (!this.#port) throw new Error(`The channel ${this.id} is not open, so no message can be written there.`);
    const sender = place.sender ?? 'owner';
    const port = this.#port;
    const attachments = await Promise.all(files.map((file) => port.keep(file)));
    const names = 'messageId' in details ? {} : { eventId: `event-${++this.#events}`, ...this.#nameMessage() };
    const inbound: Inbound = {
      surface: this.surface(place),
      sender: { id: sender, name: sender },
      text,
      at: Date.now(),
      ...(attachments.length > 0 && { attachments }),
      ...names,
      ...details,
    };
    const { messageId, surface, at } = inbound;
    if (messageId !== undefined && !this.#written.has(messageId)) {
      this.#written.set(messageId, { messageId, surface, sender: inbound.sender, text, at });
      this.#order.push(messageId);
    }
    return this.#port.receive(inbound);
  }

  /** A person edits a message that was written before. The default sender is the one who wrote it. */
  editsMessage(messageId: string, text: string, details: ChangeDetails = {}): Promise<ChangeResult> {
    const written = this.#written.get(messageId);
    if (written) this.#written.set(messageId, { ...written, text });
    return this.#change(messageId, { kind: 'edit', text }, details);
  }

  deletesMessage(messageId: string, details: ChangeDetails = {}): Promise<ChangeResult> {
    const change = this.#change(messageId, { kind: 'delete' }, details);
    this.#written.delete(messageId);
    return change;
  }

  /** A person reacts to any message. */
  reactsTo(messageId: string, emoji: string, details: ChangeDetails = {}): Promise<ChangeResult> {
    return this.#change(messageId, { kind: 'reaction', emoji }, details);
  }

  /** A person presses a button of a message that was shown. */
  async presses(messageId: string, label: string, details: ChangeDetails = {}): Promise<ReceiveResult> {
    const message = this.messages.find((each) => each.messageId === messageId);
    const button = message?.buttons?.find((each) => each.label === label);
    if (!this.#port || !message || !button) throw new Error(`There is no button ${JSON.stringify(label)}.`);
    const { sender = 'owner', eventId = `event-${++this.#events}` } = details;
    const { surface } = message;
    return this.#port.receive({
      surface,
      sender: { id: sender, name: sender },
      text: button.value,
      at: Date.now(),
      wasMentioned: true,
      eventId,
    });
  }

  /** A person writes, and the next message that is shown anywhere is this answer, in the same place. */
  async asks(
    place: TestPlace,
    text: string,
    answer: string | RegExp,
    details: TestMessageDetails = {},
  ): Promise<ReceiveResult> {
    const received = await this.says(place, text, details);
    const { surface } = await this.expectDelivered(answer);
    const [there, here] = [surfaceId(surface), surfaceId(this.surface(place))];
    if (there !== here) throw new Error(`${format(answer)} was delivered to ${there}, where ${here} had asked.`);
    return received;
  }

  shown(place?: TestPlace): readonly string[] {
    return this.#at(place).map(({ text }) => text);
  }

  /** Takes the next message at this place, or anywhere, that no expectation has taken yet. It must be this one. */
  async expectDelivered(text: string | RegExp, place?: TestPlace, patienceMs = PATIENCE_MS): Promise<ShownMessage> {
    const next = () => this.#at(place).find((message) => !this.#expected.has(message));
    const message = await this.#waitFor(next, patienceMs);
    if (!message) throw new Error(`Nothing was delivered, where ${format(text)} was expected.`);
    this.#expected.add(message);
    if (typeof text === 'string' ? message.text === text : text.test(message.text)) return message;
    throw new Error(`${format(message.text)} was delivered, where ${format(text)} was expected.`);
  }

  /** Fails when a message was shown that no expectation has taken. */
  expectNothingMore(place?: TestPlace): void {
    const more = this.#at(place).filter((message) => !this.#expected.has(message));
    if (more.length === 0) return;
    throw new Error(`Nothing more was expected, and this was delivered: ${more.map((m) => format(m.text)).join(', ')}`);
  }

  #at(place: TestPlace | undefined): readonly ShownMessage[] {
    if (!place) return this.messages;
    const id = surfaceId(this.surface(place));
    return this.messages.filter(({ surface }) => surfaceId(surface) === id);
  }

  async #load({ attachments = [] }: OutboundPart): Promise<NonNullable<ShownMessage['files']>> {
    const port = this.#port;
    const files = attachments.map(async ({ name, hash }) => {
      const bytes = await port?.readAttachment(hash);
      return bytes ? [{ name, bytes }] : [];
    });
    return (await Promise.all(files)).flat();
  }

  #show(
    { key, surface, text, options, buttons, replaces }: OutboundPart,
    files: NonNullable<ShownMessage['files']>,
  ): JsonValue {
    const replaced = replaces === undefined ? undefined : handleIdOf(replaces);
    const known = this.#dedupes || replaced !== undefined ? this.#receiptOf(key) : undefined;
    if (known) return known;
    // A part takes the place of its draft, and the message keeps its id.
    const isReplacing = replaced !== undefined && this.#drafts.delete(replaced);
    const messageId = isReplacing ? replaced : this.#newId();
    const replyToId = typeof options.replyToId === 'string' ? { replyToId: options.replyToId } : {};
    const shown = { ...(buttons && { buttons }), ...(files.length > 0 && { files }) };
    this.messages.push({ messageId, key, surface, text, ...replyToId, ...shown });
    this.#order.push(messageId);
    this.#changed();
    return { messageId };
  }

  #createThread({ surface, name, key }: Parameters<Threads['create']>[0]): ActionOutcome<Surface> {
    if (!this.#port) return closed();
    if (surface.threadId !== undefined) return { outcome: 'failed', reason: 'a thread has no threads of its own' };
    const thread = this.#threads.get(key) ?? { ...surface, threadId: `thread-${this.#threads.size + 1}` };
    this.#threads.set(key, thread);
    this.threadNames.set(thread.threadId ?? '', name);
    return done(thread);
  }

  #react({ messageId, emoji, isRemoved = false }: Parameters<Reactions['react']>[0]): ActionOutcome {
    if (!this.#port) return closed();
    if (!this.#exists(messageId)) return unknownMessage(messageId);
    const reactions = this.#reactions.get(messageId) ?? new Set();
    this.#reactions.set(messageId, reactions);
    if (isRemoved) reactions.delete(emoji);
    else reactions.add(emoji);
    return done(null);
  }

  #edit({ messageId, text }: Parameters<Edits['edit']>[0]): ActionOutcome {
    if (!this.#port) return closed();
    const index = this.messages.findIndex((each) => each.messageId === messageId);
    const before = this.messages[index];
    if (!before) return unknownMessage(messageId);
    const edited = { ...before, text };
    this.messages[index] = edited;
    if (this.#expected.has(before)) this.#expected.add(edited);
    this.#changed();
    return done(null);
  }

  #delete({ messageId }: MessageRef): ActionOutcome {
    if (!this.#port) return closed();
    const index = this.messages.findIndex((each) => each.messageId === messageId);
    if (index !== -1) this.messages.splice(index, 1);
    this.#written.delete(messageId);
    this.#changed();
    return done(null);
  }

  #showTyping(surface: Surface): void {
    if (!this.#port) return;
    this.typingAt.push(surface);
    this.#changed();
  }

  #readHistory({
    surface,
    limit,
    before,
  }: Parameters<History['readHistory']>[0]): ActionOutcome<readonly HistoryMessage[]> {
    if (!this.#port) return closed();
    const end = before === undefined ? -1 : this.#order.indexOf(before);
    const ids = end === -1 ? this.#order : this.#order.slice(0, end);
    const there = surfaceId(surface);
    const said = ids.flatMap((id): HistoryMessage[] => {
      const own = this.messages.find(({ messageId }) => messageId === id);
      const message = own ?? this.#written.get(id);
      if (!message || surfaceId(message.surface) !== there) return [];
      const { messageId, text } = message;
      if (own) return [{ messageId, text, at: 0, sender: { id: 'atrium' }, isOwn: true }];
      const written = this.#written.get(id);
      return written ? [{ messageId, text, at: written.at, sender: written.sender }] : [];
    });
    return done(said.slice(-limit));
  }

  /** Every peer with whom somebody has talked. */
  #listPeers({
    accountId,
    query = '',
    limit,
  }: Parameters<Directory['listPeers']>[0]): ActionOutcome<readonly DirectoryEntry[]> {
    if (!this.#port) return closed();
    const peers = new Map<string, DirectoryEntry>();
    for (const { surface } of [...this.#written.values(), ...this.messages]) {
      const { peer } = surface;
      if (surface.accountId !== accountId || !peer.id.includes(query)) continue;
      peers.set(`${peer.kind} ${peer.id}`, { peer, name: peer.id });
    }
    return done([...peers.values()].slice(0, limit));
  }

  #showDraft({ surface, runId, text, handle }: Parameters<Drafts['show']>[0]): ActionOutcome<JsonValue> {
    if (!this.#port) return closed();
    const outcome = this.#draftScript.shift() ?? 'ok';
    if (outcome === 'unknown-and-lost') return noDraftAnswer();
    const known = handle === undefined ? undefined : handleIdOf(handle);
    const draftId = known !== undefined && this.#drafts.has(known) ? known : this.#newId();
    this.#drafts.set(draftId, { surface, runId, text });
    this.draftTexts.push(text);
    this.#changed();
    return outcome === 'ok' ? done({ draftId }) : noDraftAnswer();
  }

  #findDraft(runId: string): ActionOutcome<JsonValue> {
    if (!this.#port) return closed();
    const [draftId] = [...this.#drafts].find(([, draft]) => draft.runId === runId) ?? [];
    return done(draftId === undefined ? null : { draftId });
  }

  #change(messageId: string, what: What, { sender, eventId }: ChangeDetails): Promise<ChangeResult> {
    const written = this.#written.get(messageId);
    const surface = written?.surface ?? this.messages.find((each) => each.messageId === messageId)?.surface;
    if (!this.#port || !surface) return Promise.reject(new Error(`There is no message ${messageId} here.`));
    const who = sender ?? written?.sender.id ?? 'owner';
    return this.#port.receiveChange({
      surface,
      sender: { id: who, name: who },
      messageId,
      at: Date.now(),
      eventId: eventId ?? `event-${++this.#events}`,
      ...what,
    });
  }

  #nameMessage(): { readonly messageId?: string } {
    return this.#namesMessages ? { messageId: this.#newId() } : {};
  }

  #newId(): string {
    return `message-${++this.#ids}`;
  }

  #exists(messageId: string): boolean {
    return this.#written.has(messageId) || this.messages.some((each) => each.messageId === messageId);
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #receiptOf(key: string): JsonValue | undefined {
    const message = this.messages.find((shown) => shown.key === key);
    return message && { messageId: message.messageId };
  }

  /** Waits until the platform shows what `look` gives. */
  async until<Value>(look: () => Value | undefined, what: string, patienceMs = PATIENCE_MS): Promise<Value> {
    const value = await this.#waitFor(look, patienceMs);
    if (value === undefined) throw new Error(`It did not come true: ${what}.`);
    return value;
  }

  #waitFor<Value>(look: () => Value | undefined, patienceMs: number): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const check = (): void => {
        const value = look();
        if (value !== undefined) done(value);
      };
      const done = (value: Value | undefined): void => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve(value);
      };
      const timer = setTimeout(() => done(undefined), patienceMs);
      this.#watchers.add(check);
      check();
    });
  }
}

type What =
  | { readonly kind: 'edit'; readonly text: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'reaction'; readonly emoji: string };

function done<Value>(value: Value): ActionOutcome<Value> {
  return { outcome: 'done', value };
}

function closed<Value>(): ActionOutcome<Value> {
  return { outcome: 'retry', reason: 'the channel is closed' };
}

function unknownMessage(messageId: string): ActionOutcome {
  return { outcome: 'failed', reason: `there is no message ${messageId}` };
}

function handleIdOf(handle: JsonValue | undefined): string {
  return handle !== undefined && isJsonObject(handle) ? String(handle.draftId) : '';
}

function noAnswer(): SendOutcome {
  return { outcome: 'retry', reason: 'the platform did not answer', mayHaveArrived: true };
}

function noDraftAnswer<Value>(): ActionOutcome<Value> {
  return { outcome: 'retry', reason: 'the platform did not answer' };
}

function format(text: string | RegExp): string {
  return typeof text === 'string' ? JSON.stringify(text) : String(text);
}

function everybody({ surface }: Pick<Inbound, 'surface'>): AccessRules {
  const allowFrom = { entries: ['*'], matchesNames: false };
  if (surface.peer.kind === 'direct') return { kind: 'direct', policy: 'open', allowFrom, setting: 'the test' };
  return { kind: 'shared', policy: 'open', isListed: true, requireMention: false, setting: 'the test' };
}
