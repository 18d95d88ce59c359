// Says which rows of the outbox this node sends, where several nodes share it. A number of the outbox is no place up to which
// everything was read, because a commit of another node may make a lower one visible later. Only within one surface do numbers
// become visible in their order, so rows are found by their surface, never by "everything after the last one".
//
// Rules: what goes to an account of a chat platform is sent by the node that has the duty of this account. It is told of
// new rows by the nodes that commit them, and looks by itself from time to time. When it takes the duty over, every row that
// waits may have been tried by the node before, so it is looked for first. What goes to pages, terminals and API clients is
// settled by the node that committed it: its place is the outbox itself, and every node shows its own clients what is in
// there. When that node dies before, any other settles it; two at once do no harm, because one of them stores it.
// A row for an account that no node has is given up by any node.
// Errors: none rejects. When the store cannot be read, the next look is another attempt.

import { type Cluster, DUTY_LOST } from '../cluster/cluster.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Say } from '../protocol/log.ts';
import { oneLine } from '../protocol/one-line.ts';
import { whenAborted } from '../protocol/when-aborted.ts';
import type { CommitResult, Store, Write } from '../store/store.ts';
import type { OutboxRow } from '../store/tables.ts';
import type { RowsOfNode } from './outbox.ts';

export interface SharedOutboxParts {
  readonly store: Pick<Store, 'select'>;
  readonly cluster: Pick<Cluster, 'publish' | 'subscribe' | 'watchMembers' | 'whileMember' | 'holderOf'>;
  /** The duty without which a node must not send to this surface; undefined where the node that wrote the row settles it. */
  readonly dutyOf: (surface: Surface) => string | undefined;
  /** Whether the configuration of this node has the account. */
  readonly hasAccount: (surface: Surface) => boolean;
  /** Called with surfaces whose clients show what is in the outbox, when another node has written rows for them. */
  readonly arrived: (surfaceIds: readonly string[]) => void;
  readonly now: () => number;
  readonly warn: Say;
  readonly lookEveryMs?: number | undefined;
}

type Sender = Parameters<RowsOfNode['open']>[0];

/** A message between nodes: rows were committed for these surfaces. */
interface NewRows {
  readonly surfaces: readonly string[];
}

const LOOK_EVERY_MS = 5_000;
/** A row that no node has settled for so long belongs to a node that died, or to an account that no node has. */
const FORGOTTEN_MS = 5_000;
const ROWS_A_READ = 500;

export class SharedOutbox implements RowsOfNode {
  readonly #parts: SharedOutboxParts;
  /** The duties that this node has. */
  readonly #duties = new Set<string>();
  /** Duties that were taken over; the first look at their rows has not been made. */
  readonly #takenOver = new Set<string>();
  #sender: Sender | undefined;
  /** Rows that were committed before the outbox was opened. */
  #early: OutboxRow[] = [];
  #undo: readonly (() => void)[] = [];
  #looking: Promise<void> | undefined;
  #mustLookAgain = false;

  constructor(parts: SharedOutboxParts) {
    this.#parts = parts;
  }

