// The tables of the store, as the list of steps that made them. A step that was released is never edited; a change is a
// new step at the end. Except for the numbered keys, the SQL uses only what other databases understand too.

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
  {
    version: 3,
    statements: [
      `CREATE TABLE approvals (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        run_id TEXT NOT NULL,
        session_key TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        tool_call_id TEXT NOT NULL,
        tool_name TEXT NOT NULL,
        params TEXT NOT NULL,
        digest TEXT NOT NULL,
        requester TEXT NOT NULL,
        policy_version TEXT NOT NULL,
        context_hash TEXT NOT NULL,
        asked_by TEXT NOT NULL,
        title TEXT NOT NULL,
        description TEXT NOT NULL,
        severity TEXT NOT NULL,
        allowed_decisions TEXT NOT NULL,
        rule TEXT,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        timeout_behavior TEXT NOT NULL,
        status TEXT NOT NULL,
        decision TEXT,
        decided_at BIGINT,
        decided_by TEXT
      )`,
      'CREATE INDEX approvals_by_run ON approvals (run_id)',
      'CREATE INDEX approvals_by_status ON approvals (status, expires_at)',
      'CREATE INDEX approvals_by_key ON approvals (session_key)',
      `CREATE TABLE allow_rules (
        id TEXT NOT NULL PRIMARY KEY,
        agent_id TEXT NOT NULL,
        tool_name TEXT NOT NULL,
        argv TEXT NOT NULL,
        cwd TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        created_by TEXT NOT NULL,
        approval_id TEXT
      )`,
      `CREATE TABLE processes (
        id TEXT NOT NULL PRIMARY KEY,
        agent_id TEXT NOT NULL,
        session_key TEXT NOT NULL,
        run_id TEXT NOT NULL,
        pid BIGINT,
        pid_token TEXT,
        command TEXT NOT NULL,
        cwd TEXT NOT NULL,
        output_file TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT,
        exit_code BIGINT,
        signal TEXT,
        status TEXT NOT NULL
      )`,
      'CREATE INDEX processes_by_status ON processes (status)',
      'CREATE INDEX processes_by_key ON processes (session_key, started_at)',
      `CREATE TABLE jobs (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        enabled BOOLEAN NOT NULL,
        schedule TEXT NOT NULL,
        message TEXT NOT NULL,
        session TEXT NOT NULL,
        deliver_to TEXT,
        missed TEXT,
        remove_after_run BOOLEAN NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        created_by TEXT NOT NULL,
        next_at BIGINT
      )`,
      'CREATE INDEX jobs_by_time ON jobs (enabled, next_at)',
      `CREATE TABLE job_slots (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id TEXT NOT NULL,
        slot BIGINT NOT NULL,
        at BIGINT NOT NULL,
        how TEXT NOT NULL,
        run_id TEXT,
        UNIQUE (job_id, slot)
      )`,
      'CREATE INDEX job_slots_by_run ON job_slots (run_id)',
      `CREATE TABLE usage (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL,
        session_key TEXT NOT NULL,
        session_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        at BIGINT NOT NULL,
        purpose TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        input BIGINT NOT NULL,
        output BIGINT NOT NULL,
        cache_read BIGINT NOT NULL,
        cache_write BIGINT NOT NULL,
        cost DOUBLE PRECISION
      )`,
      'CREATE INDEX usage_by_time ON usage (at)',
      'CREATE INDEX usage_by_run ON usage (run_id)',
      'CREATE INDEX usage_by_key ON usage (session_key, at)',
      `CREATE TABLE tool_listings (
        server TEXT NOT NULL PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        tools TEXT NOT NULL,
        listed_at BIGINT NOT NULL
      )`,
    ],
  },
  {
    version: 4,
    statements: [
      `CREATE TABLE plugin_state (
        session_key TEXT NOT NULL,
        plugin_id TEXT NOT NULL,
        namespace TEXT NOT NULL,
        value TEXT,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (session_key, plugin_id, namespace)
      )`,
      'CREATE INDEX plugin_state_by_plugin ON plugin_state (plugin_id)',
      'ALTER TABLE hook_records ADD COLUMN diff TEXT',
    ],
  },
  {
    version: 5,
    statements: [
      'ALTER TABLE sessions ADD COLUMN end_to_tell BOOLEAN NOT NULL DEFAULT 0',
      'CREATE INDEX sessions_to_tell ON sessions (end_to_tell)',
    ],
  },
  {
    version: 6,
    statements: [
      `CREATE TABLE waits (
        run_id TEXT NOT NULL,
        place TEXT NOT NULL,
        session_key TEXT NOT NULL,
        tool_call_id TEXT NOT NULL,
        awaited TEXT NOT NULL,
        is_any_enough BOOLEAN NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        status TEXT NOT NULL,
        reason TEXT,
        PRIMARY KEY (run_id, place)
      )`,
      'CREATE INDEX waits_by_status ON waits (status, expires_at)',
      'CREATE INDEX waits_by_key ON waits (session_key)',
    ],
  },
  {
    version: 7,
    statements: [
      `CREATE TABLE children (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        child_key TEXT NOT NULL UNIQUE,
        parent_key TEXT NOT NULL,
        parent_session_id TEXT NOT NULL,
        parent_agent_id TEXT NOT NULL,
        parent_run_id TEXT NOT NULL,
        call TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        run_id TEXT NOT NULL,
        depth BIGINT NOT NULL,
        mode TEXT NOT NULL,
        context TEXT NOT NULL,
        task TEXT NOT NULL,
        task_name TEXT,
        label TEXT,
        models TEXT NOT NULL,
        tools TEXT NOT NULL,
        origin TEXT NOT NULL,
        bound_to TEXT,
        bound_id TEXT,
        owes BOOLEAN NOT NULL,
        cleanup TEXT NOT NULL,
        run_timeout_ms BIGINT,
        created_at BIGINT NOT NULL,
        ending TEXT,
        ended_at BIGINT,
        outcome TEXT,
        result TEXT,
        error TEXT,
        is_answered BOOLEAN NOT NULL,
        UNIQUE (parent_run_id, call)
      )`,
      'CREATE INDEX children_by_parent ON children (parent_key, is_answered)',
      'CREATE INDEX children_by_end ON children (ended_at)',
      'CREATE INDEX children_by_place ON children (bound_id)',
    ],
  },
  {
    version: 8,
    statements: [
      `CREATE TABLE attachments (
        run_id TEXT NOT NULL,
        hash TEXT NOT NULL,
        session_key TEXT NOT NULL,
        name TEXT NOT NULL,
        mime TEXT NOT NULL,
        size BIGINT NOT NULL,
        at BIGINT NOT NULL,
        PRIMARY KEY (run_id, hash)
      )`,
      'CREATE INDEX attachments_by_hash ON attachments (hash)',
      'CREATE INDEX attachments_by_key ON attachments (session_key, hash)',
    ],
  },
  {
    version: 9,
    statements: [
      `CREATE TABLE drafts (
        run_id TEXT NOT NULL PRIMARY KEY,
        surface TEXT NOT NULL,
        handle TEXT,
        shown_at BIGINT NOT NULL
      )`,
    ],
  },
  {
    version: 10,
    statements: [
      `CREATE TABLE pairings (
        channel TEXT NOT NULL,
        account_id TEXT NOT NULL,
        sender_id TEXT NOT NULL,
        sender_name TEXT,
        surface TEXT NOT NULL,
        code TEXT,
        status TEXT NOT NULL,
        requested_at BIGINT NOT NULL,
        expires_at BIGINT,
        times_told BIGINT NOT NULL,
        approved_at BIGINT,
        approved_by TEXT,
        PRIMARY KEY (channel, account_id, sender_id)
      )`,
      `CREATE TABLE channel_memory (
        channel TEXT NOT NULL,
        account_id TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT,
        at BIGINT NOT NULL,
        PRIMARY KEY (channel, account_id, name)
      )`,
    ],
  },
  {
    version: 11,
    statements: [
      `CREATE TABLE spending (
        subject TEXT NOT NULL,
        per TEXT NOT NULL,
        period TEXT NOT NULL,
        since BIGINT NOT NULL,
        money BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        reserved_money BIGINT NOT NULL,
        reserved_tokens BIGINT NOT NULL,
        unpriced BIGINT NOT NULL,
        warned_at BIGINT,
        PRIMARY KEY (per, period, subject)
      )`,
      `CREATE TABLE reservations (
        run_id TEXT NOT NULL PRIMARY KEY,
        at BIGINT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        money BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        is_unpriced BOOLEAN NOT NULL,
        counters TEXT NOT NULL
      )`,
    ],
  },
  {
    version: 12,
    statements: [
      // Requests of older versions are not indexed yet; the gateway does it in the background.
      'ALTER TABLE captures ADD COLUMN is_indexed BOOLEAN NOT NULL DEFAULT 0',
      'CREATE INDEX captures_to_index ON captures (is_indexed, at)',
      `CREATE TABLE prompt_pieces (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        scope TEXT NOT NULL,
        hash TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        about TEXT NOT NULL,
        used_at BIGINT NOT NULL,
        UNIQUE (scope, hash)
      )`,
      'CREATE INDEX prompt_pieces_by_use ON prompt_pieces (used_at)',
      `CREATE TABLE prompt_receipts (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        session_key TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        at BIGINT NOT NULL,
        sources BIGINT NOT NULL,
        pieces TEXT NOT NULL
      )`,
      'CREATE INDEX prompt_receipts_by_key ON prompt_receipts (session_key, at)',
    ],
  },
  {
    version: 13,
    statements: ['ALTER TABLE waits ADD COLUMN handed TEXT', 'ALTER TABLE waits ADD COLUMN given TEXT'],
  },
  {
    version: 14,
    statements: [
      'ALTER TABLE sessions ADD COLUMN title TEXT',
      'ALTER TABLE sessions ADD COLUMN archived_at BIGINT',
      'ALTER TABLE sessions ADD COLUMN seen_at BIGINT',
      'CREATE INDEX sessions_by_activity ON sessions (active_at, session_id)',
      `CREATE TABLE entry_words (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL,
        position BIGINT NOT NULL,
        agent_id TEXT NOT NULL,
        at BIGINT NOT NULL,
        words TEXT NOT NULL,
        UNIQUE (session_id, position)
      )`,
      // The words are separated already, so the simplest tokenizer finds exactly them. `secure-delete` makes the index
      // forget a word together with its row; otherwise it would stay in the file until the index is merged.
      `CREATE VIRTUAL TABLE entry_words_index USING fts5(
        words, content = 'entry_words', content_rowid = 'seq', tokenize = 'ascii'
      )`,
      "INSERT INTO entry_words_index (entry_words_index, rank) VALUES ('secure-delete', 1)",
      `CREATE TRIGGER entry_words_added AFTER INSERT ON entry_words BEGIN
        INSERT INTO entry_words_index (rowid, words) VALUES (new.seq, new.words);
      END`,
      `CREATE TRIGGER entry_words_removed AFTER DELETE ON entry_words BEGIN
        INSERT INTO entry_words_index (entry_words_index, rowid, words) VALUES ('delete', old.seq, old.words);
      END`,
      `CREATE TRIGGER entry_words_changed AFTER UPDATE OF words ON entry_words BEGIN
        INSERT INTO entry_words_index (entry_words_index, rowid, words) VALUES ('delete', old.seq, old.words);
        INSERT INTO entry_words_index (rowid, words) VALUES (new.seq, new.words);
      END`,
      `CREATE TABLE entries_to_index (
        session_id TEXT NOT NULL,
        position BIGINT NOT NULL,
        PRIMARY KEY (session_id, position)
      )`,
      // What older versions have written is indexed in the background.
      'INSERT INTO entries_to_index (session_id, position) SELECT session_id, position FROM transcript',
    ],
  },
  {
    version: 15,
    statements: [
      `CREATE TABLE file_versions (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        agent_id TEXT NOT NULL,
        name TEXT NOT NULL,
        at BIGINT NOT NULL,
        author TEXT NOT NULL,
        text TEXT,
        hash TEXT NOT NULL
      )`,
      'CREATE INDEX file_versions_by_file ON file_versions (agent_id, name, seq)',
    ],
  },
  {
    version: 16,
    statements: [
      'ALTER TABLE sessions ADD COLUMN branch_of TEXT',
      'ALTER TABLE sessions ADD COLUMN branch_at BIGINT',
      'CREATE INDEX sessions_by_origin ON sessions (branch_of) WHERE branch_of IS NOT NULL',
    ],
  },
  {
    version: 17,
    statements: [
      `CREATE TABLE uploads (
        id TEXT NOT NULL PRIMARY KEY,
        hash TEXT NOT NULL,
        name TEXT NOT NULL,
        mime TEXT NOT NULL,
        size BIGINT NOT NULL,
        at BIGINT NOT NULL,
        used_by TEXT
      )`,
      'CREATE INDEX uploads_by_time ON uploads (at)',
    ],
  },
  {
    version: 18,
    statements: ['ALTER TABLE runs ADD COLUMN node TEXT'],
  },
  {
    version: 19,
    statements: [
      'ALTER TABLE runs ADD COLUMN stop_reason TEXT',
      `CREATE TABLE lane_holds (
        id TEXT NOT NULL PRIMARY KEY,
        session_key TEXT NOT NULL,
        node TEXT NOT NULL
      )`,
      'CREATE INDEX lane_holds_by_key ON lane_holds (session_key)',
    ],
  },
  {
    version: 20,
    statements: ['ALTER TABLE jobs ADD COLUMN model TEXT', 'ALTER TABLE jobs ADD COLUMN timeout_seconds BIGINT'],
  },
  {
    version: 21,
    statements: ['ALTER TABLE jobs ADD COLUMN fallbacks TEXT'],
  },
];
