// The channel of a chat platform whose accounts several nodes share. Each account is connected on the node that has its duty,
// and on no other; when that node goes, another one connects it. The channel knows on every node what the platform can do,
// because answers are planned and tools act where a run goes on.
//
// Errors: as the Channel contract says. An action for an account of another node is done there; when that node does not
// answer in time, the outcome is `retry`.
// Rules: a part is sent only through an account that is connected here. The duty is given up after the last send has ended
// and the connection is closed. When it was lost instead, the account is not used any more from that moment, and before each request
// the clock is asked whether it may have been lost: a process that was frozen finds that out before it is told.

import { randomUUID } from 'node:crypto';
import type { Channel, ChannelPort, OutboundPart, SendOutcome } from '../../channels/channel.ts';
import type { AccountStatus, ActionOutcome, Drafts } from '../../channels/channel-capabilities.ts';
import type { ChannelAccount } from '../../channels/channel-extension.ts';
import { accountDuty } from '../../cluster/account-duty.ts';
import { type Cluster, DUTY_LOST } from '../../cluster/cluster.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Say } from '../../protocol/log.ts';
import { errorText, oneLine } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { unavailableChannel } from '../channels/unavailable-channel.ts';

export interface SharedPlatformParts {
  readonly cluster: Pick<
    Cluster,
    'node' | 'memberId' | 'isCertain' | 'publish' | 'subscribe' | 'shareDuty' | 'holderOf'
  >;
  readonly accounts: readonly ChannelAccount[];
  /** Builds the channel, with one account or with all. */
  readonly create: (accountId?: string, mayAct?: () => boolean) => Channel;
  readonly port: (channel: Channel) => ChannelPort;
  /** Sends what waits for this account until the signal fires. */
  readonly serve: (
    account: { readonly channel: string; readonly accountId: string },
    signal: AbortSignal,
  ) => Promise<void>;
  readonly warn: Say;
  /** How long another node may take to do something with its account. */
  readonly askMs?: number | undefined;
}

/** What nodes tell each other about the accounts of a platform. */
type AccountMessage =
  /** Asks the node that has the account to do something with it. */
  | (AskedAction & { readonly kind: 'ask'; readonly id: string; readonly to: string })
  | { readonly kind: 'answer'; readonly id: string; readonly outcome: ActionOutcome<JsonValue> }
  /** A node has just opened the platform and does not know how the accounts of the others are. */
  | { readonly kind: 'opened'; readonly channel: string }
  /** How the accounts of a node are now. */
  | { readonly kind: 'status'; readonly channel: string; readonly accounts: readonly AccountStatus[] };

interface AskedAction {
  readonly channel: string;
  readonly accountId: string;
  readonly action: ActionName;
  readonly request: JsonObject;
}

type ActionName = keyof typeof ACTIONS;

/** What is done where the account is connected. The request and the outcome are plain data. */
const ACTIONS = {
  'threads.create': (channel: Channel, request, signal) => channel.threads?.create(request, signal),
  'reactions.react': (channel: Channel, request, signal) => channel.reactions?.react(request, signal),
  'edits.edit': (channel: Channel, request, signal) => channel.edits?.edit(request, signal),
  'deletes.delete': (channel: Channel, request, signal) => channel.deletes?.delete(request, signal),
  'history.readHistory': (channel: Channel, request, signal) => channel.history?.readHistory(request, signal),
  'directory.listPeers': (channel: Channel, request, signal) => channel.directory?.listPeers(request, signal),
} satisfies Record<
  string,
  // biome-ignore lint/suspicious/noExplicitAny: each action has a request of its own, which came as plain data.
  (channel: Channel, request: any, signal: AbortSignal) => Promise<ActionOutcome<any>> | undefined
>;

const OPEN_LIMIT_MS = 2_000;
const CLOSE_LIMIT_MS = 2_000;
const ASK_MS = 10_000;
const TELL_EVERY_MS = 1_000;
/** So many looks at the accounts of this node. */
const TELL_AGAIN_AFTER = 5;

export class SharedPlatform implements Channel {
  readonly id: string;
  readonly #parts: SharedPlatformParts;
  /** Says what the platform can do. It is never opened. */
  readonly #facts: Channel;
  /** The accounts that are connected here. */
  readonly #here = new Map<string, Channel>();
  /** How the accounts of other nodes are, as those nodes said. */
  readonly #elsewhere = new Map<string, AccountStatus>();
  readonly #asked = new Map<string, (outcome: ActionOutcome<JsonValue>) => void>();
  #undo: readonly (() => unknown)[] = [];
  #told = '';

  constructor(parts: SharedPlatformParts) {
    this.#parts = parts;
    this.#facts = parts.create();
    this.id = this.#facts.id;
  }

  get guarantee() {
    return this.#facts.guarantee;
  }

