// What a Store does, without durability: the same rules on lists in memory, written to be read. The suite compares
// every backend with it. It is not made for speed, and it uses the sequence numbers that the backend gave.

import { CeilingPassedError, ClaimLostError, PreconditionFailedError } from './errors.ts';
import type { CommitOptions, Condition, Query, Where, Write } from './store.ts';
import { tableOf } from './table-of.ts';
import type { TableName, Tables } from './tables.ts';

type Row = Readonly<Record<string, unknown>>;
type State = Readonly<Partial<Record<TableName, readonly Row[]>>>;

/**
 * A key is a list of fields. It must be unique among the rows in which none of the fields is null, or among those that
 * `only` selects.
 */
export const STORE_KEYS: { readonly [T in TableName]: readonly StoreKey[] } = {
  sessions: [{ fields: ['sessionId'] }, { fields: ['sessionKey'], only: ({ endedAt }) => endedAt === null }],
  transcript: [{ fields: ['sessionId', 'position'] }],
  inbox: [{ fields: ['seq'] }, { fields: ['dedupeKey'] }],
  runs: [{ fields: ['runId'] }],
  laneHolds: [{ fields: ['id'] }],
  journal: [{ fields: ['runId', 'position'] }],
  outbox: [{ fields: ['seq'] }, { fields: ['runId', 'part'] }],
  deadLetters: [{ fields: ['id'] }],
  injections: [{ fields: ['seq'] }, { fields: ['id'] }, { fields: ['owner', 'sessionKey', 'idempotencyKey'] }],
  parts: [{ fields: ['hash'] }],
  captures: [{ fields: ['runId', 'call'] }],
  promptPieces: [{ fields: ['seq'] }, { fields: ['scope', 'hash'] }],
  promptReceipts: [{ fields: ['seq'] }, { fields: ['runId'] }],
  hookRecords: [{ fields: ['seq'] }],
  approvals: [{ fields: ['seq'] }, { fields: ['id'] }],
  waits: [{ fields: ['runId', 'place'] }],
  allowRules: [{ fields: ['id'] }],
  processes: [{ fields: ['id'] }],
  jobs: [{ fields: ['id'] }],
  jobSlots: [{ fields: ['seq'] }, { fields: ['jobId', 'slot'] }],
  usage: [{ fields: ['seq'] }],
  spending: [{ fields: ['per', 'period', 'subject'] }],
  reservations: [{ fields: ['runId'] }],
  toolListings: [{ fields: ['server'] }],
  pluginState: [{ fields: ['sessionKey', 'pluginId', 'namespace'] }],
  children: [{ fields: ['seq'] }, { fields: ['childKey'] }, { fields: ['parentRunId', 'call'] }],
  attachments: [{ fields: ['runId', 'hash'] }],
  uploads: [{ fields: ['id'] }],
  drafts: [{ fields: ['runId'] }],
  pairings: [{ fields: ['channel', 'accountId', 'senderId'] }],
  channelMemory: [{ fields: ['channel', 'accountId', 'name'] }],
  entryWords: [{ fields: ['seq'] }, { fields: ['sessionId', 'position'] }],
  entriesToIndex: [{ fields: ['sessionId', 'position'] }],
  fileVersions: [{ fields: ['seq'] }],
};

export interface StoreKey {
  readonly fields: readonly string[];
  readonly only?: (row: Row) => boolean;
}

export class StoreModel {
  #state: State = {};

