import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { surfaceId } from '../protocol/inbound.ts';
import type { Write } from '../store/store.ts';
import type { InboxRow, OutboxRow, RunRow } from '../store/tables.ts';
import { ScratchStore } from '../testkit/scratch-store.ts';
import { type PrunableRows, planRows } from './prune-rows.ts';

let scratch: ScratchStore;
beforeEach(async () => {
  scratch = await ScratchStore.create();
});
afterEach(() => scratch.remove());

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const OLD = NOW - 100 * DAY;
const KEY = 'agent:main:main';
const SURFACE = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'tab' } } as const;

const put = (...writes: readonly Write[]) => scratch.store.commit(writes, { site: 'request' });

/** Everything that a message leaves behind, settled unless said otherwise. */
function message(
  runId: string,
  more: {
    at?: number;
    inbox?: InboxRow['status'];
    run?: RunRow['status'];
    out?: OutboxRow['status'];
    observed?: boolean;
  } = {},
): readonly Write[] {
  const { at = OLD, inbox = 'done', run = 'done', out = 'sent', observed = true } = more;
  const who = { runId, sessionKey: KEY };
  return [
    {
      insert: 'inbox',
      row: {
        ...who,
        kind: 'message',
        dedupeKey: runId,
        fingerprint: null,
        payload: null,
        acceptedAt: at,
        status: inbox,
      },
    },
    {
      insert: 'runs',
      row: {
        ...who,
        agentId: 'main',
        sessionId: 'ses_1',
        status: run,
        claim: 1,
        progressClaim: 1,
        startedAt: at,
        endedAt: run === 'done' ? at : null,
        outcome: null,
        observed,
        node: null,
        stopReason: null,
      },
    },
    { insert: 'journal', row: { runId, position: 1, kind: 'request', at, data: {} } },
    {
      insert: 'outbox',
      row: {
        ...who,
        part: 1,
        surface: SURFACE,
        surfaceId: surfaceId(SURFACE),
        text: 'hello',
        options: {},
        status: out,
        attempts: 1,
        nextAt: at,
        createdAt: at,
        expiresAt: at,
        receipt: null,
        error: null,
      },
    },
  ];
}

function session(sessionId: string, endedAt: number | null): readonly Write[] {
  return [
    {
      insert: 'sessions',
      row: {
        sessionId,
        sessionKey: `${KEY}:${sessionId}`,
        agentId: 'main',
        startedAt: OLD,
        activeAt: OLD,
        endedAt,
        endReason: endedAt === null ? null : 'idle',
        surface: null,
        resumedFrom: null,
        endToTell: false,
        title: null,
        archivedAt: null,
        seenAt: null,
        branchOf: null,
        branchAt: null,
        state: {},
      },
    },
    {
      insert: 'transcript',
      row: {
        sessionId,
        position: 1,
        runId: 'run_1',
        at: OLD,
        kind: 'message',
        message: { role: 'user', content: 'hi' },
        shown: null,
        meta: {},
      },
    },
  ];
}

/** Removes everything that is older than these days, and says how many rows the plans named. */
async function prune(kind: PrunableRows, days: number, bytesToFree?: number): Promise<number> {
  let rows = 0;
  let after: number | undefined;
  do {
    const plan = await planRows(scratch.store, kind, { before: NOW - days * DAY, now: NOW, after, bytesToFree });
    if (plan.writes.length > 0) await scratch.store.commit(plan.writes, { site: 'prune' });
    rows += plan.rows;
    after = plan.next;
  } while (after !== undefined);
  return rows;
}

const runsIn = async (table: 'inbox' | 'outbox' | 'journal') =>
  (await scratch.store.select(table)).map(({ runId }) => runId).sort();

