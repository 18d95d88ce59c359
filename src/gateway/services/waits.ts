// Runs that wait for other sessions or for their client. A run that waits for sessions is woken when those have ended or
// when the time is over, in one commit with the row that says so; one whose client brings no result in time, or sends
// something else instead, is stopped. `ClientCalls` takes the results themselves. Whether the sessions have ended is learned from the store at every look, so a restart loses no wait.
// Errors: none. When the store refuses, the look is repeated after a pause.

import type { Tell } from '../../facts/facts.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { DueClock } from '../../store/due-clock.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store, Write } from '../../store/store.ts';
import type { WaitRow } from '../../store/tables.ts';
import { wakeRun } from '../../store/wake-run.ts';

export interface WaitsParts {
  readonly store: Store;
  /** Those of these sessions that have not ended yet. */
  readonly unended: (sessionKeys: readonly string[]) => Promise<readonly string[]>;
  /** Says whether such an event may mean that a wait began or is over. */
  readonly concerns: (event: LiveEvent) => boolean;
  readonly subscribe: (listener: (event: LiveEvent) => void) => () => void;
  readonly wakeLane: (sessionKey: string) => void;
  readonly tell: Tell;
  /** Set where several nodes share the store: whether this one wakes runs whose wait is over. */
  readonly isMine?: (() => boolean) | undefined;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

export class Waits {
  readonly #parts: WaitsParts;
  readonly #clock: DueClock<WaitRow>;
  #unsubscribe: () => void = () => {};
  /** The sessions in which a run waited for its client at the last look; a session that joins them is looked at first. */
  #handedKeys: ReadonlySet<string> = new Set();

  constructor(parts: WaitsParts) {
    this.#parts = parts;
    const { store, isMine, now, warn } = parts;
    this.#clock = new DueClock({
      isMine,
      overdue: (at, limit) => this.#over(at, limit),
      nextAt: async () => {
        const where = { status: 'waiting' };
        const [next] = await store.select('waits', { where, orderBy: [['expiresAt', 'asc']], limit: 1 });
        return next?.expiresAt;
      },
      expire: (wait) => (wait.handed ? this.#giveUp(wait) : this.#wake(wait)),
      trouble: 'Runs that wait for other sessions could not be woken yet',
      now,
      warn,
    });
  }

  async open(): Promise<void> {
    const { subscribe, concerns } = this.#parts;
    this.#unsubscribe = subscribe((event) => {
      if (concerns(event)) void this.#clock.look();
      // The message may have been accepted at another node.
      else if (event.type === 'message-accepted') this.messageCame(event.sessionKey);
    });
    await this.#clock.open();
  }

  /** Wakes runs whose wait is over, where this is for this node to do. */
  look(): Promise<void> {
    return this.#clock.look();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#clock.close();
  }

  /**
   * Stops a run that waits, or that was woken and has not gone on yet. False when the run is not suspended for a wait.
   * Once the run has gone on, nothing is cancelled.
   */
  async cancel(runId: string, reason: string): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#cancelNow(runId, reason);
      } catch (error) {
        // The wait ended meanwhile, or the run went on: look again.
        if (!(error instanceof PreconditionFailedError) || tries === MOST_TRIES) throw error;
      }
    }
  }

  async #cancelNow(runId: string, reason: string): Promise<boolean> {
    const { store } = this.#parts;
    if ((await store.count('runs', { runId, status: 'suspended' })) === 0) return false;
    const waits = await store.select('waits', { where: { runId, status: { not: 'cancelled' } } });
    const [first] = waits;
    if (!first) return false;
    const isAsleep = waits.every(({ status }) => status === 'waiting');
    await store.commit(
      [
        { update: 'runs', where: { runId, status: 'suspended' }, set: { status: 'suspended' }, expect: 1 },
        ...waits.map(
          ({ place, status }): Write => ({
            update: 'waits',
            where: { runId, place, status },
            set: { status: 'cancelled', reason },
            expect: 1,
          }),
        ),
        ...(isAsleep ? await wakeRun(store, runId, wakerOf(first)) : []),
      ],
      { site: 'wake', waits: true },
    );
    for (const wait of waits) this.#tell(wait, 'cancelled');
    return true;
  }

  /** The waits that are over at this time, because their time is over or because what they wait for has ended. */
  async #over(at: number, limit: number): Promise<readonly WaitRow[]> {
    const waiting = await this.#parts.store.select('waits', {
      where: { status: 'waiting' },
      orderBy: [['expiresAt', 'asc']],
    });
    const over: WaitRow[] = [];
    for (const wait of waiting) {
      if (over.length === limit) break;
      if (wait.expiresAt <= at || (await this.#hasCome(wait))) over.push(wait);
    }
    this.#handedKeys = new Set(waiting.flatMap(({ handed, sessionKey }) => (handed ? [sessionKey] : [])));
    return over;
  }

  /** A message was accepted in this session. A run there whose client should have brought a result may be over now. */
  messageCame(sessionKey: string): void {
    if (this.#handedKeys.has(sessionKey)) void this.#clock.look();
  }

  /** The client of this run has said something else since. */
  async #isPassedOver({ sessionKey, createdAt }: WaitRow): Promise<boolean> {
    const where = { sessionKey, status: 'queued', kind: { in: ['message', 'api'] }, acceptedAt: { gte: createdAt } };
    return (await this.#parts.store.count('inbox', where)) > 0;
  }

  /** Nothing is left to answer, so the run is stopped. */
  async #giveUp({ runId, createdAt, expiresAt }: WaitRow): Promise<void> {
    const seconds = Math.round((expiresAt - createdAt) / 1_000);
    const isLate = expiresAt <= this.#parts.now();
    const late = `the client brought no result of its tool within ${countOf(seconds, 'second')}`;
    await this.cancel(runId, isLate ? late : 'a new message came instead of the result of the client’s tool');
  }

  async #hasCome(wait: WaitRow): Promise<boolean> {
    if (wait.handed) return this.#isPassedOver(wait);
    const { awaited, isAnyEnough } = wait;
    const unended = await this.#parts.unended(awaited);
    return isAnyEnough ? unended.length < awaited.length : unended.length === 0;
  }

  async #wake(wait: WaitRow): Promise<void> {
    const { store } = this.#parts;
    const { runId, place } = wait;
    try {
      await store.commit(
        [
          { update: 'waits', where: { runId, place, status: 'waiting' }, set: { status: 'over' }, expect: 1 },
          ...(await wakeRun(store, runId, wakerOf(wait))),
        ],
        { site: 'wake' },
      );
    } catch (error) {
      // The run was stopped meanwhile, and nothing is left to do.
      if (error instanceof PreconditionFailedError) return;
      throw error;
    }
    this.#tell(wait, 'over');
  }

  #tell({ runId, sessionKey, toolCallId }: WaitRow, outcome: 'over' | 'cancelled'): void {
    void this.#parts.tell('wait-ended', { runId, sessionKey, toolCallId, outcome });
    this.#parts.wakeLane(sessionKey);
  }
}

/** Each retry means that a wait of the run ended in between, and a run has few of them. */
const MOST_TRIES = 100;

function wakerOf({ runId, place }: Pick<WaitRow, 'runId' | 'place'>) {
  return { kind: 'wake', dedupeKey: JSON.stringify(['wake', runId, place]) } as const;
}
