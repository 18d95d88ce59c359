// The databases in which OpenClaw keeps its state since the summer of 2026: one for the home and one for each agent. They
// are read from a private copy, so that nothing is written beside them, not even a lock. The caller that opens one closes
// it, and then the copy is removed. Tables that a version does not have are empty.

import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase, type Statement } from './database.ts';

export interface OpenClawSession {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly startedAt: number;
  readonly activeAt: number;
  readonly updatedAt: number;
  readonly isCurrent: boolean;
  /** How many events it has. */
  readonly events: number;
  /** What OpenClaw notes about the key, in JSON; undefined where a version notes nothing. */
  readonly entry: string | undefined;
  /** The events were moved out of the tables that are read. */
  readonly isArchived: boolean;
}

export class OpenClawDatabase {
  readonly #database: Database;
  readonly #copyDir: string;
  readonly #tables: ReadonlySet<string>;
  readonly #statements = new Map<string, Statement>();

  private constructor(database: Database, copyDir: string) {
    this.#database = database;
    this.#copyDir = copyDir;
    const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as unknown[][];
    this.#tables = new Set(names.map(([name]) => String(name)));
  }

  /** `workDir` is where the copy is made. Rejects with the error of the file system or of the library. */
  static async open(file: string, workDir: string): Promise<OpenClawDatabase> {
    await mkdir(workDir, { recursive: true, mode: 0o700 });
    const copyDir = await mkdtemp(join(workDir, 'import-'));
    try {
      const copy = join(copyDir, 'copy.sqlite');
      const before = await stampOf(file);
      await copyFile(file, copy);
      await copyFile(`${file}-wal`, `${copy}-wal`).catch(() => undefined);
      if ((await stampOf(file)) !== before) throw new Error('it was changed while it was read; stop OpenClaw first');
      const database = await openDatabase(copy, { busyMs: 1_000 });
      return new OpenClawDatabase(database, copyDir);
    } catch (error) {
      await rm(copyDir, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#database.close();
    await rm(this.#copyDir, { recursive: true, force: true });
  }

  /** How many rows a table has; a table that is not there has none. */
  count(table: string): number {
    return Number(this.#all(table, `SELECT count(*) FROM ${table}`)[0]?.[0] ?? 0);
  }

  sessions(): readonly OpenClawSession[] {
    const entry = this.#has('session_nodes', 'entry_json') ? 'n.entry_json' : 'NULL';
    const archived = this.#tables.has('session_transcript_cold_archives')
      ? 'EXISTS (SELECT 1 FROM session_transcript_cold_archives c WHERE c.session_id = w.session_id)'
      : '0';
    const rows = this.#all(
      'session_windows',
      `SELECT w.session_id, w.session_key, coalesce(w.started_at, w.created_at), w.updated_at,
        coalesce(n.last_interaction_at, n.last_activity_at, w.updated_at), n.current_session_id = w.session_id,
        (SELECT count(*) FROM transcript_events e WHERE e.session_id = w.session_id), ${entry}, ${archived}
      FROM session_windows w JOIN session_nodes n ON n.session_key = w.session_key ORDER BY w.created_at, w.session_id`,
    );
    return rows.map(
      ([sessionId, sessionKey, startedAt, updatedAt, activeAt, isCurrent, events, entry, isArchived]) => ({
        sessionId: String(sessionId),
        sessionKey: String(sessionKey),
        startedAt: Number(startedAt),
        updatedAt: Number(updatedAt),
        activeAt: isCurrent ? Number(activeAt) : Number(updatedAt),
        isCurrent: Boolean(isCurrent),
        events: Number(events),
        entry: isCurrent && typeof entry === 'string' ? entry : undefined,
        isArchived: Boolean(isArchived),
      }),
    );
  }

  /** Whether OpenClaw has noted which events of a session are its active line of talk. */
  hasActiveLine(sessionId: string): boolean {
    const table = 'session_transcript_active_events';
    return this.#all(table, `SELECT 1 FROM ${table} WHERE session_id = ? LIMIT 1`, sessionId).length > 0;
  }

  /** The events of a session in their order, a page at a time: the active line when it is noted, else all of them. */
  *events(sessionId: string): Generator<{ readonly seq: number; readonly json: string | Uint8Array }> {
    const isNoted = this.hasActiveLine(sessionId);
    const sql = isNoted
      ? `SELECT a.active_position, e.seq, coalesce(e.event_json, e.event_zstd) FROM session_transcript_active_events a
         JOIN transcript_events e ON e.session_id = a.session_id AND e.seq = a.event_seq
         WHERE a.session_id = ? AND a.active_position > ? ORDER BY a.active_position LIMIT ${PAGE}`
      : `SELECT seq, seq, coalesce(event_json, event_zstd) FROM transcript_events
         WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`;
    for (let from = -1; ; ) {
      const rows = this.#all('transcript_events', sql, sessionId, from);
      for (const [position, seq, json] of rows) {
        from = Number(position);
        yield { seq: Number(seq), json: json instanceof Uint8Array ? json : String(json) };
      }
      if (rows.length < PAGE) return;
    }
  }

  /** The jobs as OpenClaw writes them, in JSON. */
  jobs(): readonly string[] {
    return this.#all('cron_jobs', 'SELECT job_json FROM cron_jobs ORDER BY sort_order, job_id').map(([json]) =>
      String(json),
    );
  }

  allowed(): readonly { readonly channel: string; readonly accountId: string; readonly entry: string }[] {
    const rows = this.#all(
      'channel_pairing_allow_entries',
      'SELECT channel_key, account_id, entry FROM channel_pairing_allow_entries ORDER BY channel_key, account_id, sort_order',
    );
    return rows.map(([channel, accountId, entry]) => ({
      channel: String(channel),
      accountId: String(accountId),
      entry: String(entry),
    }));
  }

  /** The stores of auth profiles, in JSON. That of all agents stands among the settings of the machine since 2026.9. */
  authProfiles(): readonly string[] {
    const shared = "SELECT value_json FROM config_machine_state WHERE state_key = 'authProfiles.store'";
    return [
      ...this.#all('auth_profile_store', 'SELECT store_json FROM auth_profile_store'),
      ...this.#all('config_machine_state', shared),
    ].map(([json]) => String(json));
  }

  #has(table: string, column: string): boolean {
    const columns = this.#database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as unknown[][];
    return columns.some(([name]) => name === column);
  }

  #all(table: string, sql: string, ...values: readonly (string | number)[]): readonly (readonly unknown[])[] {
    if (!this.#tables.has(table)) return [];
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values) as unknown as readonly (readonly unknown[])[];
  }
}

const PAGE = 200;

async function stampOf(file: string): Promise<string> {
  const stamps = await Promise.all(
    [file, `${file}-wal`].map((each) =>
      stat(each).then(
        ({ size, mtimeMs }) => `${size}/${mtimeMs}`,
        () => '',
      ),
    ),
  );
  return stamps.join();
}
