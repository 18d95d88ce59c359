// Records a run as it goes. It numbers transcript entries and journal steps upward, checks the run's claim in every
// commit, and adds the opening of the session to the first commit that succeeds. A commit that fails leaves a gap in
// the numbers, because no number is used twice.
// Commits of one run are made in order; this holds also for a commit that the run does not wait for. If such a commit
// fails, the next commit that the run waits for throws its error, once, so that no run ends successfully after a lost
// write.

import type { JsonObject } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { CommitSite } from '../store/commit-sites.ts';
import { planIndexing } from '../store/plan-indexing.ts';
import type { Claim, Insert, Store, Write } from '../store/store.ts';
import type { TranscriptRow } from '../store/tables.ts';

export class RunLedger {
  readonly #store: Store;
  readonly #claim: Claim;
  readonly #sessionId: string;
  readonly #now: () => number;
  /** The writes that open the session, until a commit has written them. */
  #opening: readonly Write[];
  #entries: number;
  #steps: number;
  #hasSteps: boolean;
  /** Settles with the last commit that the run did not wait for. */
  #later: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  /** Writes that need no commit of their own; the next commit includes them. */
  #attached: readonly Write[] = [];

  constructor(facts: {
    readonly store: Store;
    readonly claim: Claim;
    readonly sessionId: string;
    readonly now: () => number;
    readonly opening: readonly Write[];
    /** The positions of the last existing entry and step; 0 when there is none. */
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
    this.#hasSteps = facts.lastStep > 0;
  }

  /** True once a step was committed, in this attempt or an earlier one. A commit that is still being made counts. */
  get hasSteps(): boolean {
    return this.#hasSteps;
  }

  /** The position of the last entry that was numbered. */
  get lastEntry(): number {
    return this.#entries;
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

  /** A row that says how everything before it is shown to the model from now on. */
  compaction(message: Message, shown: string, meta: JsonObject): Insert<'transcript'> {
    return this.#entry('compaction', message, shown, meta);
  }

  /** A step of the journal, numbered. It must be part of the next commit. */
  step(kind: string, data: JsonObject): Write {
    this.#steps += 1;
    return { insert: 'journal', row: { runId: this.#claim.runId, position: this.#steps, kind, at: this.#now(), data } };
  }

  /** What the next commit will write besides its own. */
  get attached(): readonly Write[] {
    return this.#attached;
  }

  /** The write becomes part of the next commit. */
  attach(write: Write): void {
    this.#attached = [...this.#attached, write];
  }

  /** Resolves when the writes would survive a power cut. */
  async commit(site: CommitSite, writes: readonly Write[]): Promise<void> {
    await this.#settleLater();
    await this.#commit(site, writes, false);
  }

  /**
   * Resolves when the writes would survive the death of the process, without a sync. This is for a step that may be
   * repeated after a power cut: the next commit that is synced makes it survive that too, and nothing is told of it before.
   */
  async commitUnsynced(site: CommitSite, writes: readonly Write[]): Promise<void> {
    await this.#settleLater();
    await this.#commit(site, writes, true);
  }

  /**
   * The same as `commitUnsynced` for what is no step of the run: it neither opens the session nor counts as progress. It takes along what
   * waits for the next commit.
   */
  async commitApart(site: CommitSite, writes: readonly Write[]): Promise<void> {
    await this.#settleLater();
    const attached = this.#attached;
    this.#attached = [];
    try {
      await this.#store.commit([...attached, ...writes], { site, claim: this.#claim, lazy: true });
    } catch (error) {
      this.#attached = [...attached, ...this.#attached];
      throw error;
    }
  }

  /**
   * Waits neither for the commit nor for the disk. This is for values that can be derived again from what is stored.
   */
  commitLater(site: CommitSite, writes: readonly Write[]): void {
    const made = this.#commit(site, writes, true).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#later = Promise.all([this.#later, made]);
  }

  /** Throws the error of a commit that the run did not wait for. */
  async #settleLater(): Promise<void> {
    await this.#later;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
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
    const hadSteps = this.#hasSteps;
    this.#hasSteps ||= writes.some((write) => 'insert' in write && write.insert === 'journal');
    this.#opening = [];
    this.#attached = [];
    try {
      const all = [...opening, progress, ...attached, ...writes];
      await this.#store.commit([...all, ...planIndexing(all)], { site, claim: this.#claim, lazy });
    } catch (error) {
      this.#hasSteps = hadSteps;
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
