// Sees when memberships of nodes begin and end, and what a node does while it is no member: nothing may be stored for it then,
// and it may send nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresConnection } from '../src/store/postgres/postgres-connection.ts';
import type { Sent } from './counted-platforms.ts';

const LOOK_MS = 20;

interface Membership {
  readonly node: string;
  /** By the clock of the database, which is the one of this machine. */
  readonly joinedAt: number;
  /** When it was seen that the membership was over. */
  goneAt: number;
}

export class NodeWatch {
  readonly #database: PostgresConnection;
  readonly #memberships = new Map<string, Membership>();
  /** The name under which the process of a node marks its transactions, and the mark when its membership was seen to be over. */
  readonly #writers = new Map<string, { readonly writer: string; markWhenGone?: number | undefined }>();
  readonly #watching: Promise<void>;
  #isOver = false;
  #lateTransactions = 0;

  constructor(database: PostgresConnection) {
    this.#database = database;
    this.#watching = this.#watch();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  /** How many memberships have ended. */
  get ended(): number {
    return [...this.#memberships.values()].filter(({ goneAt }) => goneAt !== Number.POSITIVE_INFINITY).length;
  }

  /** When each membership was seen to be over, by its id. */
  get gone(): ReadonlyMap<string, number> {
    const ended = [...this.#memberships].filter(([, { goneAt }]) => goneAt !== Number.POSITIVE_INFINITY);
    return new Map(ended.map(([id, { goneAt }]) => [id, goneAt]));
  }

  /** Transactions that were made by the process of a node while that node was no member. */
  get lateTransactions(): number {
    return this.#lateTransactions;
  }

  /** Calls `start`, and learns under which name the process that it starts marks its transactions. */
  async learnWriter(node: string, start: () => Promise<void>): Promise<void> {
    this.#writers.delete(node);
    const before = await this.#marks();
    await start();
    const added = [...(await this.#marks())].filter((writer) => !before.has(writer));
    const [writer] = added;
    if (writer !== undefined && added.length === 1) this.#writers.set(node, { writer });
  }

  /** What a node sent after its membership was seen to be over, and before it had joined again. */
  lateSends(sent: readonly Sent[]): number {
    const memberships = [...this.#memberships.values()];
    return sent.filter(({ node, at }) => {
      const own = memberships.filter((membership) => membership.node === node && membership.joinedAt <= at);
      return own.length > 0 && own.every(({ goneAt }) => goneAt < at);
    }).length;
  }

  async #watch(): Promise<void> {
    for (; !this.#isOver; await sleep(LOOK_MS)) await this.#look().catch(() => undefined);
  }

  async #look(): Promise<void> {
    // One statement, so that members and marks are seen at the same moment.
    const sql = `SELECT 'member', id, name, joined_at FROM nodes UNION ALL SELECT 'mark', writer, '', mark FROM commit_marks`;
    const { rows } = await this.#database.ask({ sql, values: [] });
    const now = Date.now();
    const members = rows.filter(([kind]) => kind === 'member');
    const marks = new Map(rows.filter(([kind]) => kind === 'mark').map(([, writer, , mark]) => [writer, Number(mark)]));
    for (const [, id, node, joinedAt] of members)
      if (!this.#memberships.has(String(id)))
        this.#memberships.set(String(id), {
          node: String(node),
          joinedAt: Number(joinedAt),
          goneAt: Number.POSITIVE_INFINITY,
        });
    const present = new Set(members.map(([, id]) => id));
    for (const [id, membership] of this.#memberships)
      if (!present.has(id) && membership.goneAt === Number.POSITIVE_INFINITY) membership.goneAt = now;
    const nodes = new Set(members.map(([, , node]) => node));
    for (const [node, known] of this.#writers) {
      const mark = marks.get(known.writer);
      if (nodes.has(node)) known.markWhenGone = undefined;
      else if (known.markWhenGone === undefined) known.markWhenGone = mark;
      else if (mark !== undefined && mark > known.markWhenGone) {
        this.#lateTransactions += mark - known.markWhenGone;
        known.markWhenGone = mark;
      }
    }
  }

  /** Empty while the first node has not made the tables, and while the database is away. */
  async #marks(): Promise<ReadonlySet<string>> {
    const asked = this.#database.ask({ sql: 'SELECT writer FROM commit_marks', values: [] });
    const { rows } = await asked.catch(() => ({ rows: [] }));
    return new Set(rows.map(([writer]) => String(writer)));
  }
}