  /**
   * Makes a commit and returns how many rows each write changed, or throws as the contract says and changes nothing.
   */
  commit(writes: readonly Write[], { claim }: CommitOptions, numbers: readonly (number | undefined)[]): number[] {
    if (claim) {
      const run = this.#rows('runs').find(({ runId }) => runId === claim.runId);
      const isOpen = run?.status === 'running' || run?.status === 'suspended';
      if (!isOpen || run?.claim !== claim.claim) throw new ClaimLostError({ runId: claim.runId, claim: claim.claim });
    }
    const before = this.#state;
    try {
      return writes.map((write, index) => this.#write(write, numbers[index]));
    } catch (error) {
      this.#state = before;
      throw error;
    }
  }

  select<T extends TableName>(table: T, { where = {}, orderBy = [], limit }: Query<T> = {}): readonly Tables[T][] {
    const sorted = this.#rows(table)
      .filter((row) => matches(row, where))
      .sort((a, b) => {
        for (const [field, direction] of orderBy) {
          const order = compare(a[field], b[field]);
          if (order !== 0) return direction === 'asc' ? order : -order;
        }
        return 0;
      });
    return sorted.slice(0, limit) as unknown as Tables[T][];
  }

  #write(write: Write, seq: number | undefined): number {
    if ('insert' in write) {
      const rows = this.#rows(write.insert);
      const row = seq === undefined ? { ...write.row } : { ...write.row, seq };
      if (!hasDuplicates(write.insert, [...rows, row])) {
        this.#save(write.insert, [...rows, row]);
        return 1;
      }
      if (write.onConflict === 'ignore') return 0;
      throw new PreconditionFailedError({ table: write.insert, problem: 'has a row of this key already' });
    }
    const table = tableOf(write);
    const rows = this.#rows(table);
    const hit = rows.filter((row) => matches(row, write.where));
    if ('add' in write) {
      for (const { of, most } of write.ceilings ?? []) {
        const isAbove = hit.some(
          (row) => of.reduce((sum, field) => sum + numberIn(added(row, write.by), field), 0) > most,
        );
        if (isAbove) throw new CeilingPassedError({ table, columns: of, most });
      }
    }
    if (write.expect !== undefined && hit.length !== write.expect) {
      throw new PreconditionFailedError({ table, problem: `has ${hit.length} such rows instead of ${write.expect}` });
    }
    const after =
      'update' in write
        ? rows.map((row) => (hit.includes(row) ? { ...row, ...write.set } : row))
        : 'add' in write
          ? rows.map((row) => (hit.includes(row) ? added(row, write.by) : row))
          : rows.filter((row) => !hit.includes(row));
    if (hasDuplicates(table, after))
      throw new PreconditionFailedError({ table, problem: 'has a row of this key already' });
    this.#save(table, after);
    return hit.length;
  }

  #rows(table: TableName): readonly Row[] {
    return this.#state[table] ?? [];
  }

  #save(table: TableName, rows: readonly Row[]): void {
    this.#state = { ...this.#state, [table]: rows };
  }
}

function added(row: Row, by: Readonly<Record<string, number | undefined>>): Row {
  const sums = Object.entries(by).map(([field, amount = 0]) => [field, numberIn(row, field) + amount]);
  return { ...row, ...Object.fromEntries(sums) };
}

function numberIn(row: Row, field: string): number {
  return row[field] as number;
}

function hasDuplicates(table: TableName, rows: readonly Row[]): boolean {
  return STORE_KEYS[table].some(({ fields, only = (row) => fields.every((field) => row[field] !== null) }) => {
    const keys = rows.filter(only).map((row) => JSON.stringify(fields.map((field) => row[field])));
    return new Set(keys).size < keys.length;
  });
}

function matches(row: Row, where: Where<TableName>): boolean {
  return Object.entries(where).every(([field, condition]) => holds(row[field], condition as Condition | undefined));
}

function holds(value: unknown, condition: Condition | undefined): boolean {
  if (condition === undefined) return true;
  if (typeof condition !== 'object' || condition === null) return value === condition;
  if ('in' in condition) return condition.in.some((one) => one === value);
  if ('not' in condition) return value !== condition.not;
  if (value === null) return false;
  if ('contains' in condition) {
    const letters = (text: string) => (condition.ignoresCase ? text.replace(/[A-Z]/g, (c) => c.toLowerCase()) : text);
    return letters(String(value)).includes(letters(condition.contains));
  }
  if ('phrases' in condition) return condition.phrases.every((phrase) => ` ${String(value)}`.includes(` ${phrase}`));
  if ('gt' in condition) return compare(value, condition.gt) > 0;
  if ('gte' in condition) return compare(value, condition.gte) >= 0;
  if ('lt' in condition) return compare(value, condition.lt) < 0;
  return compare(value, condition.lte) <= 0;
}

function compare(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}
