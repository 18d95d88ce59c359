// What the cluster asks of the tables `nodes` and `duties`. Every time is the database's, so that the clocks of the nodes
// do not matter.
//
// Locks: a node holds an advisory lock on its name over the connection that renews its lease, so that the lock is free as soon as the
// process is gone. Every transaction that commits for a member holds a shared lock on the member's id (`member-lock-name.ts`).
//
// How a member is expelled: first its row is marked, and from then on it cannot renew its lease. Then the backends that have one of
// its transactions open are ended, and the row is deleted, which waits until the last of them is over. The others learn of it after that.

import { memberLockName } from '../store/postgres/member-lock-name.ts';
import type { HeldConnection, SqlAnswer } from '../store/postgres/postgres-connection.ts';
import type { Member, WorkspaceIds } from './cluster.ts';

export interface ClusterLook {
  /** Whether the asking member is one still; its lease was renewed then. */
  readonly isMember: boolean;
  /** Every member with a number up to this one is in the list, or is gone for ever. */
  readonly lastNumber: number;
  readonly members: readonly Member[];
  /** The ids of those that must be expelled: they do not renew their lease, or their process is gone. */
  readonly silent: readonly string[];
  /** The time of the database's clock. */
  readonly serverNow: number | undefined;
  /** So long from now the next lease of another member would end. Undefined without others. */
  readonly nextEndMs: number | undefined;
  /** The id of the member that has it, by the name of the duty. */
  readonly duties: ReadonlyMap<string, string>;
  /** The duties that a member takes part in, by its id. Members that take no new ones, and those of older versions, are not in it. */
  readonly shares: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What is said to the other nodes about the members themselves. The rows say the rest. */
export type MemberNews = 'joined' | 'left' | 'expelled' | 'draining' | 'duty';

/** A row that cannot be deleted within this time is held by a transaction that must be ended. */
const ROW_WAIT_MS = 300;
/** So long after its last renewal a member may be without its connection before it counts as dead. */
const RECONNECT_MS = 700;
const LOCK_NOT_AVAILABLE = '55P03';

type Ask = HeldConnection['ask'];

export class ClusterRows {
  /** The name under which the nodes of one schema hear each other. */
  readonly channel: string;
  readonly #schema: string;
  readonly #leaseMs: number;
  /** What is left of a lease when a member has had its time to come back. */
  readonly #graceLeft: number;

  constructor({ schema, leaseMs }: { readonly schema: string; readonly leaseMs: number }) {
    this.#schema = schema;
    this.#leaseMs = leaseMs;
    this.#graceLeft = Math.max(0, leaseMs - RECONNECT_MS);
    // A channel has a name of at most 63 bytes, and so has a schema.
    this.channel = `a_${schema}`.slice(0, 63);
  }

