// The tables of the store in Postgres, as the list of steps that made them. A step that was released is never edited; a
// change is a new step at the end, and one that two versions of Atrium can work with: a node of the version before may
// still be running. Texts are ordered by their code points, as the contract says, whatever the database's own order is.

export interface Migration {
  readonly version: number;
  /**
   * Set for a step that takes something away: the oldest version that a program must know to work with the tables after it. While a
   * node runs that knows less, the step is refused. So a change that older programs cannot live with is made in two releases: the first one
   * adds what is new and stops using what is old, the second one takes it away.
   */
  readonly worksFrom?: number | undefined;
  readonly statements: readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE allow_rules (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        agent_id TEXT COLLATE "C" NOT NULL,
        tool_name TEXT COLLATE "C" NOT NULL,
        argv TEXT COLLATE "C" NOT NULL,
        cwd TEXT COLLATE "C" NOT NULL,
        created_at BIGINT NOT NULL,
        created_by TEXT COLLATE "C" NOT NULL,
        approval_id TEXT COLLATE "C"
      )`,
      `CREATE TABLE approvals (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id TEXT COLLATE "C" NOT NULL UNIQUE,
        run_id TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        tool_call_id TEXT COLLATE "C" NOT NULL,
        tool_name TEXT COLLATE "C" NOT NULL,
        params TEXT COLLATE "C" NOT NULL,
        digest TEXT COLLATE "C" NOT NULL,
        requester TEXT COLLATE "C" NOT NULL,
        policy_version TEXT COLLATE "C" NOT NULL,
        context_hash TEXT COLLATE "C" NOT NULL,
        asked_by TEXT COLLATE "C" NOT NULL,
        title TEXT COLLATE "C" NOT NULL,
        description TEXT COLLATE "C" NOT NULL,
        severity TEXT COLLATE "C" NOT NULL,
        allowed_decisions TEXT COLLATE "C" NOT NULL,
        rule TEXT COLLATE "C",
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        timeout_behavior TEXT COLLATE "C" NOT NULL,
        status TEXT COLLATE "C" NOT NULL,
        decision TEXT COLLATE "C",
        decided_at BIGINT,
        decided_by TEXT COLLATE "C"
      )`,
      'CREATE INDEX approvals_by_run ON approvals (run_id)',
      'CREATE INDEX approvals_by_status ON approvals (status, expires_at)',
      'CREATE INDEX approvals_by_key ON approvals (session_key)',
      `CREATE TABLE attachments (
        run_id TEXT COLLATE "C" NOT NULL,
        hash TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        mime TEXT COLLATE "C" NOT NULL,
        size BIGINT NOT NULL,
        at BIGINT NOT NULL,
        PRIMARY KEY (run_id, hash)
      )`,
      'CREATE INDEX attachments_by_hash ON attachments (hash)',
      'CREATE INDEX attachments_by_key ON attachments (session_key, hash)',
      `CREATE TABLE captures (
        run_id TEXT COLLATE "C" NOT NULL,
        call BIGINT NOT NULL,
        at BIGINT NOT NULL,
        provider TEXT COLLATE "C" NOT NULL,
        model TEXT COLLATE "C" NOT NULL,
        envelope TEXT COLLATE "C" NOT NULL,
        manifest TEXT COLLATE "C" NOT NULL,
        size BIGINT NOT NULL,
        is_indexed BOOLEAN NOT NULL DEFAULT false,
        PRIMARY KEY (run_id, call)
      )`,
      'CREATE INDEX captures_by_time ON captures (at)',
      'CREATE INDEX captures_to_index ON captures (is_indexed, at)',
      `CREATE TABLE channel_memory (
        channel TEXT COLLATE "C" NOT NULL,
        account_id TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        value TEXT COLLATE "C",
        at BIGINT NOT NULL,
        PRIMARY KEY (channel, account_id, name)
      )`,
      `CREATE TABLE children (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        child_key TEXT COLLATE "C" NOT NULL UNIQUE,
        parent_key TEXT COLLATE "C" NOT NULL,
        parent_session_id TEXT COLLATE "C" NOT NULL,
        parent_agent_id TEXT COLLATE "C" NOT NULL,
        parent_run_id TEXT COLLATE "C" NOT NULL,
        call TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        run_id TEXT COLLATE "C" NOT NULL,
        depth BIGINT NOT NULL,
        mode TEXT COLLATE "C" NOT NULL,
        context TEXT COLLATE "C" NOT NULL,
        task TEXT COLLATE "C" NOT NULL,
        task_name TEXT COLLATE "C",
        label TEXT COLLATE "C",
        models TEXT COLLATE "C" NOT NULL,
        tools TEXT COLLATE "C" NOT NULL,
        origin TEXT COLLATE "C" NOT NULL,
        bound_to TEXT COLLATE "C",
        bound_id TEXT COLLATE "C",
        owes BOOLEAN NOT NULL,
        cleanup TEXT COLLATE "C" NOT NULL,
        run_timeout_ms BIGINT,
        created_at BIGINT NOT NULL,
        ending TEXT COLLATE "C",
        ended_at BIGINT,
        outcome TEXT COLLATE "C",
        result TEXT COLLATE "C",
        error TEXT COLLATE "C",
        is_answered BOOLEAN NOT NULL,
        UNIQUE (parent_run_id, call)
      )`,
      'CREATE INDEX children_by_parent ON children (parent_key, is_answered)',
      'CREATE INDEX children_by_end ON children (ended_at)',
      'CREATE INDEX children_by_place ON children (bound_id)',
      `CREATE TABLE dead_letters (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        direction TEXT COLLATE "C" NOT NULL,
        run_id TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        reason TEXT COLLATE "C" NOT NULL,
        created_at BIGINT NOT NULL,
        payload TEXT COLLATE "C"
      )`,
      `CREATE TABLE drafts (
        run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        surface TEXT COLLATE "C" NOT NULL,
        handle TEXT COLLATE "C",
        shown_at BIGINT NOT NULL
      )`,
      `CREATE TABLE entries_to_index (
        session_id TEXT COLLATE "C" NOT NULL,
        position BIGINT NOT NULL,
        PRIMARY KEY (session_id, position)
      )`,
      `CREATE TABLE entry_words (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        session_id TEXT COLLATE "C" NOT NULL,
        position BIGINT NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        words TEXT COLLATE "C" NOT NULL,
        UNIQUE (session_id, position)
      )`,
      `CREATE TABLE file_versions (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        agent_id TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        author TEXT COLLATE "C" NOT NULL,
        text TEXT COLLATE "C",
        hash TEXT COLLATE "C" NOT NULL
      )`,
      'CREATE INDEX file_versions_by_file ON file_versions (agent_id, name, seq)',
      `CREATE TABLE hook_records (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run_id TEXT COLLATE "C",
        session_key TEXT COLLATE "C",
        hook TEXT COLLATE "C" NOT NULL,
        handler TEXT COLLATE "C" NOT NULL,
        owner TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        ms DOUBLE PRECISION NOT NULL,
        outcome TEXT COLLATE "C" NOT NULL,
        error TEXT COLLATE "C",
        changed TEXT COLLATE "C" NOT NULL,
        diff TEXT COLLATE "C"
      )`,
      'CREATE INDEX hook_records_by_run ON hook_records (run_id)',
      `CREATE TABLE inbox (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run_id TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        dedupe_key TEXT COLLATE "C" UNIQUE,
        payload TEXT COLLATE "C",
        accepted_at BIGINT NOT NULL,
        status TEXT COLLATE "C" NOT NULL,
        fingerprint TEXT COLLATE "C"
      )`,
      'CREATE INDEX inbox_by_status ON inbox (status, session_key, seq)',
      'CREATE INDEX inbox_by_run ON inbox (run_id)',
      `CREATE TABLE injections (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id TEXT COLLATE "C" NOT NULL UNIQUE,
        owner TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        idempotency_key TEXT COLLATE "C",
        placement TEXT COLLATE "C" NOT NULL,
        text TEXT COLLATE "C" NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        status TEXT COLLATE "C" NOT NULL,
        run_id TEXT COLLATE "C",
        UNIQUE (owner, session_key, idempotency_key)
      )`,
      'CREATE INDEX injections_by_key ON injections (session_key, status, seq)',
      'CREATE INDEX injections_by_run ON injections (run_id)',
      `CREATE TABLE job_slots (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        job_id TEXT COLLATE "C" NOT NULL,
        slot BIGINT NOT NULL,
        at BIGINT NOT NULL,
        how TEXT COLLATE "C" NOT NULL,
        run_id TEXT COLLATE "C",
        UNIQUE (job_id, slot)
      )`,
      'CREATE INDEX job_slots_by_run ON job_slots (run_id)',
      `CREATE TABLE jobs (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        enabled BOOLEAN NOT NULL,
        schedule TEXT COLLATE "C" NOT NULL,
        message TEXT COLLATE "C" NOT NULL,
        session TEXT COLLATE "C" NOT NULL,
        deliver_to TEXT COLLATE "C",
        missed TEXT COLLATE "C",
        remove_after_run BOOLEAN NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        created_by TEXT COLLATE "C" NOT NULL,
        next_at BIGINT
      )`,
      'CREATE INDEX jobs_by_time ON jobs (enabled, next_at)',
      `CREATE TABLE journal (
        run_id TEXT COLLATE "C" NOT NULL,
        position BIGINT NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        data TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (run_id, position)
      )`,
      `CREATE TABLE outbox (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run_id TEXT COLLATE "C" NOT NULL,
        part BIGINT NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        surface TEXT COLLATE "C" NOT NULL,
        surface_id TEXT COLLATE "C" NOT NULL,
        text TEXT COLLATE "C" NOT NULL,
        options TEXT COLLATE "C" NOT NULL,
        status TEXT COLLATE "C" NOT NULL,
        attempts BIGINT NOT NULL,
        next_at BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        receipt TEXT COLLATE "C",
        error TEXT COLLATE "C",
        UNIQUE (run_id, part)
      )`,
      'CREATE INDEX outbox_by_status ON outbox (status, next_at)',
      'CREATE INDEX outbox_by_surface ON outbox (surface_id, seq)',
      'CREATE INDEX outbox_by_key ON outbox (session_key)',
      `CREATE TABLE pairings (
        channel TEXT COLLATE "C" NOT NULL,
        account_id TEXT COLLATE "C" NOT NULL,
        sender_id TEXT COLLATE "C" NOT NULL,
        sender_name TEXT COLLATE "C",
        surface TEXT COLLATE "C" NOT NULL,
        code TEXT COLLATE "C",
        status TEXT COLLATE "C" NOT NULL,
        requested_at BIGINT NOT NULL,
        expires_at BIGINT,
        times_told BIGINT NOT NULL,
        approved_at BIGINT,
        approved_by TEXT COLLATE "C",
        PRIMARY KEY (channel, account_id, sender_id)
      )`,
      `CREATE TABLE parts (
        hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        text TEXT COLLATE "C" NOT NULL,
        size BIGINT NOT NULL,
        used_at BIGINT NOT NULL
      )`,
      'CREATE INDEX parts_by_use ON parts (used_at)',
      `CREATE TABLE plugin_state (
        session_key TEXT COLLATE "C" NOT NULL,
        plugin_id TEXT COLLATE "C" NOT NULL,
        namespace TEXT COLLATE "C" NOT NULL,
        value TEXT COLLATE "C",
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (session_key, plugin_id, namespace)
      )`,
      'CREATE INDEX plugin_state_by_plugin ON plugin_state (plugin_id)',
      `CREATE TABLE processes (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        agent_id TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        run_id TEXT COLLATE "C" NOT NULL,
        pid BIGINT,
        pid_token TEXT COLLATE "C",
        command TEXT COLLATE "C" NOT NULL,
        cwd TEXT COLLATE "C" NOT NULL,
        output_file TEXT COLLATE "C" NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT,
        exit_code BIGINT,
        signal TEXT COLLATE "C",
        status TEXT COLLATE "C" NOT NULL
      )`,
      'CREATE INDEX processes_by_status ON processes (status)',
      'CREATE INDEX processes_by_key ON processes (session_key, started_at)',
      `CREATE TABLE prompt_pieces (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        scope TEXT COLLATE "C" NOT NULL,
        hash TEXT COLLATE "C" NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        text TEXT COLLATE "C" NOT NULL,
        about TEXT COLLATE "C" NOT NULL,
        used_at BIGINT NOT NULL,
        UNIQUE (scope, hash)
      )`,
      'CREATE INDEX prompt_pieces_by_use ON prompt_pieces (used_at)',
      `CREATE TABLE prompt_receipts (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run_id TEXT COLLATE "C" NOT NULL UNIQUE,
        session_key TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        sources BIGINT NOT NULL,
        pieces TEXT COLLATE "C" NOT NULL
      )`,
      'CREATE INDEX prompt_receipts_by_key ON prompt_receipts (session_key, at)',
      `CREATE TABLE reservations (
        run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        at BIGINT NOT NULL,
        provider TEXT COLLATE "C" NOT NULL,
        model TEXT COLLATE "C" NOT NULL,
        money BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        is_unpriced BOOLEAN NOT NULL,
        counters TEXT COLLATE "C" NOT NULL
      )`,
      `CREATE TABLE runs (
        run_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        session_key TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        session_id TEXT COLLATE "C",
        status TEXT COLLATE "C" NOT NULL,
        claim BIGINT NOT NULL,
        progress_claim BIGINT NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT,
        outcome TEXT COLLATE "C",
        observed BOOLEAN NOT NULL
      )`,
      'CREATE INDEX runs_by_key ON runs (session_key, started_at)',
      'CREATE INDEX runs_by_status ON runs (status)',
      `CREATE TABLE sessions (
        session_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        session_key TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        started_at BIGINT NOT NULL,
        active_at BIGINT NOT NULL,
        ended_at BIGINT,
        end_reason TEXT COLLATE "C",
        surface TEXT COLLATE "C",
        resumed_from TEXT COLLATE "C",
        state TEXT COLLATE "C" NOT NULL,
        end_to_tell BOOLEAN NOT NULL DEFAULT false,
        title TEXT COLLATE "C",
        archived_at BIGINT,
        seen_at BIGINT,
        branch_of TEXT COLLATE "C",
        branch_at BIGINT
      )`,
      'CREATE UNIQUE INDEX sessions_open ON sessions (session_key) WHERE ended_at IS NULL',
      'CREATE INDEX sessions_by_key ON sessions (session_key, started_at)',
      'CREATE INDEX sessions_to_tell ON sessions (end_to_tell)',
      'CREATE INDEX sessions_by_origin ON sessions (branch_of) WHERE branch_of IS NOT NULL',
      'CREATE INDEX sessions_by_activity ON sessions (active_at, session_id)',
      `CREATE TABLE spending (
        subject TEXT COLLATE "C" NOT NULL,
        per TEXT COLLATE "C" NOT NULL,
        period TEXT COLLATE "C" NOT NULL,
        since BIGINT NOT NULL,
        money BIGINT NOT NULL,
        tokens BIGINT NOT NULL,
        reserved_money BIGINT NOT NULL,
        reserved_tokens BIGINT NOT NULL,
        unpriced BIGINT NOT NULL,
        warned_at BIGINT,
        PRIMARY KEY (per, period, subject)
      )`,
      `CREATE TABLE tool_listings (
        server TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        fingerprint TEXT COLLATE "C" NOT NULL,
        tools TEXT COLLATE "C" NOT NULL,
        listed_at BIGINT NOT NULL
      )`,
      `CREATE TABLE transcript (
        session_id TEXT COLLATE "C" NOT NULL,
        position BIGINT NOT NULL,
        run_id TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        message TEXT COLLATE "C" NOT NULL,
        shown TEXT COLLATE "C",
        meta TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (session_id, position)
      )`,
      'CREATE INDEX transcript_by_run ON transcript (run_id)',
      `CREATE TABLE usage (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run_id TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        session_id TEXT COLLATE "C" NOT NULL,
        agent_id TEXT COLLATE "C" NOT NULL,
        at BIGINT NOT NULL,
        purpose TEXT COLLATE "C" NOT NULL,
        provider TEXT COLLATE "C" NOT NULL,
        model TEXT COLLATE "C" NOT NULL,
        input BIGINT NOT NULL,
        output BIGINT NOT NULL,
        cache_read BIGINT NOT NULL,
        cache_write BIGINT NOT NULL,
        cost DOUBLE PRECISION
      )`,
      'CREATE INDEX usage_by_time ON usage (at)',
      'CREATE INDEX usage_by_run ON usage (run_id)',
      'CREATE INDEX usage_by_key ON usage (session_key, at)',
      `CREATE TABLE waits (
        run_id TEXT COLLATE "C" NOT NULL,
        place TEXT COLLATE "C" NOT NULL,
        session_key TEXT COLLATE "C" NOT NULL,
        tool_call_id TEXT COLLATE "C" NOT NULL,
        awaited TEXT COLLATE "C" NOT NULL,
        is_any_enough BOOLEAN NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        status TEXT COLLATE "C" NOT NULL,
        reason TEXT COLLATE "C",
        handed TEXT COLLATE "C",
        given TEXT COLLATE "C",
        PRIMARY KEY (run_id, place)
      )`,
      'CREATE INDEX waits_by_status ON waits (status, expires_at)',
      'CREATE INDEX waits_by_key ON waits (session_key)',
      // The words are asked for by their beginnings, which only a full-text index answers without reading all of them.
      "CREATE INDEX entry_words_index ON entry_words USING gin (to_tsvector('simple', words))",
    ],
  },
  {
    version: 2,
    statements: [
      `CREATE TABLE uploads (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        hash TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        mime TEXT COLLATE "C" NOT NULL,
        size BIGINT NOT NULL,
        at BIGINT NOT NULL,
        used_by TEXT COLLATE "C"
      )`,
      'CREATE INDEX uploads_by_time ON uploads (at)',
      // The bytes of files; see postgres-blobs.ts.
      `CREATE TABLE blobs (
        hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        size BIGINT NOT NULL,
        put_at BIGINT NOT NULL
      )`,
      `CREATE TABLE blob_chunks (
        hash TEXT COLLATE "C" NOT NULL REFERENCES blobs ON DELETE CASCADE,
        part BIGINT NOT NULL,
        bytes BYTEA NOT NULL,
        PRIMARY KEY (hash, part)
      )`,
      // Most files are compressed already, and trying it again would only cost time.
      'ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL',
    ],
  },
  {
    version: 3,
    statements: [
      // The oldest version that a program must know to work with these tables.
      'ALTER TABLE store_version ADD COLUMN works_from BIGINT NOT NULL DEFAULT 0',
      'ALTER TABLE runs ADD COLUMN node TEXT COLLATE "C"',
      // The nodes that share this store. Only the cluster reads and writes these, so the code of the store has no names for them.
      `CREATE TABLE nodes (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL UNIQUE,
        number BIGINT NOT NULL,
        url TEXT COLLATE "C",
        version TEXT COLLATE "C" NOT NULL,
        tables BIGINT NOT NULL,
        joined_at BIGINT NOT NULL,
        status TEXT COLLATE "C" NOT NULL,
        lease_until TIMESTAMP WITH TIME ZONE NOT NULL,
        backend INTEGER NOT NULL,
        workspaces TEXT COLLATE "C" NOT NULL
      )`,
      // The number of the last node that joined. A row, and not a sequence, so that it is seen together with the node's own row.
      'CREATE TABLE node_numbers (last BIGINT NOT NULL)',
      'INSERT INTO node_numbers (last) VALUES (0)',
      `CREATE TABLE duties (
        name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        node TEXT COLLATE "C" NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        taken_at BIGINT NOT NULL
      )`,
      'CREATE INDEX duties_by_node ON duties (node)',
    ],
  },
  {
    version: 4,
    statements: [
      'ALTER TABLE runs ADD COLUMN stop_reason TEXT COLLATE "C"',
      `CREATE TABLE lane_holds (
        id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        session_key TEXT COLLATE "C" NOT NULL,
        node TEXT COLLATE "C" NOT NULL
      )`,
      'CREATE INDEX lane_holds_by_key ON lane_holds (session_key)',
    ],
  },
  {
    version: 5,
    statements: [
      // The number of the last transaction of each process that commits. Only the queue of commits reads and writes it.
      `CREATE TABLE commit_marks (
        writer TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        mark BIGINT NOT NULL,
        at TIMESTAMP WITH TIME ZONE NOT NULL
      ) WITH (fillfactor = 50)`,
    ],
  },
  {
    version: 6,
    statements: [
      'ALTER TABLE jobs ADD COLUMN model TEXT COLLATE "C"',
      'ALTER TABLE jobs ADD COLUMN timeout_seconds BIGINT',
    ],
  },
  {
    version: 7,
    statements: [
      // The first id of the process that the node is, and the duties that it takes part in. Null for a node of an older version.
      'ALTER TABLE nodes ADD COLUMN process TEXT COLLATE "C", ADD COLUMN shares TEXT COLLATE "C"',
      // The versions of what nodes remember about rows; see StoreVersions.
      'CREATE TABLE versions (name TEXT COLLATE "C" NOT NULL PRIMARY KEY, version BIGINT NOT NULL) WITH (fillfactor = 50)',
      "INSERT INTO versions (name, version) VALUES ('parts', 1)",
    ],
  },
  {
    version: 8,
    statements: [
      'ALTER TABLE jobs ADD COLUMN fallbacks TEXT COLLATE "C"',
      // The processes that were told to take no new work. Only the cluster reads and writes it; a new process of the node takes work again.
      'CREATE TABLE drained_nodes (name TEXT COLLATE "C" NOT NULL PRIMARY KEY, process TEXT COLLATE "C" NOT NULL)',
    ],
  },
];

/** The newest version of the tables that this program knows. */
export const TABLES_VERSION = MIGRATIONS.at(-1)?.version ?? 0;
