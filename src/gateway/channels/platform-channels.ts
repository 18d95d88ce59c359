// The channels of the chat platforms that the configuration names: opened at the start, and again when their settings
// change, each by itself. A platform that cannot be loaded or opened keeps neither the others nor the gateway from
// starting; its state says why. The gateway does not wait for their client libraries either: until a platform is loaded,
// another channel stands in its place, and answers for it wait.
//
// Rules: a channel that is replaced is closed before the new one is opened, so that no account is connected twice.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Channel, ChannelPort } from '../../channels/channel.ts';
import type { ChannelAccount, ChannelMemory, NativeCommand } from '../../channels/channel-extension.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import type { Say } from '../../protocol/log.ts';
import { errorText } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import type { SharedPlatform, SharedPlatformParts } from '../sharing/shared-platform.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { CHANNEL_EXTENSIONS, type ExtensionRow, type FoundExtension } from './channel-extensions.ts';
import { unavailableChannel } from './unavailable-channel.ts';

export interface PlatformChannelsParts {
  readonly environment: Environment;
  readonly commands: () => readonly NativeCommand[];
  readonly memoryOf: (channel: string) => ChannelMemory;
  readonly port: (channel: Channel) => ChannelPort;
  /** Called when channels were added or replaced: answers may wait for them. */
  readonly changed: () => void;
  readonly now: () => number;
  readonly warn: Say;
  /** Platforms in addition to those that come with the product. */
  readonly extensions?: readonly ExtensionRow[] | undefined;
  readonly sharing: Pick<Sharing, 'cluster' | 'openPlatform'>;
  /** Sends what waits for an account that this node of several has connected, until the signal fires. */
  readonly serve: SharedPlatformParts['serve'];
}

interface OpenPlatform {
  readonly accounts: readonly ChannelAccount[];
  readonly problems: readonly string[];
  readonly channel: Channel | undefined;
}

/** Reading a client library keeps the process busy, so the rest of the start goes first. */
const START_DELAY_MS = 100;
const OPEN_LIMIT_MS = 2_000;
/** A channel that does not close within this time is left alone. */
const CLOSE_LIMIT_MS = 2_000;

export class PlatformChannels {
  readonly #parts: PlatformChannelsParts;
  readonly #open = new Map<string, OpenPlatform>();
  /** Channels that are being loaded and opened, by their ids. */
  readonly #opening = new Map<string, Promise<Channel | undefined>>();
  /** As it was taken up last. */
  #config: Config | undefined;
  /** Changes are taken up one after the other. */
  #work: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void) | undefined;

  constructor(parts: PlatformChannelsParts) {
    this.#parts = parts;
  }

