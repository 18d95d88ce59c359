// The socket over which the gateway says what has changed. A part of the page that shows something names its topics and is
// told to read again; after a broken connection everything is read again, because it may have changed meanwhile.

import { signal } from '@preact/signals';
import type { SessionNews } from '../../src/channels/server-frame.ts';
import type { ChangeTopic } from '../../src/protocol/change-topic.ts';
import type { PulseSample } from '../../src/protocol/pulse-sample.ts';
import { Connection, type Link } from './connection.ts';
import type { GatewayClient } from './gateway-client.ts';

export class GatewayWatch {
  readonly link = signal<Link>({ state: 'off', text: 'Not connected' });
  readonly #readers = new Set<Reader>();
  readonly #sampleListeners = new Set<(sample: PulseSample) => void>();
  readonly #newsListeners = new Set<(news: SessionNews) => void>();
  #connection: Connection | undefined;

  open(client: Pick<GatewayClient, 'openSocket' | 'isTokenGood'>): void {
    this.#connection?.close();
    this.#connection = new Connection({
      openSocket: () => client.openSocket(),
      mayTryAgain: () => client.isTokenGood(),
      hello: () => ({ type: 'watch' }),
      receive: (frame) => {
        if (frame.type === 'watching') for (const reader of this.#readers) reader.wake();
        if (frame.type === 'changed') this.#changed(frame.topics);
        if (frame.type === 'session-news') for (const listen of this.#newsListeners) listen(frame);
        if (frame.type === 'sample') for (const listen of this.#sampleListeners) listen(frame.sample);
      },
      showLink: (link) => {
        this.link.value = link;
      },
    });
  }

  /** Calls `read` when one of the topics changes, never twice at once. Returns the function that ends it. */
  onChange(topics: readonly ChangeTopic[], read: () => Promise<unknown>): () => void {
    const reader = new Reader(topics, read);
    this.#readers.add(reader);
    return () => {
      reader.close();
      this.#readers.delete(reader);
    };
  }

  onSample(listen: (sample: PulseSample) => void): () => void {
    this.#sampleListeners.add(listen);
    return () => this.#sampleListeners.delete(listen);
  }

  /** Calls `listen` when something happens in any conversation. */
  onNews(listen: (news: SessionNews) => void): () => void {
    this.#newsListeners.add(listen);
    return () => this.#newsListeners.delete(listen);
  }

  #changed(topics: readonly ChangeTopic[]): void {
    for (const reader of this.#readers) if (topics.some((topic) => reader.topics.has(topic))) reader.wake();
  }
}

/** Reads again after a change, and once more when something changed while it was reading. */
class Reader {
  readonly topics: ReadonlySet<ChangeTopic>;
  readonly #read: () => Promise<unknown>;
  #isReading = false;
  #isAgain = false;
  #isClosed = false;

  constructor(topics: readonly ChangeTopic[], read: () => Promise<unknown>) {
    this.topics = new Set(topics);
    this.#read = read;
  }

  wake(): void {
    if (this.#isClosed) return;
    if (this.#isReading) this.#isAgain = true;
    else void this.#go();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #go(): Promise<void> {
    this.#isReading = true;
    this.#isAgain = false;
    // What cannot be read now stays as it is shown; the connection says that the gateway is away.
    await this.#read().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, LEAST_PAUSE_MS));
    this.#isReading = false;
    if (this.#isAgain) this.wake();
  }
}

/** A busy gateway changes all the time, and no person reads faster than this. */
const LEAST_PAUSE_MS = 250;