  async open(sender: Sender): Promise<void> {
    const { cluster, lookEveryMs = LOOK_EVERY_MS } = this.#parts;
    this.#sender = sender;
    const timer = setInterval(() => void this.look(), lookEveryMs);
    timer.unref();
    this.#undo = [
      () => clearInterval(timer),
      cluster.subscribe('outbox', (message) => this.#heard((message as unknown as NewRows).surfaces)),
      cluster.watchMembers(({ change }) => {
        if (change === 'left' || change === 'expelled') void this.look();
      }),
    ];
    for (const row of this.#early.splice(0)) sender.take(row, { isUncertain: false });
    await this.look();
  }

  close(): void {
    for (const undo of this.#undo) undo();
    this.#sender = undefined;
  }

  mayUse(signal: AbortSignal): Promise<void> {
    return this.#parts.cluster.whileMember(signal);
  }

  /** Sends what waits for this duty until the signal fires, and resolves when nothing is being sent for it any more. */
  async serve(duty: string, signal: AbortSignal): Promise<void> {
    this.#duties.add(duty);
    this.#takenOver.add(duty);
    void this.look();
    await whenAborted(signal);
    this.#duties.delete(duty);
    this.#takenOver.delete(duty);
    const isLost = signal.reason === DUTY_LOST;
    await this.#sender?.drop((surface) => this.#parts.dutyOf(surface) === duty, { isLost });
  }

  /** Called after every commit of this node. */
  readonly committed = (writes: readonly Write[], { seqs, changed }: CommitResult): void => {
    const rows: OutboxRow[] = [];
    for (const [index, write] of writes.entries()) {
      const seq = seqs[index];
      if ('insert' in write && write.insert === 'outbox' && seq !== undefined && changed[index] !== 0)
        rows.push({ ...write.row, seq });
    }
    if (rows.length === 0) return;
    const elsewhere = new Set<string>();
    for (const row of rows) {
      if (row.status !== 'queued') {
        this.#sender?.tellOf(row);
        continue;
      }
      const duty = this.#parts.dutyOf(row.surface);
      if (duty === undefined) {
        elsewhere.add(row.surfaceId);
        if (this.#sender) this.#sender.take(row, { isUncertain: false });
        else this.#early.push(row);
      } else if (this.#duties.has(duty)) void this.#lookAt(row.surfaceId);
      else elsewhere.add(row.surfaceId);
    }
    if (elsewhere.size === 0) return;
    this.#parts.cluster.publish('outbox', { surfaces: [...elsewhere] } satisfies NewRows as unknown as JsonValue);
  };

  /** Looks at everything that waits. Never rejects. */
  look(): Promise<void> {
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookUntilCalm().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookUntilCalm(): Promise<void> {
    while (this.#mustLookAgain && this.#sender) {
      this.#mustLookAgain = false;
      const takenOver = new Set(this.#takenOver);
      try {
        await this.#lookAtAll(takenOver);
        for (const duty of takenOver) this.#takenOver.delete(duty);
      } catch (error) {
        this.#parts.warn(`The outbox could not be read: ${oneLine(error)}`);
      }
    }
  }

  async #lookAtAll(takenOver: ReadonlySet<string>): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await this.#parts.store.select('outbox', {
        where: { status: 'queued', seq: { gt: after } },
        orderBy: [['seq', 'asc']],
        limit: ROWS_A_READ,
      });
      for (const row of rows) {
        const duty = this.#parts.dutyOf(row.surface);
        if (duty !== undefined && this.#duties.has(duty))
          this.#sender?.take(row, { isUncertain: takenOver.has(duty) || this.#takenOver.has(duty) });
        else if (this.#isForgotten(row, duty)) this.#sender?.take(row, { isUncertain: true });
        after = row.seq;
      }
      if (rows.length < ROWS_A_READ) return;
    }
  }

  #isForgotten({ createdAt, surface }: OutboxRow, duty: string | undefined): boolean {
    const { now, cluster, hasAccount } = this.#parts;
    if (createdAt > now() - FORGOTTEN_MS) return false;
    return duty === undefined || (cluster.holderOf(duty) === undefined && !hasAccount(surface));
  }

  #heard(surfaces: readonly string[]): void {
    const shown: string[] = [];
    for (const id of surfaces) {
      const duty = this.#parts.dutyOf(placeOf(id));
      if (duty === undefined) shown.push(id);
      else if (this.#duties.has(duty)) void this.#lookAt(id);
    }
    if (shown.length > 0) this.#parts.arrived(shown);
  }

  /** Every row of a surface is visible when a later one is, so they are taken in their order. */
  async #lookAt(surfaceId: string): Promise<void> {
    try {
      const where = { surfaceId, status: 'queued' };
      const rows = await this.#parts.store.select('outbox', { where, orderBy: [['seq', 'asc']] });
      for (const row of rows) {
        const duty = this.#parts.dutyOf(row.surface);
        if (duty === undefined || !this.#duties.has(duty)) return;
        this.#sender?.take(row, { isUncertain: this.#takenOver.has(duty) });
      }
    } catch (error) {
      // The next look at everything finds them.
      this.#parts.warn(`The outbox could not be read: ${oneLine(error)}`);
    }
  }
}

/** The channel and the account of a surface, from its text form. */
function placeOf(surfaceId: string): Surface {
  const [channel = '', accountId = '', kind = 'direct', id = ''] = JSON.parse(surfaceId) as string[];
  return { channel, accountId, peer: { kind: kind as Surface['peer']['kind'], id } };
}
