// The connection to Discord's gateway, over the shard of @discordjs/ws: it is made, mended and resumed here, and the
// account's state says how it is. The number to resume from is our own: the library counts an event when it arrives, and
// we count it when it is stored. Waiting times between attempts grow, with jitter, up to a bound.

import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayBotInfo, APIUser, GatewayDispatchPayload, GatewayReadyDispatchData } from '@discordjs/core';
import type { Encoding, IContextFetchingStrategy, SessionInfo, WebSocketShard } from '@discordjs/ws';
import type { AccountState } from './account-state.ts';
import type { DiscordApi } from './discord-api.ts';
import { DiscordFailure } from './discord-failure.ts';
import type { Progress } from './progress.ts';

export interface ConnectionParts {
  readonly api: DiscordApi;
  readonly token: string;
  readonly accountId: string;
  /** Where an operator finds the account's settings. */
  readonly path: string;
  readonly state: AccountState;
  readonly progress: Progress;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Who the bot is; called before the first event. */
  readonly known: (bot: APIUser) => void;
  /** A new session has begun: what happened before it was not sent, and has to be read. */
  readonly began: (data: GatewayReadyDispatchData) => void;
  /** Every other event, in Discord's order. */
  readonly dispatched: (payload: GatewayDispatchPayload) => void;
}

