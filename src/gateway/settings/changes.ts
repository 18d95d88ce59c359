// Tells pages that something has changed, so that they read it again and need not ask all the time. What is a row in the
// store is noticed by its commit; what is not is compared with how it was a second ago.
// Promise: changes that come quickly one after the other are told together, the last one is always told, and while no page
// watches nothing is compared or collected. Where other nodes share the store, their pages are told too.

import { isDeepStrictEqual } from 'node:util';
import type { ChangeTopic } from '../../protocol/change-topic.ts';
import type { Write } from '../../store/store.ts';
import { tableOf } from '../../store/table-of.ts';
import type { TableName } from '../../store/tables.ts';

export interface ChangesParts {
  /** Whether somebody would be told. */
  readonly isWatched: () => boolean;
  readonly tell: (topics: readonly ChangeTopic[]) => void;
  /** Tells the pages of other nodes. Undefined when there are none. */
  readonly tellElsewhere?: ((topics: readonly ChangeTopic[]) => void) | undefined;
  /** How things are now that are no rows of the store. */
  readonly looks: Partial<Readonly<Record<ChangeTopic, () => unknown>>>;
  readonly lookEveryMs?: number | undefined;
}

const TOGETHER_MS = 120;
const LOOK_EVERY_MS = 1_000;

/** The topic of each table whose rows people look at. */
const TOPIC_OF_TABLE: Partial<Readonly<Record<TableName, ChangeTopic>>> = {
  sessions: 'sessions',
  inbox: 'runs',
  runs: 'runs',
  outbox: 'deliveries',
  approvals: 'approvals',
  pairings: 'pairings',
  deadLetters: 'dead-letters',
  jobs: 'jobs',
  jobSlots: 'jobs',
  children: 'subagents',
  usage: 'usage',
  spending: 'usage',
  hookRecords: 'handlers',
  fileVersions: 'files',
};

export class Changes {
  readonly #parts: ChangesParts;
  readonly #noted = new Set<ChangeTopic>();
  /** What has changed on this node and is not told elsewhere yet. */
  readonly #own = new Set<ChangeTopic>();
  readonly #seen = new Map<ChangeTopic, unknown>();
  #telling: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#looking = setInterval(() => this.#look(), this.#parts.lookEveryMs ?? LOOK_EVERY_MS);
    this.#looking.unref();
  }

  close(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#telling);
  }

  /** Called with every commit that was made. */
  readonly committed = (writes: readonly Write[]): void => {
    if (!this.#parts.isWatched() && !this.#parts.tellElsewhere) return;
    for (const write of writes) {
      const topic = TOPIC_OF_TABLE[tableOf(write)];
      if (topic) this.note(topic);
    }
  };

  note(topic: ChangeTopic): void {
    if (this.#parts.tellElsewhere) this.#own.add(topic);
    this.#noted.add(topic);
    this.#tellSoon();
  }

  /** Another node has told that this has changed. */
  noteFromElsewhere(topics: readonly ChangeTopic[]): void {
    if (!this.#parts.isWatched()) return;
    for (const topic of topics) this.#noted.add(topic);
    this.#tellSoon();
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      const [topics, own] = [[...this.#noted], [...this.#own]];
      this.#noted.clear();
      this.#own.clear();
      if (this.#parts.isWatched()) this.#parts.tell(topics);
      if (own.length > 0) this.#parts.tellElsewhere?.(own);
    }, TOGETHER_MS).unref();
  }

  #look(): void {
    if (!this.#parts.isWatched()) {
      this.#seen.clear();
      return;
    }
    for (const [name, read] of Object.entries(this.#parts.looks)) {
      const topic = name as ChangeTopic;
      const before = this.#seen.get(topic);
      const after = read();
      this.#seen.set(topic, after);
      if (before !== undefined && !isDeepStrictEqual(before, after)) this.note(topic);
    }
  }
}