  list(): readonly Channel[] {
    return [...this.#open.values()].flatMap(({ channel }) => (channel ? [channel] : []));
  }

  /** What is wrong with the settings, one sentence each. */
  get problems(): readonly string[] {
    return [...this.#open.values()].flatMap(({ problems }) => problems);
  }

  /** Names the channels, and opens them without being waited for. */
  async open(config: Config): Promise<void> {
    this.#config = config;
    this.#unsubscribe = this.#parts.sharing.cluster.subscribe('channel', (message) => {
      const { kind, channel } = message as { readonly kind: string; readonly channel: string };
      if (kind === 'reopen') void this.#reopenHere(channel).catch(() => undefined);
    });
    const rows = await this.#findAll(config);
    const loading = rows.map(({ row, found }) => this.#take(row.id, found, { delayMs: START_DELAY_MS }));
    this.#work = Promise.all(loading).then(() => undefined);
  }

  /** Takes up changed settings. It does not wait for connections. */
  apply(config: Config): Promise<void> {
    this.#work = this.#work.then(async () => {
      this.#config = config;
      const rows = await this.#findAll(config);
      await Promise.all(rows.map(({ row, found }) => this.#take(row.id, found)));
    });
    return this.#work;
  }

  /**
   * Closes the channel of a platform and opens it again, although its settings are the same: for an account that gave up.
   * Resolves with false when the configuration has no account of it that could be opened.
   */
  async reopen(id: string): Promise<boolean> {
    const isReopened = await this.#reopenHere(id);
    // The account may be connected at another node.
    if (isReopened) this.#parts.sharing.cluster.publish('channel', { kind: 'reopen', channel: id });
    return isReopened;
  }

  #reopenHere(id: string): Promise<boolean> {
    const work = this.#work.then(async () => {
      const rows = this.#config ? await this.#findAll(this.#config) : [];
      const found = rows.find(({ row }) => row.id === id)?.found;
      if (!found || found.accounts.length === 0) return false;
      await this.#take(id, found, { isForced: true });
      return true;
    });
    this.#work = work.then(
      () => undefined,
      () => undefined,
    );
    return work;
  }

  /** Whether the configuration has this account. */
  hasAccount(id: string, accountId: string): boolean {
    return this.#open.get(id)?.accounts.some((account) => account.accountId === accountId) === true;
  }

  /** Whether this node has the connection of this account. */
  isHere(id: string, accountId: string): boolean {
    const channel = this.#open.get(id)?.channel;
    return channel !== undefined && (!('isHere' in channel) || (channel as SharedPlatform).isHere(accountId));
  }

  /** Resolves when the channel is as its settings want it, or has failed. */
  async settled(id: string): Promise<void> {
    if (this.#opening.has(id)) await this.#opening.get(id);
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    await this.#work;
    await Promise.all([...this.#open.values()].map(({ channel }) => closeChannel(channel)));
  }

  #findAll(config: Config): Promise<{ row: ExtensionRow; found: FoundExtension }[]> {
    const rows = [...CHANNEL_EXTENSIONS, ...(this.#parts.extensions ?? [])];
    return Promise.all(rows.map(async (row) => ({ row, found: await row.find(config, this.#parts.environment) })));
  }

  async #take(
    id: string,
    found: FoundExtension,
    { delayMs = 0, isForced = false }: { readonly delayMs?: number; readonly isForced?: boolean } = {},
  ): Promise<void> {
    const { warn, changed } = this.#parts;
    const before = this.#open.get(id);
    for (const problem of found.problems) if (!before?.problems.includes(problem)) warn(problem);
    if (before && !isForced && isDeepStrictEqual(before.accounts, found.accounts)) {
      this.#open.set(id, { ...before, problems: found.problems });
      return;
    }
    if (!before && found.accounts.length === 0 && found.problems.length === 0) return;
    const opening =
      found.accounts.length === 0 ? Promise.resolve(undefined) : this.#replace(id, found, before?.channel, delayMs);
    this.#opening.set(id, opening);
    if (found.accounts.length === 0) await closeChannel(before?.channel);
    else this.#open.set(id, { ...found, channel: before?.channel ?? standIn(id, found) });
    this.#open.set(id, { ...found, channel: await opening });
    this.#opening.delete(id);
    changed();
  }

  async #replace(id: string, found: FoundExtension, before: Channel | undefined, delayMs: number): Promise<Channel> {
    await closeChannel(before);
    if (delayMs > 0) await sleep(delayMs);
    return this.#openChannel(id, found);
  }

  async #openChannel(id: string, found: FoundExtension): Promise<Channel> {
    const { commands, memoryOf, port, sharing, serve, now, warn } = this.#parts;
    try {
      const extension = await found.load();
      const create = (only?: string, mayAct?: () => boolean) => {
        const memory = mayAct ? writtenWhile(mayAct, memoryOf(id)) : memoryOf(id);
        return extension.create({ only, commands, memory, mayAct, now, warn });
      };
      const channel = sharing.openPlatform({ accounts: found.accounts, create, port, serve, warn });
      // A channel opens without waiting for its platform; one that does not is not waited for.
      const isOpen = await within(OPEN_LIMIT_MS, channel.open(port(channel)));
      if (!isOpen)
        warn(`The channel ${id} takes long to open; the gateway goes on without waiting for it.`, { channel: id });
      return channel;
    } catch (error) {
      const reason = `The channel ${id} could not be opened: ${errorText(error)}`;
      warn(reason, { channel: id });
      return unavailableChannel(id, found.accounts, { state: 'failed', detail: reason });
    }
  }
}

/** What another node has noted meanwhile is newer. */
function writtenWhile(mayAct: () => boolean, memory: ChannelMemory): ChannelMemory {
  return { ...memory, write: async (...note) => (mayAct() ? memory.write(...note) : undefined) };
}

function standIn(id: string, { accounts }: FoundExtension): Channel {
  return unavailableChannel(id, accounts, { state: 'connecting', detail: 'The channel is being loaded.' });
}

async function closeChannel(channel: Channel | undefined): Promise<void> {
  if (channel)
    await within(
      CLOSE_LIMIT_MS,
      channel.close().catch(() => undefined),
    );
}
