// How each row of `tables.ts` is stored: its table, its columns in order, and the kind of each. A new column needs a
// line here and a migration; the compiler and a test compare the three.

import type { TableName, Tables } from '../tables.ts';

/** The database numbers `seq`; `json` is kept as text; `?` means that the column may be null. */
export type ColumnKind =
  | 'seq'
  | 'text'
  | 'text?'
  | 'integer'
  | 'integer?'
  | 'real'
  | 'real?'
  | 'boolean'
  | 'json'
  | 'json?';

export const TABLES: { readonly [T in TableName]: TableLayout<T> } = {
  sessions: {
    table: 'sessions',
    columns: {
      sessionId: 'text',
      sessionKey: 'text',
      agentId: 'text',
      startedAt: 'integer',
      activeAt: 'integer',
      endedAt: 'integer?',
      endReason: 'text?',
      surface: 'json?',
      resumedFrom: 'text?',
      endToTell: 'boolean',
      state: 'json',
    },
  },
  transcript: {
    table: 'transcript',
    columns: {
      sessionId: 'text',
      position: 'integer',
      runId: 'text',
      at: 'integer',
      kind: 'text',
      message: 'json',
      shown: 'text?',
      meta: 'json',
    },
  },
  inbox: {
    table: 'inbox',
    columns: {
      seq: 'seq',
      runId: 'text',
      sessionKey: 'text',
      kind: 'text',
      dedupeKey: 'text?',
      fingerprint: 'text?',
      payload: 'json?',
      acceptedAt: 'integer',
      status: 'text',
    },
  },
  runs: {
    table: 'runs',
    columns: {
      runId: 'text',
      sessionKey: 'text',
      agentId: 'text',
      sessionId: 'text?',
      status: 'text',
      claim: 'integer',
      progressClaim: 'integer',
      startedAt: 'integer',
      endedAt: 'integer?',
      outcome: 'json?',
      observed: 'boolean',
    },
  },
  journal: {
    table: 'journal',
    columns: { runId: 'text', position: 'integer', kind: 'text', at: 'integer', data: 'json' },
  },
  outbox: {
    table: 'outbox',
    columns: {
      seq: 'seq',
      runId: 'text',
      part: 'integer',
      sessionKey: 'text',
      surface: 'json',
      surfaceId: 'text',
      text: 'text',
      options: 'json',
      status: 'text',
      attempts: 'integer',
      nextAt: 'integer',
      createdAt: 'integer',
      expiresAt: 'integer',
      receipt: 'json?',
      error: 'text?',
    },
  },
  deadLetters: {
    table: 'dead_letters',
    columns: {
      id: 'text',
      direction: 'text',
      runId: 'text',
      sessionKey: 'text',
      reason: 'text',
      createdAt: 'integer',
      payload: 'json?',
    },
  },
  injections: {
    table: 'injections',
    columns: {
      id: 'text',
      seq: 'seq',
      owner: 'text',
      sessionKey: 'text',
      idempotencyKey: 'text?',
      placement: 'text',
      text: 'text',
      createdAt: 'integer',
      expiresAt: 'integer?',
      status: 'text',
      runId: 'text?',
    },
  },
  parts: {
    table: 'parts',
    columns: { hash: 'text', text: 'text', size: 'integer', usedAt: 'integer' },
  },
  captures: {
    table: 'captures',
    columns: {
      runId: 'text',
      call: 'integer',
      at: 'integer',
      provider: 'text',
      model: 'text',
      envelope: 'json',
      manifest: 'json',
      size: 'integer',
    },
  },
  hookRecords: {
    table: 'hook_records',
    columns: {
      seq: 'seq',
      runId: 'text?',
      sessionKey: 'text?',
      hook: 'text',
      handler: 'text',
      owner: 'text',
      at: 'integer',
      ms: 'real',
      outcome: 'text',
      error: 'text?',
      changed: 'json',
      diff: 'json?',
    },
  },
  approvals: {
    table: 'approvals',
    columns: {
      id: 'text',
      seq: 'seq',
      runId: 'text',
      sessionKey: 'text',
      agentId: 'text',
      toolCallId: 'text',
      toolName: 'text',
      params: 'json',
      digest: 'text',
      requester: 'json',
      policyVersion: 'text',
      contextHash: 'text',
      askedBy: 'text',
      title: 'text',
      description: 'text',
      severity: 'text',
      allowedDecisions: 'json',
      rule: 'json?',
      createdAt: 'integer',
      expiresAt: 'integer',
      timeoutBehavior: 'text',
      status: 'text',
      decision: 'text?',
      decidedAt: 'integer?',
      decidedBy: 'text?',
    },
  },
  allowRules: {
    table: 'allow_rules',
    columns: {
      id: 'text',
      agentId: 'text',
      toolName: 'text',
      argv: 'json',
      cwd: 'text',
      createdAt: 'integer',
      createdBy: 'text',
      approvalId: 'text?',
    },
  },
  processes: {
    table: 'processes',
    columns: {
      id: 'text',
      agentId: 'text',
      sessionKey: 'text',
      runId: 'text',
      pid: 'integer?',
      pidToken: 'text?',
      command: 'text',
      cwd: 'text',
      outputFile: 'text',
      startedAt: 'integer',
      endedAt: 'integer?',
      exitCode: 'integer?',
      signal: 'text?',
      status: 'text',
    },
  },
  jobs: {
    table: 'jobs',
    columns: {
      id: 'text',
      name: 'text',
      agentId: 'text',
      enabled: 'boolean',
      schedule: 'json',
      message: 'text',
      session: 'text',
      deliverTo: 'json?',
      missed: 'text?',
      removeAfterRun: 'boolean',
      createdAt: 'integer',
      updatedAt: 'integer',
      createdBy: 'text',
      nextAt: 'integer?',
    },
  },
  jobSlots: {
    table: 'job_slots',
    columns: { jobId: 'text', slot: 'integer', seq: 'seq', at: 'integer', how: 'text', runId: 'text?' },
  },
  usage: {
    table: 'usage',
    columns: {
      seq: 'seq',
      runId: 'text',
      sessionKey: 'text',
      sessionId: 'text',
      agentId: 'text',
      at: 'integer',
      purpose: 'text',
      provider: 'text',
      model: 'text',
      input: 'integer',
      output: 'integer',
      cacheRead: 'integer',
      cacheWrite: 'integer',
      cost: 'real?',
    },
  },
  toolListings: {
    table: 'tool_listings',
    columns: { server: 'text', fingerprint: 'text', tools: 'json', listedAt: 'integer' },
  },
  pluginState: {
    table: 'plugin_state',
    columns: { sessionKey: 'text', pluginId: 'text', namespace: 'text', value: 'json?', updatedAt: 'integer' },
  },
};

export interface TableLayout<T extends TableName> {
  readonly table: string;
  readonly columns: { readonly [C in keyof Tables[T]]: ColumnKind };
}

/** `sessionKey` is `session_key` in the database. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
