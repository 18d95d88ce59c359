// Builds delivery: the channels, what each of them supports, and the outbox that hands answers over.

import type { Answer, DeliveryPort } from '../agent/run-parts.ts';
import { API_CHANNEL, createApiChannel } from '../channels/api/api-channel.ts';
import type { Channel } from '../channels/channel.ts';
import { CliChannel } from '../channels/cli/cli-channel.ts';
import type { SocketChannelPorts } from '../channels/socket-channel.ts';
import { WebChannel } from '../channels/web/web-channel.ts';
import { accountDuty } from '../cluster/account-duty.ts';
import { responsePrefixOf, withPrefix } from '../config/response-prefix.ts';
import type { Config } from '../config/schema.ts';
import { type EndedDelivery, Outbox } from '../delivery/outbox.ts';
import { type DeliveryPlan, type PlanPorts, planDelivery } from '../delivery/plan-delivery.ts';
import { readRunIdentity } from '../delivery/read-run-identity.ts';
import type { SharedOutbox } from '../delivery/shared-outbox.ts';
import { StreamingDrafts } from '../delivery/streaming-drafts.ts';
import { TypingSigns } from '../delivery/typing-signs.ts';
import { deliveryTrace } from '../facts/catalog.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { Say } from '../protocol/log.ts';
import { SILENT_CHANNEL } from '../schedule/deliver-target.ts';
import type { Store } from '../store/store.ts';
import { outboxMailbox } from './outbox-mailbox.ts';
import type { Records } from './parts/create-records.ts';
import { readAnswerSurface } from './read-answer-surface.ts';
import type { Sharing } from './sharing/sharing.ts';

export interface DeliveryOptions {
  readonly config: Config;
  readonly store: Store;
  readonly records: Pick<Records, 'teller' | 'hooks'>;
  /** Channels in addition to web, cli and api. */
  readonly channels?: readonly Channel[] | undefined;
  /** The channels of chat platforms, which come and go with the configuration. */
  readonly platforms: () => readonly Channel[];
  /** Resolves when a channel that is being loaded is there: an answer is planned with what it can do. */
  readonly settled: (channel: string) => Promise<void>;
  /** Keeps the bytes of a file that an answer brings. */
  readonly keep: PlanPorts['keep'];
  /** Called when a person pressed stop on a page or in a terminal. */
  readonly stop: (sessionKey: string) => void;
  /** Called when a page or a terminal calls a method. */
  readonly call?: SocketChannelPorts['call'];
  readonly sessionKeyOf?: SocketChannelPorts['sessionKeyOf'];
  readonly sharing: Pick<Sharing, 'cluster' | 'lookEveryMs' | 'shareOutbox'>;
  /** Whether the configuration has an account of a chat platform. */
  readonly hasAccount?: ((surface: Surface) => boolean) | undefined;
  /** Whether this node has the connection of an account of a chat platform. */
  readonly isHere?: ((surface: Surface) => boolean) | undefined;
  readonly now: () => number;
  readonly warn: Say;
}

/** Where several nodes write into the mailbox of a page, it is looked at this often by itself. */
const LOOK_EVERY_MS = 5_000;
const MINUTE_MS = 60_000;

export class GatewayDelivery implements DeliveryPort {
  readonly sockets: { readonly web: WebChannel; readonly cli: CliChannel };
  /** The channels that stay as long as the gateway runs. */
  readonly fixed: readonly Channel[];
  readonly outbox: Outbox;
  readonly drafts: StreamingDrafts;
  readonly typing: TypingSigns;
  readonly ttlMs: number;
  /** Undefined when this node sends every row. */
  readonly sharedOutbox: SharedOutbox | undefined;
  /** Leaves the duties of the channels that a program has handed in. */
  #leave: readonly (() => Promise<void>)[] = [];
  readonly #options: DeliveryOptions;

