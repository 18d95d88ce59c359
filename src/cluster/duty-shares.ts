// The duties in which this node takes part, and which of them it has. A look at the rows says who has what; a duty that
// no node has is taken by the node that should have it, or by any other one when that one does not, and one that was lost
// is stopped. Two works of one duty never overlap on a node: the next one begins when the one before is over.

import { setTimeout as sleep } from 'node:timers/promises';
import { DUTY_LOST } from './cluster.ts';

export interface DutyPort {
  /** Resolves with whether this member has it now. */
  take(memberId: string, name: string): Promise<boolean>;
  giveUp(memberId: string, name: string): Promise<void>;
  warn(sentence: string): void;
}

/** Work that failed is not begun again at once. */
const PAUSE_MS = 1_000;
/** A duty that another node should have is taken when that one has not taken it for so long. */
const GIVE_WAY_MS = 1_500;

export interface DutyLook {
  /** The id of the member that has it, by the name of the duty. */
  readonly holders: ReadonlyMap<string, string>;
  readonly memberId: string;
  /** The moment before the look, because a duty that was taken since is not in it. */
  readonly lookedAt: number;
  readonly mayTake: boolean;
  /** The member that should take it, by the name of a duty that no member has. */
  readonly planned: ReadonlyMap<string, string>;
  /** A duty of this node that it leaves to another one. */
  readonly surplus: string | undefined;
}

export class DutyShares {
  readonly #port: DutyPort;
  readonly #shares = new Set<Share>();

  constructor(port: DutyPort) {
    this.#port = port;
  }

  add(name: string, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
    const share: Share = { name, work, isLeft: false };
    this.#shares.add(share);
    return async () => {
      share.isLeft = true;
      await this.#end(share);
      this.#shares.delete(share);
    };
  }

  /** The names of the duties that this node takes part in. */
  get names(): readonly string[] {
    return [...this.#shares].filter(({ isLeft }) => !isLeft).map(({ name }) => name);
  }

  /** Compares with what a look has found. */
  compare({ holders, memberId, lookedAt, mayTake, planned, surplus }: DutyLook): void {
    for (const share of this.#shares) {
      const holder = holders.get(share.name);
      const { had } = share;
      share.freeSince = holder === undefined ? (share.freeSince ?? lookedAt) : undefined;
      if (had) {
        const isLost = had.memberId !== memberId || (holder !== memberId && had.since < lookedAt);
        if (isLost) this.#lose(share, had);
        else if (!mayTake || (share.name === surplus && holder === memberId)) void this.#end(share);
      } else if (mayTake && !share.isLeft && (share.endedAt ?? 0) < lookedAt && !this.#isBusy(share.name)) {
        const isNext =
          (planned.get(share.name) ?? memberId) === memberId ||
          (share.freeSince !== undefined && lookedAt - share.freeSince >= GIVE_WAY_MS);
        if (holder === memberId || (holder === undefined && isNext)) this.#startTaking(share, memberId, holder);
      }
    }
  }

  /** Stops everything that this node has, because it is no member any more. */
  abortAll(): void {
    for (const share of this.#shares) if (share.had) this.#lose(share, share.had);
  }

  /** Stops everything and gives it up. Resolves when the others can take it. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#shares].map((share) => this.#end(share)));
  }

  #startTaking(share: Share, memberId: string, holder: string | undefined): void {
    const taking = this.#take(share, memberId, holder).finally(() => {
      if (share.taking === taking) share.taking = undefined;
    });
    share.taking = taking;
  }

  async #take(share: Share, memberId: string, holder: string | undefined): Promise<void> {
    try {
      // A row of this member without work: the answer to its request was lost.
      const isMine = holder === memberId || (await this.#port.take(memberId, share.name));
      if (!isMine) return;
      if (share.isLeft) await this.#port.giveUp(memberId, share.name);
      else this.#begin(share, memberId);
    } catch {
      // The next look tells whether the row was written.
    }
  }

  #begin(share: Share, memberId: string): void {
    const controller = new AbortController();
    const begin = async () => share.work(controller.signal);
    const done = begin().catch(async (error: Error) => {
      if (controller.signal.aborted) return;
      this.#port.warn(`The duty "${share.name}" failed on this node and is given to another one: ${error.message}`);
      await sleep(PAUSE_MS, undefined, { signal: controller.signal }).catch(() => undefined);
      // This must not wait for itself.
      void this.#end(share);
    });
    share.had = { memberId, since: performance.now(), controller, done };
  }

  /** The row is gone already, so that there is nothing to give up. */
  #lose(share: Share, had: HadDuty): void {
    had.controller.abort(DUTY_LOST);
    had.ended ??= had.done.then(() => this.#forget(share));
  }

  async #end(share: Share): Promise<void> {
    await share.taking;
    const { had } = share;
    if (!had) return;
    had.controller.abort();
    had.ended ??= (async () => {
      await had.done;
      await this.#port.giveUp(had.memberId, share.name).catch(() => undefined);
      this.#forget(share);
    })();
    await had.ended;
  }

  #forget(share: Share): void {
    share.had = undefined;
    share.endedAt = performance.now();
  }

  /** Whether the work of another share of this name is not over yet. */
  #isBusy(name: string): boolean {
    for (const share of this.#shares) if (share.name === name && (share.had || share.taking)) return true;
    return false;
  }
}

interface Share {
  readonly name: string;
  readonly work: (signal: AbortSignal) => Promise<void>;
  isLeft: boolean;
  taking?: Promise<void> | undefined;
  had?: HadDuty | undefined;
  /** Since when no node has it, as far as this node has seen. */
  freeSince?: number | undefined;
  /** A look that began before this moment may still show the row. */
  endedAt?: number;
}

interface HadDuty {
  readonly memberId: string;
  readonly since: number;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  ended?: Promise<void>;
}
