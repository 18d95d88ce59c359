// The Socket Mode side of a simulated app: open connections, envelopes on their way, acks. What is not acknowledged in
// time is sent again with a higher number, as Slack does, and what comes while no connection is open waits for the next
// one. It does not know what is in an envelope.

import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { JsonObject } from '../../protocol/json.ts';

export interface SlackSocketsSettings {
  readonly ackWithinMs: number;
  readonly resends: number;
}

/** One event on its way to the app. */
interface Pending {
  readonly type: 'events_api' | 'slash_commands' | 'interactive';
  readonly payload: JsonObject;
  readonly envelopes: Set<string>;
  attempt: number;
  timer: NodeJS.Timeout | undefined;
  readonly settle: (isAcked: boolean) => void;
}

export class SlackSockets {
  /** Every acknowledgement of the app, in order. */
  readonly acks: JsonObject[] = [];
  readonly #settings: SlackSocketsSettings;
  readonly #open = new Set<WebSocket>();
  readonly #pending = new Set<Pending>();
  #duplicates = 0;
  #isHolding = false;
  #held: (() => void) | undefined;

  constructor(settings: SlackSocketsSettings) {
    this.#settings = settings;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Whether something was sent that the app has not acknowledged yet. */
  get isQuiet(): boolean {
    return this.#pending.size === 0;
  }

  /** Takes a new connection, and sends what waited for one. */
  add(socket: WebSocket, hello: JsonObject): void {
    this.#open.add(socket);
    socket.on('message', (data) => this.#take(JSON.parse(String(data)) as JsonObject));
    socket.on('close', () => this.#lose(socket));
    socket.on('error', () => socket.terminate());
    socket.send(JSON.stringify({ ...hello, num_connections: this.#open.size }));
    for (const pending of this.#pending) if (pending.timer === undefined) this.#send(pending);
  }

  /** Resolves with true when the app has acknowledged, and with false when Slack gives up or no connection is open. */
  deliver(type: Pending['type'], payload: JsonObject, attempt = 0): Promise<boolean> {
    return new Promise((resolve) => {
      const pending: Pending = { type, payload, envelopes: new Set(), attempt, timer: undefined, settle: resolve };
      this.#pending.add(pending);
      if (this.#open.size === 0) resolve(false);
      else this.#sendInOrder(pending);
    });
  }

  /** The next so many envelopes are sent twice. */
  duplicateNext(count: number): void {
    this.#duplicates += count;
  }

  /** The next envelope is sent after the one that follows it. */
  swapNext(): void {
    this.#isHolding = true;
  }

  /** Slack asks the app to connect again, and closes what is still open a little later. */
  disconnect(reason: string): void {
    for (const socket of this.#open) socket.send(JSON.stringify({ type: 'disconnect', reason }));
  }

  /** Sends any frame, also one that makes no sense. */
  sendRaw(text: string): void {
    for (const socket of this.#open) socket.send(text);
  }

  /** The connections break without a word. */
  cut(): void {
    for (const socket of [...this.#open]) {
      socket.terminate();
      this.#lose(socket);
    }
  }

  /** Gives up everything that was not acknowledged, as Slack does after a while. */
  giveUp(): void {
    for (const pending of this.#pending) this.#settle(pending, false);
  }

  /** What was on its way waits for the next connection; who waits for the acknowledgement is told that there is none. */
  #lose(socket: WebSocket): void {
    this.#open.delete(socket);
    if (this.#open.size > 0) return;
    for (const pending of this.#pending) {
      this.#stopTimer(pending);
      pending.settle(false);
    }
  }

  #sendInOrder(pending: Pending): void {
    if (this.#isHolding && !this.#held) {
      this.#held = () => this.#send(pending);
      return;
    }
    this.#send(pending);
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#isHolding = false;
    held?.();
  }

  #send(pending: Pending): void {
    const [socket] = this.#open;
    if (!socket) return;
    const envelope = {
      envelope_id: randomUUID(),
      type: pending.type,
      accepts_response_payload: pending.type !== 'events_api',
      ...(pending.type === 'events_api' && {
        retry_attempt: pending.attempt,
        retry_reason: pending.attempt > 0 ? 'timeout' : '',
      }),
      payload: pending.payload,
    };
    pending.envelopes.add(envelope.envelope_id);
    socket.send(JSON.stringify(envelope));
    if (this.#duplicates > 0) {
      this.#duplicates -= 1;
      socket.send(JSON.stringify(envelope));
    }
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => this.#sendAgain(pending), this.#settings.ackWithinMs);
  }

  #sendAgain(pending: Pending): void {
    this.#stopTimer(pending);
    if (pending.attempt >= this.#settings.resends) this.#settle(pending, false);
    else {
      pending.attempt += 1;
      this.#send(pending);
    }
  }

  #take(ack: JsonObject): void {
    this.acks.push(ack);
    const pending = [...this.#pending].find(({ envelopes }) => envelopes.has(String(ack.envelope_id)));
    if (pending) this.#settle(pending, true);
  }

  #settle(pending: Pending, isAcked: boolean): void {
    this.#stopTimer(pending);
    this.#pending.delete(pending);
    pending.settle(isAcked);
  }

  #stopTimer(pending: Pending): void {
    clearTimeout(pending.timer);
    pending.timer = undefined;
  }
}
