import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childRow } from '../gateway/services/fixtures/child-row.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { NewRow, Store } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { planChildPrune } from './prune-children.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;

let store: Store;
const scratch = workspaceForEachTest();
beforeEach(async () => {
  store = await openSqliteStore({ file: join(scratch.stateDir, 'atrium.sqlite') });
});
afterEach(() => store.close());

/** A child that was deleted forty days ago, and whose parent has its result. */
async function child(name: string, rest: Partial<NewRow<'children'>> = {}, session?: Partial<SessionRow>) {
  const childKey = `agent:main:subagent:${name}`;
  const over = { task: '', endedAt: NOW - 40 * DAY, outcome: 'ok', isAnswered: true } as const;
  const row = childRow({ childKey, parentKey: 'agent:main:main', ...over, ...rest });
  await store.commit([{ insert: 'children', row }], { site: 'spawn' });
  if (!session) return;
  const about = {
    agentId: 'main',
    startedAt: 1,
    activeAt: 1,
    surface: null,
    resumedFrom: null,
    endToTell: false,
    title: null,
    archivedAt: null,
    seenAt: null,
    branchOf: null,
    branchAt: null,
  };
  const ended = { endedAt: 2, endReason: 'deleted' as const, state: {} };
  const sessionRow: SessionRow = { sessionId: `ses_${name}`, sessionKey: childKey, ...about, ...ended, ...session };
  await store.commit([{ insert: 'sessions', row: sessionRow }], { site: 'request' });
}

async function prune(pageSize?: number): Promise<readonly string[]> {
  for await (const { writes } of planChildPrune(store, { maxAgeMs: 30 * DAY, now: NOW, pageSize }))
    await store.commit(writes, { site: 'prune' });
  const rows = await store.select('children', { orderBy: [['seq', 'asc']] });
  return rows.map(({ childKey }) => childKey.split(':').at(-1) ?? '');
}

describe('rows of ended children', () => {
  it('are removed when they are old and the session of the child was deleted', async () => {
    await child('deleted', {}, {});
    await child('never-begun');
    await child('young', { endedAt: NOW - 20 * DAY });
    await child('open', { task: 'Work.' }, { endedAt: null, endReason: null });
    await child('reset', {}, { endReason: 'reset' });
    await child('owed', { isAnswered: false });
    await child('working', { endedAt: null, outcome: null });
    expect(await prune()).toEqual(['young', 'open', 'reset', 'owed', 'working']);
  });

  it('stay while a message waits for the child', async () => {
    await child('awaited');
    const sessionKey = 'agent:main:subagent:awaited';
    const about = { kind: 'message', dedupeKey: null, fingerprint: null, payload: null, acceptedAt: 1 } as const;
    await store.commit([{ insert: 'inbox', row: { runId: 'run_1', sessionKey, status: 'queued', ...about } }], {
      site: 'accept',
    });
    expect(await prune()).toEqual(['awaited']);
  });

  it('stay while children of the child have theirs, and go after them, in pages of any size', async () => {
    await child('outer');
    await child('inner', { parentKey: 'agent:main:subagent:outer', endedAt: NOW - 20 * DAY });
    for (const name of ['a', 'b', 'c']) await child(name);
    expect(await prune(1)).toEqual(['outer', 'inner']);
    await store.commit([{ update: 'children', where: {}, set: { endedAt: 1 } }], { site: 'child-end' });
    expect(await prune(1)).toEqual(['outer']);
    expect(await prune(1)).toEqual([]);
  });
});
