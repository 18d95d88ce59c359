// What arrives, in order within each conversation. An event is acknowledged when it is stored, and not before. One that
// could not be stored is tried again, after a while or when Slack sends it again, and nothing behind it in the same
// conversation overtakes it. The same event is handed over once, however often Slack sends it.

export interface QueuedEvent {
  /** Events of one conversation are handled in order. */
  readonly conversation: string;
  /** Two events with the same key are one event. */
  readonly key: string;
  /** Resolves when the event is stored; when it rejects, it is tried again. */
  readonly store: () => Promise<void>;
}

export interface ConversationQueuesSettings {
  /** Told when an event could not be stored. */
  readonly failed: (error: unknown) => void;
  /** How long to wait before the next attempt. */
  readonly backOffMs: (attempt: number) => number;
}

interface Job extends QueuedEvent {
  readonly acks: (() => void)[];
  /** Ends the wait before the next attempt. */
  wake: () => void;
}

/** Slack sends again what is not acknowledged, so what is too much may be left to it. */
const MOST_WAITING = 500;
const MOST_REMEMBERED = 5_000;

export class ConversationQueues {
  readonly #settings: ConversationQueuesSettings;
  readonly #queues = new Map<string, Job[]>();
  /** The keys of events that are stored, the oldest first. */
  readonly #stored = new Set<string>();
  #isClosed = false;

  constructor(settings: ConversationQueuesSettings) {
    this.#settings = settings;
  }

  add(event: QueuedEvent, ack: () => void = () => {}): void {
    if (this.#isClosed) return;
    if (this.isStored(event.key)) {
      ack();
      return;
    }
    const queue = this.#queues.get(event.conversation) ?? [];
    const known = queue.find(({ key }) => key === event.key);
    if (known) {
      known.acks.push(ack);
      known.wake();
      return;
    }
    if (queue.length >= MOST_WAITING) return;
    queue.push({ ...event, acks: [ack], wake: () => {} });
    if (queue.length > 1) return;
    this.#queues.set(event.conversation, queue);
    void this.#serve(event.conversation, queue);
  }

  isStored(key: string): boolean {
    return this.#stored.has(key);
  }

  remember(key: string): void {
    this.#stored.add(key);
    const [oldest] = this.#stored;
    if (this.#stored.size > MOST_REMEMBERED && oldest !== undefined) this.#stored.delete(oldest);
  }

  /** Nothing more is stored or acknowledged. */
  close(): void {
    this.#isClosed = true;
    for (const queue of this.#queues.values()) queue[0]?.wake();
    this.#queues.clear();
  }

  async #serve(conversation: string, queue: Job[]): Promise<void> {
    for (let job = queue[0]; job && !this.#isClosed; job = queue[0]) {
      await this.#storeAtLast(job);
      queue.shift();
    }
    if (this.#queues.get(conversation) === queue) this.#queues.delete(conversation);
  }

  async #storeAtLast(job: Job): Promise<void> {
    for (let attempt = 1; !this.#isClosed; attempt += 1) {
      // A resend that comes during the attempt asks for nothing that is not going on already.
      let isAsked = false;
      job.wake = () => {
        isAsked = true;
      };
      try {
        await job.store();
        this.remember(job.key);
        if (!this.#isClosed) for (const ack of job.acks) ack();
        return;
      } catch (error) {
        if (this.#isClosed) return;
        const woken = isAsked ? Promise.resolve() : this.#wait(job, this.#settings.backOffMs(attempt));
        this.#settings.failed(error);
        await woken;
      }
    }
  }

  #wait(job: Job, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      job.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