  get maxTextLength() {
    return this.#facts.maxTextLength;
  }

  get rendersMarkdown() {
    return this.#facts.rendersMarkdown;
  }

  get access() {
    return this.#facts.access;
  }

  get buttons() {
    return this.#facts.buttons;
  }

  get attachments() {
    return this.#facts.attachments;
  }

  readonly accounts = { list: () => this.#listAccounts() };

  get threads() {
    return this.#facts.threads && { create: this.#act('threads.create') };
  }

  get reactions() {
    return this.#facts.reactions && { react: this.#act('reactions.react') };
  }

  get edits() {
    return this.#facts.edits && { edit: this.#act('edits.edit') };
  }

  get deletes() {
    const { deletes } = this.#facts;
    return deletes && { isOneWay: deletes.isOneWay, delete: this.#act('deletes.delete') };
  }

  get history() {
    const { history } = this.#facts;
    return history && { initialLimit: history.initialLimit, readHistory: this.#act('history.readHistory') };
  }

  get directory() {
    return this.#facts.directory && { listPeers: this.#act('directory.listPeers') };
  }

  /** Signs and drafts are shown by the node that has the account, which hears of every run. */
  get typing(): Channel['typing'] {
    const { typing } = this.#facts;
    return typing && { everyMs: typing.everyMs, show: (surface) => this.#of(surface)?.typing?.show(surface) };
  }

  get drafts(): Drafts | undefined {
    const { drafts } = this.#facts;
    if (!drafts) return undefined;
    const { modeOf, find } = drafts;
    return {
      everyMs: drafts.everyMs,
      maxTextLength: drafts.maxTextLength,
      ...(modeOf && { modeOf: (surface) => drafts.modeOf?.(surface) ?? 'partial' }),
      show: async (draft, signal) => this.#of(draft.surface)?.drafts?.show(draft, signal) ?? notHere(),
      withdraw: async (draft, signal) => this.#of(draft.surface)?.drafts?.withdraw(draft, signal) ?? notHere(),
      ...(find && {
        find: async (draft, signal) => this.#of(draft.surface)?.drafts?.find?.(draft, signal) ?? notHere(),
      }),
    };
  }

  get find(): Channel['find'] {
    if (!this.#facts.find) return undefined;
    return async (part, signal) => {
      const channel = this.#of(part.surface);
      if (!channel?.find) throw new Error('this node does not have the account any more');
      return channel.find(part, signal);
    };
  }

  isHere(accountId: string): boolean {
    return this.#here.has(accountId);
  }

  async open(): Promise<void> {
    const { cluster, accounts } = this.#parts;
    let looks = 0;
    const timer = setInterval(() => {
      // What was told may have been lost, so it is told again from time to time.
      if (++looks % TELL_AGAIN_AFTER === 0) this.#told = '';
      this.#tellStatus();
    }, TELL_EVERY_MS);
    timer.unref();
    this.#undo = [
      () => clearInterval(timer),
      cluster.subscribe('channel', (message) => this.#heard(message as unknown as AccountMessage)),
      ...accounts.map(({ accountId }) =>
        cluster.shareDuty(accountDuty(this.id, accountId), (signal) => this.#connect(accountId, signal)),
      ),
    ];
    this.#publish({ kind: 'opened', channel: this.id });
  }

  async close(): Promise<void> {
    await Promise.all(this.#undo.map((undo) => undo()));
  }

  async send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome> {
    const { accountId } = part.surface;
    if (!this.#parts.accounts.some((account) => account.accountId === accountId))
      return { outcome: 'failed', reason: `there is no account ${accountId} of ${this.id}` };
    const channel = this.#here.get(accountId);
    return channel ? channel.send(part, signal) : { outcome: 'retry', reason: 'another node has this account' };
  }

  /** Has the account connected until the signal fires. Never rejects. */
  async #connect(accountId: string, signal: AbortSignal): Promise<void> {
    const { cluster, create, port, serve, warn } = this.#parts;
    const isLost = () => signal.reason === DUTY_LOST;
    let channel = create(accountId, () => cluster.isCertain && !isLost());
    try {
      // A channel opens without waiting for its platform; one that does not is not waited for.
      await within(OPEN_LIMIT_MS, channel.open(port(channel)));
    } catch (error) {
      const detail = `The account ${accountId} of ${this.id} could not be opened: ${errorText(error)}`;
      warn(detail, { channel: this.id, accountId });
      channel = unavailableChannel(this.id, [{ accountId }], { state: 'failed', detail });
    }
    this.#here.set(accountId, channel);
    this.#elsewhere.delete(accountId);
    this.#tellStatus();
    let closed: Promise<unknown> | undefined;
    const close = () => {
      this.#here.delete(accountId);
      closed ??= channel.close().catch(() => undefined);
    };
    // A duty that is given up is served until the last send has ended; one that was lost belongs to another node now.
    const closeIfLost = () => isLost() && close();
    if (signal.aborted) closeIfLost();
    signal.addEventListener('abort', closeIfLost, { once: true });
    await serve({ channel: this.id, accountId }, signal);
    close();
    await within(CLOSE_LIMIT_MS, closed ?? Promise.resolve());
  }

  #of({ accountId }: { readonly accountId: string }): Channel | undefined {
    return this.#here.get(accountId);
  }

  /** Does it here where the account is connected here, else asks the node that has it. */
  // biome-ignore lint/suspicious/noExplicitAny: the value that the action gives is the one of its own type.
  #act(action: ActionName): (request: any, signal: AbortSignal) => Promise<ActionOutcome<any>> {
    return async (request, signal) => {
      const accountId: string = request.surface?.accountId ?? request.accountId;
      const channel = this.#here.get(accountId);
      if (channel) return (await ACTIONS[action](channel, request, signal)) ?? notHere();
      return this.#ask({ channel: this.id, accountId, action, request }, signal);
    };
  }

  #ask(asked: AskedAction, signal: AbortSignal): Promise<ActionOutcome<JsonValue>> {
    const { cluster, askMs = ASK_MS } = this.#parts;
    const holder = cluster.holderOf(accountDuty(this.id, asked.accountId));
    if (!holder || holder.id === cluster.memberId) return Promise.resolve(notHere());
    const id = randomUUID();
    return new Promise((resolve) => {
      const end = (outcome: ActionOutcome<JsonValue>) => {
        this.#asked.delete(id);
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve(outcome);
      };
      const stop = () => end({ outcome: 'retry', reason: 'it was stopped before the other node answered' });
      const late = {
        outcome: 'retry',
        reason: `the node ${holder.node}, which has this account, did not answer`,
      } as const;
      const timer = setTimeout(() => end(late), askMs);
      signal.addEventListener('abort', stop, { once: true });
      this.#asked.set(id, end);
      this.#publish({ ...asked, kind: 'ask', id, to: holder.id });
    });
  }

  #heard(message: AccountMessage): void {
    const { memberId } = this.#parts.cluster;
    if (message.kind === 'answer') this.#asked.get(message.id)?.(message.outcome);
    else if (message.channel !== this.id) return;
    else if (message.kind === 'ask') {
      if (message.to === memberId) void this.#answer(message);
    } else if (message.kind === 'opened') {
      this.#told = '';
      this.#tellStatus();
    } else if (message.kind === 'status')
      for (const status of message.accounts) this.#elsewhere.set(status.accountId, status);
  }

  async #answer(asked: AccountMessage & { kind: 'ask' }): Promise<void> {
    const { askMs = ASK_MS, cluster } = this.#parts;
    const channel = this.#here.get(asked.accountId);
    const act = ACTIONS[asked.action];
    let outcome: ActionOutcome<unknown> = notHere();
    try {
      if (channel) outcome = (await act(channel, asked.request, AbortSignal.timeout(askMs))) ?? notHere();
    } catch (error) {
      outcome = { outcome: 'retry', reason: oneLine(error) };
    }
    if (cluster.memberId !== null)
      this.#publish({ kind: 'answer', id: asked.id, outcome: outcome as ActionOutcome<JsonValue> });
  }

  #listAccounts(): readonly AccountStatus[] {
    const { accounts, cluster } = this.#parts;
    return accounts.map(({ accountId }) => {
      const here = this.#statusHere(accountId);
      if (here) return { ...here, node: cluster.node };
      const node = cluster.holderOf(accountDuty(this.id, accountId))?.node;
      const told = this.#elsewhere.get(accountId);
      if (told && told.node === node) return told;
      const detail = node === undefined ? 'No node has connected it yet.' : `The node ${node} connects it.`;
      return { accountId, state: 'connecting', detail, ...(node !== undefined && { node }) };
    });
  }

  #statusHere(accountId: string): AccountStatus | undefined {
    const list = this.#here.get(accountId)?.accounts?.list();
    return list?.find((status) => status.accountId === accountId);
  }

  /** Tells the others when the accounts of this node are other than before. */
  #tellStatus(): void {
    const { node } = this.#parts.cluster;
    const accounts = [...this.#here.keys()].flatMap((accountId) => this.#statusHere(accountId) ?? []);
    const text = JSON.stringify(accounts);
    if (text === this.#told || (this.#told === '' && accounts.length === 0)) return;
    this.#told = text;
    this.#publish({ kind: 'status', channel: this.id, accounts: accounts.map((status) => ({ ...status, node })) });
  }

  #publish(message: AccountMessage): void {
    this.#parts.cluster.publish('channel', message as unknown as JsonValue);
  }
}

function notHere(): { readonly outcome: 'retry'; readonly reason: string } {
  return { outcome: 'retry', reason: 'no node has this account at the moment' };
}