  /** Takes the lock on the name for as long as the connection lasts. Returns the backend's number, or undefined when another one has it. */
  async lockName(ask: Ask, node: string): Promise<number | undefined> {
    const sql = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)), pg_backend_pid()';
    const [isLocked, backend] = (await ask({ sql, values: [this.#nameLock(node)] })).rows[0] ?? [];
    return isLocked === 't' ? Number(backend) : undefined;
  }

  /** Ends the backend of a connection of this node that is gone, while the server has not noticed it yet. */
  async endBackend(ask: Ask, node: string, backend: number): Promise<void> {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ${IS_ADVISORY} AND ${LOCK_KEY} = hashtextextended($1, 0) AND pid = $2`;
    await ask({ sql, values: [this.#nameLock(node), backend] });
  }

  async listen(ask: Ask): Promise<void> {
    await ask({ sql: `LISTEN "${this.channel}"`, values: [] });
  }

  async join(
    ask: Ask,
    { node, process, url, version, tables, backend, status, workspaces }: JoiningNode,
  ): Promise<{ readonly id: string; readonly number: number; readonly status: Member['status'] }> {
    const sql = `WITH numbered AS (UPDATE node_numbers SET last = last + 1 RETURNING last),
      forgotten AS (DELETE FROM drained_nodes WHERE name = $1 AND process IS DISTINCT FROM $10),
      joined AS (
        INSERT INTO nodes (id, name, number, url, version, tables, joined_at, status, lease_until, backend, workspaces, process)
        SELECT $1 || '#' || last, $1, last, $2, $3, $4, ${NOW_MS},
          CASE WHEN EXISTS (SELECT FROM drained_nodes d WHERE d.name = $1 AND d.process = $10) THEN 'draining' ELSE $5 END, ${LEASE_END('$6')}, $7, $9, coalesce($10, $1 || '#' || last) FROM numbered
        RETURNING id, number, status
      )
      SELECT id, number, status, pg_notify($8, '!joined ' || id) FROM joined`;
    const values = [
      node,
      url,
      version,
      tables,
      status,
      this.#leaseMs,
      backend,
      this.channel,
      JSON.stringify(workspaces),
      process,
    ];
    const [id, number, given] = (await ask({ sql, values })).rows[0] ?? [];
    return { id: String(id), number: Number(number), status: given === 'draining' ? 'draining' : 'up' };
  }

  /** Renews the lease of a member, says which duties it takes part in, and reads what the others are. */
  async look(ask: Ask, memberId: string, shares: readonly string[]): Promise<ClusterLook> {
    const sql = `WITH mine AS (
        UPDATE nodes SET lease_until = ${LEASE_END('$2')}, shares = $5 WHERE id = $1 AND status <> 'expelled' RETURNING id
      )
      SELECT n.id, n.name, n.url, n.version, n.joined_at, n.status, n.workspaces, n.process, (SELECT last FROM node_numbers), (SELECT count(*) FROM mine),
        n.id <> $1 AND ${IS_SILENT('n.', '$3', '$4')},
        extract(epoch FROM min(n.lease_until) FILTER (WHERE n.id <> $1) OVER () - clock_timestamp()) * 1000, n.shares, ${NOW_MS}
      FROM nodes n ORDER BY n.number`;
    const asked = ask({
      sql,
      values: [memberId, this.#leaseMs, this.#nameLock(''), this.#graceLeft, JSON.stringify(shares)],
    });
    const duties = ask({ sql: 'SELECT name, node FROM duties', values: [] });
    const [{ rows }, held] = await Promise.all([asked, duties]);
    return {
      isMember: Number(rows[0]?.[9] ?? 0) > 0,
      lastNumber: Number(rows[0]?.[8] ?? 0),
      members: membersOf(rows),
      silent: rows.flatMap((row) => (row[10] === 't' ? [String(row[0])] : [])),
      serverNow: rows[0]?.[13] == null ? undefined : Number(rows[0][13]),
      nextEndMs: rows[0]?.[11] == null ? undefined : Number(rows[0][11]),
      duties: new Map(held.rows.map(([name, node]) => [String(name), String(node)])),
      // What this member shares now, its row says only after this look.
      shares: new Map(
        rows
          .filter(([, , , , , status]) => status === 'up')
          .flatMap(([id, ...rest]) => {
            const names =
              id === memberId ? shares : rest[11] == null ? undefined : (JSON.parse(rest[11]) as readonly string[]);
            return names ? [[String(id), new Set(names)] as const] : [];
          }),
      ),
    };
  }

  /** All members that have a row, for a program that is no node: some of them may be silent, and there may be no node that expels them. */
  async list(ask: Ask): Promise<readonly (Member & { readonly isSilent: boolean })[]> {
    const sql = `SELECT id, name, url, version, joined_at, status, workspaces, process, lease_until < clock_timestamp() FROM nodes
      WHERE status <> 'expelled' ORDER BY number`;
    const { rows } = await ask({ sql, values: [] });
    return membersOf(rows).map((member, index) => ({ ...member, isSilent: rows[index]?.[8] === 't' }));
  }

  /** The row of the node with this name, whatever its lease is. */
  async memberNamed(ask: Ask, node: string): Promise<string | undefined> {
    const { rows } = await ask({ sql: 'SELECT id FROM nodes WHERE name = $1', values: [node] });
    return rows[0]?.[0] ?? undefined;
  }

  /**
   * Expels a member. When it resolves, nothing more is stored for that member. Without `isForced` it does so only if the
   * member is still silent. Returns whether the member is expelled now.
   */
  async expel(ask: Ask, memberId: string, { isForced = false } = {}): Promise<boolean> {
    const mark = `UPDATE nodes SET status = 'expelled' WHERE id = $1 AND ($2::boolean OR ${IS_SILENT('', '$3', '$4')}) RETURNING name, backend`;
    const marked = await ask({ sql: mark, values: [memberId, String(isForced), this.#nameLock(''), this.#graceLeft] });
    const [node, backend] = marked.rows[0] ?? [];
    if (node == null) return false;
    do {
      await this.endBackend(ask, node, Number(backend));
      await this.#endTransactions(ask, memberId);
    } while (!(await this.#deleteRow(ask, memberId, 'expelled')));
    return true;
  }

  /** What an operator does: also a member that is not silent is expelled, and when it joins again it takes work again. */
  async remove(ask: Ask, memberId: string): Promise<void> {
    await ask({
      sql: 'DELETE FROM drained_nodes d USING nodes n WHERE n.id = $1 AND d.name = n.name',
      values: [memberId],
    });
    await this.expel(ask, memberId, { isForced: true });
  }

  async leave(ask: Ask, memberId: string): Promise<void> {
    await this.#deleteRow(ask, memberId, 'left');
  }

  /** It holds for the process, also when that is expelled and joins again. */
  async drain(ask: Ask, memberId: string): Promise<void> {
    const sql = `WITH drained AS (UPDATE nodes SET status = 'draining' WHERE id = $1 AND status = 'up' RETURNING id, name, process),
      kept AS (
        INSERT INTO drained_nodes (name, process) SELECT name, coalesce(process, id) FROM drained
        ON CONFLICT (name) DO UPDATE SET process = excluded.process
      )
      SELECT pg_notify($2, '!draining ' || id) FROM drained`;
    await ask({ sql, values: [memberId, this.channel] });
  }

  async writeUrl(ask: Ask, memberId: string, url: string): Promise<void> {
    await ask({ sql: 'UPDATE nodes SET url = $2 WHERE id = $1', values: [memberId, url] });
  }

  async writeWorkspaces(ask: Ask, memberId: string, ids: WorkspaceIds): Promise<void> {
    await ask({ sql: 'UPDATE nodes SET workspaces = $2 WHERE id = $1', values: [memberId, JSON.stringify(ids)] });
  }

  /** Takes a duty that no member has. Returns whether it was taken. */
  async takeDuty(ask: Ask, memberId: string, name: string): Promise<boolean> {
    const sql = `INSERT INTO duties (name, node, taken_at) SELECT $2, id, ${NOW_MS} FROM nodes WHERE id = $1 AND status = 'up'
      ON CONFLICT (name) DO NOTHING`;
    return (await ask({ sql, values: [memberId, name] })).count > 0;
  }

  async giveUpDuty(ask: Ask, memberId: string, name: string): Promise<void> {
    const sql = `WITH given AS (DELETE FROM duties WHERE name = $2 AND node = $1 RETURNING name)
      SELECT pg_notify($3, '!duty ' || $1) FROM given`;
    await ask({ sql, values: [memberId, name, this.channel] });
  }

  async notify(ask: Ask, texts: readonly string[]): Promise<void> {
    await ask({ sql: 'SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text', values: [this.channel, texts] });
  }

  /** Ends the backends that have a transaction of this member open, for example because its process is frozen. */
  async #endTransactions(ask: Ask, memberId: string): Promise<void> {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ${IS_ADVISORY} AND ${LOCK_KEY} = hashtextextended($1, 0) AND pid <> pg_backend_pid()`;
    await ask({ sql, values: [memberLockName(this.#schema, memberId)] });
  }

  /** Returns false when a transaction of that member kept the row for too long. */
  async #deleteRow(ask: Ask, memberId: string, news: 'left' | 'expelled'): Promise<boolean> {
    const sql = `WITH gone AS (DELETE FROM nodes WHERE id = $1 RETURNING id) SELECT pg_notify($2, $3 || id) FROM gone`;
    const steps = [
      { sql: 'BEGIN', values: [] },
      { sql: `SET LOCAL lock_timeout TO ${ROW_WAIT_MS}`, values: [] },
      { sql, values: [memberId, this.channel, `!${news} `] },
      { sql: 'COMMIT', values: [] },
    ];
    const answers = await Promise.allSettled(steps.map(ask));
    // A transaction that failed is taken back by its COMMIT.
    const failed = answers.find((answer): answer is PromiseRejectedResult => answer.status === 'rejected');
    if (!failed) return true;
    if ((failed.reason as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw failed.reason;
    return false;
  }

  #nameLock(node: string): string {
    return `atrium ${this.#schema} node ${node}`;
  }
}

export interface JoiningNode {
  readonly node: string;
  /** Null for a process that joins for the first time. */
  readonly process: string | null;
  readonly url: string | null;
  readonly version: string;
  /** The newest version of the tables that this program knows. */
  readonly tables: number;
  readonly status: Member['status'];
  readonly backend: number;
  readonly workspaces: WorkspaceIds;
}

/**
 * Whether a member must be expelled: its lease is over, or its process is gone. A connection may also have been cut and come back at once,
 * so the lock alone says nothing before the last renewal is some time ago.
 */
const IS_SILENT = (table: string, lockName: string, graceLeft: string) =>
  `(${table}status = 'expelled' OR ${table}lease_until < clock_timestamp() OR (${table}lease_until < ${LEASE_END(graceLeft)}
    AND pg_try_advisory_xact_lock_shared(hashtextextended(${lockName} || ${table}name, 0))))`;
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const LEASE_END = (mark: string) => `clock_timestamp() + ${mark} * interval '1 millisecond'`;
/** How `pg_locks` shows an advisory lock with one number. */
const IS_ADVISORY = `locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const LOCK_KEY = '((classid::bigint << 32) | objid::bigint)';

function membersOf(rows: SqlAnswer['rows']): readonly Member[] {
  return rows.flatMap(([id, node, url = null, version, joinedAt, status, workspaces, process]) =>
    status === 'expelled'
      ? []
      : [
          {
            id: String(id),
            node: String(node),
            process: process ?? String(id),
            url,
            version: String(version),
            joinedAt: Number(joinedAt),
            status: status === 'draining' ? 'draining' : 'up',
            workspaces: JSON.parse(workspaces ?? '{}'),
          },
        ],
  );
}
