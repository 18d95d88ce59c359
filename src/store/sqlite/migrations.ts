// The tables of the store, as the list of steps that made them what they are. A step that was released is never edited;
// a change is a new step at the end. The SQL keeps to what other databases understand too, but for the numbered keys.

export interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE sessions (
        session_id TEXT NOT NULL PRIMARY KEY,
        session_key TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        active_at BIGINT NOT NULL,
        ended_at BIGINT,
        end_reason TEXT,
        surface TEXT,
        resumed_from TEXT,
        state TEXT NOT NULL
      )`,
      'CREATE UNIQUE INDEX sessions_open ON sessions (session_key) WHERE ended_at IS NULL',
      'CREATE INDEX sessions_by_key ON sessions (session_key, started_at)',
      `CREATE TABLE transcript (
        session_id TEXT NOT NULL,
        position BIGINT NOT NULL,
        run_id TEXT NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT NOT NULL,
        message TEXT NOT NULL,
        shown TEXT,
        meta TEXT NOT NULL,
        PRIMARY KEY (session_id, position)
      )`,
      'CREATE INDEX transcript_by_run ON transcript (run_id)',
      `CREATE TABLE inbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL,
        session_key TEXT NOT NULL,
        kind TEXT NOT NULL,
        dedupe_key TEXT UNIQUE,
        payload TEXT,
        accepted_at BIGINT NOT NULL,
        status TEXT NOT NULL
      )`,
      'CREATE INDEX inbox_by_status ON inbox (status, session_key, seq)',
      'CREATE INDEX inbox_by_run ON inbox (run_id)',
      `CREATE TABLE runs (
        run_id TEXT NOT NULL PRIMARY KEY,
        session_key TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        session_id TEXT,
        status TEXT NOT NULL,
        claim BIGINT NOT NULL,
        progress_claim BIGINT NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT,
        outcome TEXT,
        observed BOOLEAN NOT NULL
      )`,
      'CREATE INDEX runs_by_key ON runs (session_key, started_at)',
      'CREATE INDEX runs_by_status ON runs (status)',
      `CREATE TABLE journal (
        run_id TEXT NOT NULL,
        position BIGINT NOT NULL,
        kind TEXT NOT NULL,
        at BIGINT NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (run_id, position)
      )`,
      `CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL,
        part BIGINT NOT NULL,
        session_key TEXT NOT NULL,
        surface TEXT NOT NULL,
        surface_id TEXT NOT NULL,
        text TEXT NOT NULL,
        options TEXT NOT NULL,
        status TEXT NOT NULL,
        attempts BIGINT NOT NULL,
        next_at BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        receipt TEXT,
        error TEXT,
        UNIQUE (run_id, part)
      )`,
      'CREATE INDEX outbox_by_status ON outbox (status, next_at)',
      'CREATE INDEX outbox_by_surface ON outbox (surface_id, seq)',
      'CREATE INDEX outbox_by_key ON outbox (session_key)',
      `CREATE TABLE dead_letters (
        id TEXT NOT NULL PRIMARY KEY,
        direction TEXT NOT NULL,
        run_id TEXT NOT NULL,
        session_key TEXT NOT NULL,
        reason TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        payload TEXT
      )`,
      `CREATE TABLE injections (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        session_key TEXT NOT NULL,
        idempotency_key TEXT,
        placement TEXT NOT NULL,
        text TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        status TEXT NOT NULL,
        run_id TEXT,
        UNIQUE (owner, session_key, idempotency_key)
      )`,
      'CREATE INDEX injections_by_key ON injections (session_key, status, seq)',
      'CREATE INDEX injections_by_run ON injections (run_id)',
      `CREATE TABLE parts (
        hash TEXT NOT NULL PRIMARY KEY,
        text TEXT NOT NULL,
        size BIGINT NOT NULL,
        used_at BIGINT NOT NULL
      )`,
      'CREATE INDEX parts_by_use ON parts (used_at)',
      `CREATE TABLE captures (
        run_id TEXT NOT NULL,
        call BIGINT NOT NULL,
        at BIGINT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        envelope TEXT NOT NULL,
        manifest TEXT NOT NULL,
        size BIGINT NOT NULL,
        PRIMARY KEY (run_id, call)
      )`,
      'CREATE INDEX captures_by_time ON captures (at)',
      `CREATE TABLE hook_records (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT,
        session_key TEXT,
        hook TEXT NOT NULL,
        handler TEXT NOT NULL,
        owner TEXT NOT NULL,
        at BIGINT NOT NULL,
        ms DOUBLE PRECISION NOT NULL,
        outcome TEXT NOT NULL,
        error TEXT,
        changed TEXT NOT NULL
      )`,
      'CREATE INDEX hook_records_by_run ON hook_records (run_id)',
    ],
  },
  {
    version: 2,
    statements: ['ALTER TABLE inbox ADD COLUMN fingerprint TEXT'],
  },
];
