// Writes down a run as it goes. It numbers transcript entries and journal steps upward, presents the claim with every
// commit, and lets the first commit that succeeds carry the opening of the session. A commit that fails leaves a gap in
// the numbers: they are not given out twice.
//
// Commits of one run are asked for in order; one that is not waited for has its place in that order all the same. Its
// failure comes out once, instead of the next commit that is waited for: no run ends well on top of something lost.

import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { CommitSite } from '../store/commit-sites.ts';
import type { Claim, Insert, Store, Write } from '../store/store.ts';
import type { TranscriptRow } from '../store/tables.ts';

export class RunLedger {
  readonly #store: Store;
  readonly #claim: Claim;
  readonly #sessionId: string;
  readonly #now: () => number;
  /** The writes that open the session, until a commit has carried them. */
  #opening: readonly Write[];
  #entries: number;
  #steps: number;
  /** Settles with the last commit that nobody waited for. */
  #later: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  /** Writes that nobody waits for and that no commit is made for; the next one takes them along. */
  #attached: readonly Write[] = [];

  constructor(facts: {
    readonly store: Store;
    readonly claim: Claim;
    readonly sessionId: string;
    readonly now: () => number;
    readonly opening: readonly Write[];
    /** The positions of the last entry and the last step that there are already; 0 without any. */
    readonly lastEntry: number;
    readonly lastStep: number;
  }) {
    this.#store = facts.store;
    this.#claim = facts.claim;
    this.#sessionId = facts.sessionId;
    this.#now = facts.now;
    this.#opening = facts.opening;
    this.#entries = facts.lastEntry;
    this.#steps = facts.lastStep;
  }

  /** True once a step was taken, in this attempt or before it. */
  get hasSteps(): boolean {
    return this.#steps > 0;
  }

  /** A transcript entry, numbered. It must be part of the next commit. */
  entry(
    message: Message,
    about: { readonly shown?: string | undefined; readonly meta?: JsonObject | undefined } = {},
  ): Insert<'transcript'> {
    return this.#entry('message', message, about.shown ?? null, about.meta ?? {});
  }

  /** An entry for people only. */
  notice(message: Message, shown: string, meta: JsonObject = {}): Write {
    return this.#entry('notice', message, shown, meta);
  }

  /** How everything before it is told from now on. */
  compaction(message: Message, shown: string, meta: JsonObject): Insert<'transcript'> {
    return this.#entry('compaction', message, shown, meta);
  }

  /** A step of the journal, numbered. It must be part of the next commit. */
  step(kind: string, data: JsonObject): Write {
    this.#steps += 1;
    return { insert: 'journal', row: { runId: this.#claim.runId, position: this.#steps, kind, at: this.#now(), data } };
  }

  /** Goes along with the next commit, whichever that is. */
  attach(write: Write): void {
    this.#attached = [...this.#attached, write];
  }

  /** Resolves when the writes are safe. */
  async commit(site: CommitSite, writes: readonly Write[]): Promise<void> {
    await this.#later;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
    await this.#commit(site, writes, false);
  }

  /** Does not wait, neither here nor for the disk: for what can be derived again from what is stored. */
  commitLater(site: CommitSite, writes: readonly Write[]): void {
    const made = this.#commit(site, writes, true).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#later = Promise.all([this.#later, made]);
  }

  async #commit(site: CommitSite, writes: readonly Write[], lazy: boolean): Promise<void> {
    const { runId, claim } = this.#claim;
    const progress: Write = {
      update: 'runs',
      where: { runId },
      set: { progressClaim: claim, sessionId: this.#sessionId },
    };
    const opening = this.#opening;
    const attached = this.#attached;
    this.#opening = [];
    this.#attached = [];
    try {
      await this.#store.commit([...opening, progress, ...attached, ...writes], { site, claim: this.#claim, lazy });
    } catch (error) {
      if (opening.length > 0) this.#opening = opening;
      this.#attached = [...attached, ...this.#attached];
      throw error;
    }
  }

  #entry(kind: TranscriptRow['kind'], message: Message, shown: string | null, meta: JsonObject): Insert<'transcript'> {
    this.#entries += 1;
    return {
      insert: 'transcript',
      row: {
        sessionId: this.#sessionId,
        position: this.#entries,
        runId: this.#claim.runId,
        at: this.#now(),
        kind,
        message,
        shown,
        meta,
      },
    };
  }
}