/** Guilds, messages of servers and direct ones, reactions of both, and the words of messages. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 15);
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A connection that lasted this long was a good one, and the next attempt comes at once. */
const STABLE_MS = 30_000;
const CLOSE_MS = 700;
/** Any code but 1000 and 1001 leaves the session alive, so that the next process can resume it. */
const KEEP_SESSION = 4200;

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #closing = new AbortController();
  #shard: WebSocketShard | undefined;
  #failures = 0;
  #connectedAt = 0;
  #hasWaited = true;
  #hadNetworkError = false;
  #wasConnected = false;
  /** Whether the log says already that Discord is away. A connection that lasts makes it false again. */
  #isLossTold = false;
  #lastIdentify = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Resolves when the first attempt is under way, or when the account has failed. */
  async open(): Promise<void> {
    const info = await this.#gatewayInfo();
    if (!info) return;
    const { Encoding, WebSocketShard, WebSocketShardEvents } = await import('@discordjs/ws');
    if (this.#closing.signal.aborted) return;
    const shard = new WebSocketShard(this.#strategy(info, Encoding.JSON), 0);
    this.#shard = shard;
    shard.on(WebSocketShardEvents.Ready, (data) => {
      this.#connected();
      this.#parts.began(data);
    });
    shard.on(WebSocketShardEvents.Resumed, () => this.#connected());
    shard.on(WebSocketShardEvents.Hello, () => {
      this.#hadNetworkError = false;
    });
    shard.on(WebSocketShardEvents.SocketError, () => {
      this.#hadNetworkError = true;
    });
    shard.on(WebSocketShardEvents.Closed, (code) => this.#lost(code));
    // The state was set when the connection was closed; without a listener, the library would throw.
    shard.on(WebSocketShardEvents.Error, () => {});
    shard.on(WebSocketShardEvents.Dispatch, (payload) => this.#parts.dispatched(payload));
    void shard.connect().catch(() => {});
  }

  /** Discord said that the token is worth nothing. */
  unauthorized(): void {
    this.#fail(4004);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#end();
  }

  /** The shard's own way of ending leaves a connection behind that is still being made, so the socket is ended too. */
  async #end(): Promise<void> {
    const shard = this.#shard;
    const socket = shard && socketOf(shard);
    socket?.on?.('error', () => {});
    await Promise.race([shard?.destroy({ code: KEEP_SESSION }).catch(() => {}), sleep(CLOSE_MS)]);
    socket?.terminate?.();
  }

  async #gatewayInfo(): Promise<APIGatewayBotInfo | undefined> {
    const { api, state, known } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted && !state.isFailed) {
      try {
        const me = await api.me(signal);
        const info = await api.gatewayInfo(signal);
        state.named(me.username);
        known(me);
        return info;
      } catch (error) {
        const failure = error instanceof DiscordFailure ? error : undefined;
        if (signal.aborted || failure?.kind === 'unauthorized') return undefined;
        this.#failures += 1;
        const reason = failure?.message ?? 'Discord could not be asked where its gateway is.';
        const detail = `${reason} It is tried again.`;
        state.become('connecting', detail);
        this.#tellLoss(detail);
        await sleep(failure?.afterMs ?? this.#waitMs(), undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  }

  #strategy(gatewayInformation: APIGatewayBotInfo, encoding: Encoding): IContextFetchingStrategy {
    const { token, progress, now } = this.#parts;
    return {
      options: {
        token,
        gatewayInformation,
        intents: INTENTS,
        shardCount: 1,
        version: '10',
        encoding,
        compression: null,
        useIdentifyCompression: false,
        identifyProperties: { os: process.platform, browser: 'atrium', device: 'atrium' },
        initialPresence: null,
        largeThreshold: null,
        handshakeTimeout: 30_000,
        helloTimeout: 60_000,
        readyTimeout: 15_000,
      },
      retrieveSessionInfo: async () => {
        await this.#waitForTurn();
        return progress.session ?? null;
      },
      updateSessionInfo: (_, session) => this.#sessionChanged(session),
      waitForIdentify: async (_, signal) => {
        // Discord allows this many new sessions in five seconds.
        const { max_concurrency: allowed } = gatewayInformation.session_start_limit;
        const wait = this.#lastIdentify + 5_000 / Math.max(1, allowed) - now();
        if (wait > 0) await sleep(wait, undefined, { signal });
        this.#lastIdentify = now();
      },
    };
  }

  /**
   * The library asks for the session before each attempt to connect, which is the place to wait. It also asks at each
   * event, when there is nothing to wait for. Once the channel is closed the answer never comes, because the library
   * would connect again otherwise.
   */
  async #waitForTurn(): Promise<void> {
    const { signal } = this.#closing;
    if (!this.#hasWaited) {
      this.#hasWaited = true;
      const wait = this.#failures <= 1 ? 0 : this.#waitMs();
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
    if (signal.aborted || this.#parts.state.isFailed) await new Promise<never>(() => {});
  }

  #waitMs(): number {
    const longest = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, this.#failures - 2), LONGEST_WAIT_MS);
    return longest * (0.5 + Math.random() / 2);
  }

  /**
   * The library forgets the session in three cases: Discord says that it is over; the network fails, when it may still
   * be alive; and the channel ends, when the next process wants it. Only the first is true.
   */
  #sessionChanged(session: SessionInfo | null): void {
    const { progress, now } = this.#parts;
    if (session) {
      if (session.sessionId !== progress.session?.sessionId) progress.beginSession(session, now());
      return;
    }
    if (this.#closing.signal.aborted || this.#hadNetworkError) return;
    progress.dropSession();
  }

  #connected(): void {
    const { state, now } = this.#parts;
    this.#connectedAt = now();
    this.#wasConnected = true;
    state.become('connected');
  }

  #lost(code: number): void {
    const { state, now } = this.#parts;
    if (this.#closing.signal.aborted || state.isFailed) return;
    if (FATAL[code]) {
      this.#fail(code);
      return;
    }
    this.#hasWaited = false;
    const wasStable = this.#connectedAt > 0 && now() - this.#connectedAt > STABLE_MS;
    this.#connectedAt = 0;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    const detail = `The connection to Discord was lost (${code}); it is made again by itself.`;
    state.become(this.#wasConnected ? 'reconnecting' : 'connecting', detail);
    if (wasStable) this.#isLossTold = false;
    // Discord ends connections as a matter of course, and the next attempt brings most of them back.
    if (this.#failures > 1) this.#tellLoss(detail);
  }

  #tellLoss(detail: string): void {
    if (this.#isLossTold) return;
    this.#isLossTold = true;
    this.#tell(detail);
  }

  #tell(sentence: string): void {
    this.#parts.warn(`Discord, account ${this.#parts.accountId}: ${sentence}`);
  }

  #fail(code: number): void {
    const { state, path } = this.#parts;
    if (state.isFailed) return;
    const { detail, nextStep: step } = FATAL[code] ?? { detail: '', nextStep: '' };
    const nextStep = step.replaceAll('{path}', path);
    state.become('failed', detail, nextStep);
    this.#tell(`${detail} ${nextStep}`);
    void this.#end();
  }
}

interface Socket {
  on?(event: 'error', listener: () => void): void;
  terminate?(): void;
}

/** The library keeps it to itself. */
function socketOf(shard: WebSocketShard): Socket | null {
  return Reflect.get(shard, 'connection') as Socket | null;
}

/** The codes with which Discord closes a connection for good. */
const FATAL: Readonly<Record<number, { readonly detail: string; readonly nextStep: string }>> = {
  4004: {
    detail: 'Discord does not take the token of this account: it was reset, or it was never right.',
    nextStep: 'Copy a new token from the page "Bot" of the application in the Developer Portal and set {path}.token.',
  },
  4010: sharding('Discord refuses the part of the servers that this connection asked for.'),
  4011: sharding('The bot is in too many servers for one connection.'),
  4012: {
    detail: 'Discord no longer speaks the version of its gateway that is used here.',
    nextStep: 'Install a newer version of Atrium.',
  },
  4013: {
    detail: 'Discord does not know an intent that was asked for.',
    nextStep: 'Install a newer version of Atrium.',
  },
  4014: {
    detail: 'The bot may not read the words of messages: the Message Content Intent is not ticked.',
    nextStep:
      'Tick "Message Content Intent" under "Privileged Gateway Intents" on the page "Bot" of the application in the Developer Portal, then restart the gateway.',
  },
};

function sharding(detail: string) {
  return { detail, nextStep: 'Remove the bot from servers that do not need it, or use several bots.' };
}
