// A channel to a platform that exists only in memory, with accounts, senders, groups, channels and threads. The test
// plays the people on it: it writes messages and expects answers. The test also scripts what the platform does to a
// message.

import type {
  Channel,
  ChannelPort,
  DeliveryGuarantee,
  Draft,
  OutboundPart,
  ReceiveResult,
  SendOutcome,
} from '../channels/channel.ts';
import { type Inbound, type Peer, type Surface, surfaceId } from '../protocol/inbound.ts';
import type { JsonValue } from '../protocol/json.ts';

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
}

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
      'eventId' | 'messageId' | 'revision' | 'replyToId' | 'wasMentioned' | 'sessionKey' | 'agentId' | 'at' | 'metadata'
    >
  > {}

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

export interface ShownMessage {
  readonly messageId: string;
  readonly key: string;
  readonly surface: Surface;
  readonly text: string;
  readonly replyToId?: string | undefined;
}

/** How long an expectation waits by default; long enough for a busy machine. */
const PATIENCE_MS = 30_000;

export class TestChannel implements Channel {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
  readonly find?: (part: OutboundPart) => Promise<JsonValue | undefined>;
  /** Every attempt to send, in order, with any outcome. */
  readonly tries: OutboundPart[] = [];
  /** Everything that people see, in order. */
  readonly messages: ShownMessage[] = [];
  readonly #accounts: readonly string[];
  readonly #dedupes: boolean;
  readonly #script: PlatformOutcome[] = [];
  readonly #drafts = new Map<string, Draft>();
  readonly #watchers = new Set<() => void>();
  readonly #expected = new Set<ShownMessage>();
  #port: ChannelPort | undefined;
  #events = 0;

  constructor(settings: TestChannelSettings = {}) {
    const { id = 'test', accounts = ['default'], maxTextLength = 2_000, dedupes = true, canFind = true } = settings;
    this.id = id;
    this.maxTextLength = maxTextLength;
    this.#accounts = accounts;
    this.#dedupes = dedupes;
    if (canFind) this.find = async (part) => this.#receiptOf(part.key);
    this.guarantee = dedupes
      ? { level: 'exactly-once', because: 'the platform drops a message whose key it has seen' }
      : { level: 'at-least-once', because: 'the platform knows no keys' };
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
    const receipt = this.#show(part);
    return outcome === 'ok' ? { outcome: 'sent', receipt } : noAnswer();
  }

  draft(surface: Surface, draft: Draft): void {
    this.#drafts.set(surfaceId(surface), draft);
  }

  draftAt(place: TestPlace): string | undefined {
    return this.#drafts.get(surfaceId(this.surface(place)))?.text;
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
  async says(place: TestPlace, text: string, details: TestMessageDetails = {}): Promise<ReceiveResult> {
    if (!this.#port) throw new Error(`The channel ${this.id} is not open, so no message can be written there.`);
    const sender = place.sender ?? 'owner';
    const names = 'messageId' in details ? {} : { eventId: `event-${++this.#events}` };
    return this.#port.receive({
      surface: this.surface(place),
      sender: { id: sender, name: sender },
      text,
      at: Date.now(),
      ...names,
      ...details,
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

  #show({ key, surface, text, options }: OutboundPart): JsonValue {
    const known = this.#dedupes ? this.#receiptOf(key) : undefined;
    if (known) return known;
    const messageId = `message-${this.messages.length + 1}`;
    const replyToId = typeof options.replyToId === 'string' ? { replyToId: options.replyToId } : {};
    this.messages.push({ messageId, key, surface, text, ...replyToId });
    this.#drafts.delete(surfaceId(surface));
    for (const watcher of this.#watchers) watcher();
    return { messageId };
  }

  #receiptOf(key: string): JsonValue | undefined {
    const message = this.messages.find((shown) => shown.key === key);
    return message && { messageId: message.messageId };
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

function noAnswer(): SendOutcome {
  return { outcome: 'retry', reason: 'the platform did not answer', mayHaveArrived: true };
}

function format(text: string | RegExp): string {
  return typeof text === 'string' ? JSON.stringify(text) : String(text);
}
