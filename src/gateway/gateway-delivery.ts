// Builds delivery: the channels, what each of them supports, and the outbox that hands answers over.

import type { Answer, DeliveryPort } from '../agent/run-parts.ts';
import { createApiChannel } from '../channels/api/api-channel.ts';
import type { Channel } from '../channels/channel.ts';
import { CliChannel } from '../channels/cli/cli-channel.ts';
import type { SocketChannelPorts } from '../channels/socket-channel.ts';
import { WebChannel } from '../channels/web/web-channel.ts';
import type { Config } from '../config/schema.ts';
import { type EndedDelivery, Outbox } from '../delivery/outbox.ts';
import { type DeliveryPlan, planDelivery } from '../delivery/plan-delivery.ts';
import { readRunIdentity } from '../delivery/read-run-identity.ts';
import { deliveryTrace } from '../facts/catalog.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import { SILENT_CHANNEL } from '../schedule/deliver-target.ts';
import type { Store } from '../store/store.ts';
import type { Records } from './create-records.ts';
import { outboxMailbox } from './outbox-mailbox.ts';

export interface DeliveryOptions {
  readonly config: Config;
  readonly store: Store;
  readonly records: Pick<Records, 'teller' | 'hooks'>;
  /** Channels in addition to web, cli and api. */
  readonly channels?: readonly Channel[] | undefined;
  /** Called when a person pressed stop on a page or in a terminal. */
  readonly stop: (sessionKey: string) => void;
  /** Called when a page or a terminal calls a method. */
  readonly call?: SocketChannelPorts['call'];
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

const MINUTE_MS = 60_000;

export class GatewayDelivery implements DeliveryPort {
  readonly sockets: { readonly web: WebChannel; readonly cli: CliChannel };
  readonly channels: readonly Channel[];
  readonly outbox: Outbox;
  readonly ttlMs: number;
  readonly #options: DeliveryOptions;

  constructor(options: DeliveryOptions) {
    const { config, store, stop, call, now, warn } = options;
    const ports = { mailbox: outboxMailbox(store), stop, call, now };
    const { ttlMinutes = 1_440, maxAttempts = 8 } = config.delivery ?? {};
    this.#options = options;
    this.sockets = { web: new WebChannel(ports), cli: new CliChannel(ports) };
    this.channels = [this.sockets.web, this.sockets.cli, createApiChannel(), ...(options.channels ?? [])];
    this.ttlMs = ttlMinutes * MINUTE_MS;
    this.outbox = new Outbox({
      store,
      channels: (id) => this.channelOf(id),
      now,
      ended: (delivery) => this.#tellEnd(delivery),
      maxAttempts,
      warn,
    });
  }

  channelOf(id: string): Channel | undefined {
    return this.channels.find((channel) => channel.id === id);
  }

  async plan(answer: Answer): Promise<DeliveryPlan> {
    const { records, now } = this.#options;
    const { channel } = answer.surface;
    // An answer that no client waits for stays in the transcript only.
    if (channel === SILENT_CHANNEL) return { rows: [], text: answer.text };
    return planDelivery(answer, { hooks: records.hooks, channel: this.channelOf(channel), now, ttlMs: this.ttlMs });
  }

  wake(): void {
    this.outbox.wake();
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