  constructor(options: DeliveryOptions) {
    const { config, store, stop, call, sessionKeyOf, sharing, now, warn } = options;
    const lookEveryMs = sharing.lookEveryMs(LOOK_EVERY_MS);
    const ports = { mailbox: outboxMailbox(store), stop, call, sessionKeyOf, now, lookEveryMs };
    const { ttlMinutes = 1_440, maxAttempts = 8 } = config.delivery ?? {};
    this.#options = options;
    this.sockets = { web: new WebChannel(ports), cli: new CliChannel(ports) };
    this.fixed = [this.sockets.web, this.sockets.cli, createApiChannel(), ...(options.channels ?? [])];
    this.ttlMs = ttlMinutes * MINUTE_MS;
    const channelOf = (id: string) => this.channelOf(id);
    const surfaceOf = (runId: string) => readAnswerSurface(store, runId);
    this.sharedOutbox = sharing.shareOutbox({
      store,
      dutyOf: (surface) => this.dutyOf(surface),
      hasAccount: (surface) => this.#isHandedIn(surface.channel) || options.hasAccount?.(surface) === true,
      arrived: (surfaceIds) => {
        this.sockets.web.arrived(surfaceIds);
        this.sockets.cli.arrived(surfaceIds);
      },
      now,
      warn,
    });
    const isHere = (surface: Surface) => this.#isHandedIn(surface.channel) || options.isHere?.(surface) === true;
    this.drafts = new StreamingDrafts({
      store,
      channels: channelOf,
      surfaceOf,
      // Whoever sends every row shows every draft.
      isHere: this.sharedOutbox && isHere,
      now,
      warn,
    });
    this.typing = new TypingSigns({ channels: channelOf, surfaceOf });
    this.outbox = new Outbox({
      store,
      shared: this.sharedOutbox,
      channels: channelOf,
      takeDraft: (row) => this.drafts.take(row),
      now,
      ended: (delivery) => this.#tellEnd(delivery),
      maxAttempts,
      warn,
    });
  }

  /** All channels, as they are now. */
  get channels(): readonly Channel[] {
    return [...this.fixed, ...this.#options.platforms()];
  }

  channelOf(id: string): Channel | undefined {
    return this.channels.find((channel) => channel.id === id);
  }

  /** The duty of the node that sends to this surface; undefined where the node that writes an answer settles it. */
  dutyOf({ channel, accountId }: Pick<Surface, 'channel' | 'accountId'>): string | undefined {
    if (channel === this.sockets.web.id || channel === this.sockets.cli.id || channel === API_CHANNEL) return undefined;
    return this.#isHandedIn(channel) ? `channel:${channel}` : accountDuty(channel, accountId);
  }

  #isHandedIn(channel: string): boolean {
    return this.#options.channels?.some(({ id }) => id === channel) === true;
  }

  async open(): Promise<void> {
    await this.outbox.open();
    const { sharing, channels = [] } = this.#options;
    this.#leave = channels.map(({ id }) => {
      const duty = `channel:${id}`;
      return sharing.cluster.shareDuty(duty, async (signal) => this.sharedOutbox?.serve(duty, signal));
    });
  }

  /** Sends what waits for an account that this node has connected, until the signal fires. */
  async serve(account: Pick<Surface, 'channel' | 'accountId'>, signal: AbortSignal): Promise<void> {
    void this.drafts.takeOver(account);
    await this.sharedOutbox?.serve(accountDuty(account.channel, account.accountId), signal);
  }

  async close(budgetMs: number): Promise<void> {
    await Promise.all(this.#leave.map((leave) => leave()));
    await this.outbox.close(budgetMs);
  }

  isDraftShown(runId: string): Promise<boolean> {
    return this.drafts.isShown(runId);
  }

  async plan(answer: Answer): Promise<DeliveryPlan> {
    const { records, keep, settled, now } = this.#options;
    const { channel } = answer.surface;
    // An answer that no client waits for stays in the transcript only.
    if (channel === SILENT_CHANNEL) return { rows: [], text: answer.text };
    await settled(channel);
    const isHandedOver = channel === API_CHANNEL;
    const ports = {
      hooks: records.hooks,
      channel: this.channelOf(channel),
      keep,
      now,
      ttlMs: this.ttlMs,
      isHandedOver,
    };
    return planDelivery({ ...answer, text: this.#prefixed(answer) }, ports);
  }

  wake(): void {
    this.outbox.wake();
  }

  /** The words of a model on a chat platform may have a prefix; the page, the terminal and the API show who speaks. */
  #prefixed({ text, by, surface, context }: Answer): string {
    const { channel, accountId } = surface;
    const isOwnClient = [this.sockets.web.id, this.sockets.cli.id, API_CHANNEL].includes(channel);
    if (by === undefined || isOwnClient || context.agentId === undefined) return text;
    const place = { agentId: context.agentId, channel, accountId };
    return withPrefix(responsePrefixOf(this.#options.config, place, by), text);
  }

  /** Shows how a run goes on, on channels that can show it. */
  watch(event: LiveEvent): void {
    if (this.channels.some(({ drafts }) => drafts)) this.drafts.watch(event);
    if (this.channels.some(({ typing }) => typing)) this.typing.watch(event);
  }

  async #tellEnd(delivery: EndedDelivery): Promise<void> {
    const { store, records } = this.#options;
    const { surface, messageId, runId, sessionKey, part } = delivery;
    const trace = deliveryTrace(runId, part);
    const isHeard = records.teller.isHeard('delivery-ended');
    const identity = isHeard ? await readRunIdentity(store, delivery).catch(() => ({})) : {};
    const context = hookContextOf('message', { ...identity, messageId, trace, surface, runId, sessionKey });
    void records.teller.tell('delivery-ended', { ...delivery, context });
  }
}