describe('pruning', () => {
  it('removes what ended runs left, and nothing that is owed', async () => {
    await put(
      ...message('run_old'),
      ...message('run_young', { at: NOW - 20 * DAY }),
      ...message('run_queued', { inbox: 'queued', run: 'suspended' }),
      ...message('run_suspended', { run: 'suspended' }),
      ...message('run_unsent', { out: 'queued' }),
      ...message('run_untold', { observed: false }),
      ...message('run_dead', { inbox: 'dead' }),
      {
        insert: 'deadLetters',
        row: {
          id: 'd',
          direction: 'in',
          runId: 'run_dead',
          sessionKey: KEY,
          reason: '',
          createdAt: OLD,
          payload: null,
        },
      },
    );
    expect(await prune('messages', 30)).toBe(1);
    const kept = ['run_dead', 'run_queued', 'run_suspended', 'run_unsent', 'run_untold', 'run_young'];
    for (const table of ['inbox', 'outbox', 'journal'] as const) expect(await runsIn(table)).toEqual(kept);
    expect(await prune('messages', 30)).toBe(0);
  });

  it('recognises a message that comes twice for a week, whatever the limit is', async () => {
    await put(...message('run_1', { at: NOW - 6 * DAY }), ...message('run_2', { at: NOW - 8 * DAY }));
    expect(await prune('messages', 0)).toBe(1);
    expect(await runsIn('inbox')).toEqual(['run_1']);
  });

  it('goes through more rows than a page has, past those that stay', async () => {
    for (let index = 0; index < 1_200; index++) {
      await put(...message(`run_${index}`, index < 600 ? { out: 'queued' } : {}));
    }
    expect(await prune('messages', 30)).toBe(600);
    expect(await runsIn('inbox')).toHaveLength(600);
  }, 60_000);

  it('removes what was said in sessions that have ended, and only there', async () => {
    await put(...session('ses_a', OLD), ...session('ses_b', null), ...session('ses_c', NOW - DAY));
    expect(await prune('transcripts', 30)).toBe(1);
    expect((await scratch.store.select('transcript')).map(({ sessionId }) => sessionId).sort()).toEqual([
      'ses_b',
      'ses_c',
    ]);
    expect(await scratch.store.count('sessions')).toBe(3);
  });

  it('keeps the usage of two months', async () => {
    await put(used(OLD), used(NOW - 40 * DAY));
    expect(await prune('usage', 1)).toBe(1);
    expect(await scratch.store.count('usage')).toBe(1);
  });

  describe('to make room', () => {
    it('removes the sessions that ended first, no more of them than needed, and none that is open or busy', async () => {
      await put(
        ...session('ses_open', null),
        ...session('ses_c', OLD + 3),
        ...session('ses_a', OLD + 1),
        ...session('ses_b', OLD + 2),
        ...message('run_busy', { run: 'suspended' }),
        ...session('ses_1', OLD),
      );
      const one = await scratch.store.measure('transcript', { sessionId: 'ses_a' });
      const left = async () => (await scratch.store.select('transcript')).map(({ sessionId }) => sessionId).sort();
      expect(await prune('transcripts', 0, 1)).toBe(1);
      expect(await left()).toEqual(['ses_1', 'ses_b', 'ses_c', 'ses_open']);
      expect(await prune('transcripts', 0, one + 1)).toBe(2);
      expect(await left()).toEqual(['ses_1', 'ses_open']);
      expect(await prune('transcripts', 0, 1_000_000)).toBe(0);
    });

    it('goes through more sessions than a page has, also when they ended at one moment', async () => {
      for (let index = 0; index < 700; index++) await put(...session(`ses_${index}`, index < 690 ? OLD : OLD + index));
      const one = await scratch.store.measure('transcript', { sessionId: 'ses_500' });
      expect(await prune('transcripts', 0, one * 400)).toBeLessThan(410);
      expect(await prune('transcripts', 0, 1_000_000)).toBeGreaterThan(290);
      expect(await scratch.store.count('transcript')).toBe(0);
    });

    it('removes the oldest usage and calls of hooks, and keeps the usage of two months', async () => {
      await put(used(OLD), used(OLD + 1), used(OLD + 2), used(NOW - DAY), called(OLD), called(OLD + 1), called(NOW));
      const [usage, hook] = [await scratch.store.measure('usage'), await scratch.store.measure('hookRecords')];
      expect(await prune('usage', 0, usage / 4 + 1)).toBe(2);
      expect(await prune('usage', 0, usage)).toBe(1);
      expect((await scratch.store.select('usage')).map(({ at }) => at)).toEqual([NOW - DAY]);
      expect(await prune('hook-records', 0, hook / 3)).toBe(1);
      expect((await scratch.store.select('hookRecords')).map(({ at }) => at)).toEqual([OLD + 1, NOW]);
    });

    it('removes the oldest answers of people, and none that waits or that an open run may look for', async () => {
      await put(
        ...message('run_open', { run: 'suspended' }),
        asked('a', { runId: 'run_open' }),
        asked('b', { status: 'waiting' }),
        asked('c', {}),
        asked('d', {}),
      );
      expect(await prune('approvals', 0, 1)).toBe(1);
      expect(await prune('approvals', 0, 1_000_000)).toBe(1);
      expect((await scratch.store.select('approvals')).map(({ id }) => id).sort()).toEqual(['a', 'b']);
    });

    it('removes the oldest messages with their steps and answers, and nothing that is owed', async () => {
      await put(...message('run_unsent', { out: 'queued' }), ...message('run_a'), ...message('run_b'));
      expect(await prune('messages', 0, 1)).toBe(1);
      for (const table of ['inbox', 'outbox', 'journal'] as const)
        expect(await runsIn(table)).toEqual(['run_b', 'run_unsent']);
    });
  });
});

function used(at: number): Write {
  return {
    insert: 'usage',
    row: {
      runId: 'run_1',
      sessionKey: KEY,
      sessionId: 'ses_1',
      agentId: 'main',
      at,
      purpose: 'run',
      provider: 'fake',
      model: 'small',
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      cost: null,
    },
  };
}

function called(at: number): Write {
  const who = { runId: 'run_1', sessionKey: KEY, hook: 'agent_end', handler: 'h', owner: 'o' };
  return { insert: 'hookRecords', row: { ...who, at, ms: 1, outcome: 'ok', error: null, changed: [], diff: null } };
}

function asked(id: string, more: { readonly runId?: string; readonly status?: 'waiting' | 'answered' }): Write {
  const { runId = 'run_done', status = 'answered' } = more;
  return {
    insert: 'approvals',
    row: {
      ...{ id, runId, sessionKey: KEY, agentId: 'main', toolCallId: 'call', toolName: 'exec', params: {}, digest: 'd' },
      ...{ requester: {}, policyVersion: '1', contextHash: 'c', askedBy: 'exec', title: 't', description: 'd' },
      ...{ severity: 'info', allowedDecisions: [], rule: null, createdAt: OLD, expiresAt: OLD },
      ...{ timeoutBehavior: 'deny', status, decision: null, decidedAt: null, decidedBy: null },
    },
  };
}
