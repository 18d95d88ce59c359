import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { delegateStore } from '../store/delegate-store.ts';
import { StoreFailedError, StoreFullError } from '../store/errors.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { NewRow, Store } from '../store/store.ts';
import { gate } from '../testkit/gate.ts';
import { EmbeddedLanes } from './embedded-lanes.ts';
import { describeLanes } from './lanes-suite.ts';

describeLanes('EmbeddedLanes', async () => {
  const { store, remove } = await scratchStore();
  const lanes = (limit: number, hasLongPauses = false) =>
    new EmbeddedLanes({ store, limit, now: Date.now, warn: () => {}, firstPauseMs: hasLongPauses ? 200 : 2 });
  return { store, lanes, remove };
});

describe('EmbeddedLanes, with keys that have slots of their own', () => {
  it('begins a few of them at a time, each when another one has said that it waits', async () => {
    const { store, remove } = await scratchStore();
    const keys = ['child:1', 'child:2', 'child:3', 'child:4', 'child:5'];
    await store.commit(
      keys.map((key) => ({ insert: 'inbox', row: row(key) })),
      { site: 'accept' },
    );
    const aside = { isMeant: (key: string) => key.startsWith('child:'), limit: 5, longestBeginningMs: 600_000 };
    const lanes = new EmbeddedLanes({ store, limit: 1, aside, now: Date.now, warn: () => {} });
    const told: string[] = [];
    const all = gate();
    let beginning = 0;
    let most = 0;
    await lanes.open({
      async run({ claim, begun }) {
        most = Math.max(most, ++beginning);
        await new Promise((done) => setImmediate(done));
        told.push(claim.runId);
        beginning--;
        begun();
        if (told.length === keys.length) all.open();
        await all.opened;
        await store.commit(
          [
            { update: 'runs', where: { runId: claim.runId }, set: { status: 'done' } },
            { update: 'inbox', where: { runId: claim.runId }, set: { status: 'done' } },
          ],
          { site: 'result', claim },
        );
      },
      giveUp: async () => {},
    });
    await vi.waitFor(async () => expect(await store.count('inbox', { status: 'done' })).toBe(keys.length), {
      timeout: 30_000,
    });
    expect(told.sort()).toEqual(keys);
    expect(most).toBeLessThanOrEqual(2);
    await lanes.close(0);
    await remove();
  });

  it('does not let one that takes long to begin keep the others from beginning', async () => {
    const { store, remove } = await scratchStore();
    const keys = ['child:1', 'child:2', 'child:3', 'child:4', 'child:5'];
    await store.commit(
      keys.map((key) => ({ insert: 'inbox', row: row(key) })),
      { site: 'accept' },
    );
    const aside = { isMeant: () => true, limit: 5 };
    const lanes = new EmbeddedLanes({ store, limit: 1, aside, now: Date.now, warn: () => {} });
    const told: string[] = [];
    await lanes.open({
      async run({ claim, signal }) {
        told.push(claim.runId);
        await new Promise((_, stop) => signal.addEventListener('abort', () => stop(signal.reason), { once: true }));
      },
      giveUp: async () => {},
    });
    await vi.waitFor(() => expect([...told].sort()).toEqual(keys), { timeout: 30_000 });
    await lanes.close(0);
    await remove();
  });
});

describe('EmbeddedLanes', () => {
  let store: Store;
  let remove: () => Promise<void>;
  let lanes: EmbeddedLanes | undefined;
  const warnings: string[] = [];

  beforeEach(async () => {
    ({ store, remove } = await scratchStore());
    warnings.length = 0;
  });
  afterEach(async () => {
    await lanes?.close(0);
    await remove();
  });

  function lanesOver(of: Store): EmbeddedLanes {
    lanes = new EmbeddedLanes({
      store: of,
      limit: 4,
      now: Date.now,
      warn: (text) => warnings.push(text),
      firstPauseMs: 2,
    });
    return lanes;
  }

  async function queue(sessionKey: string, runId: string): Promise<void> {
    const row = {
      runId,
      sessionKey,
      kind: 'message',
      dedupeKey: null,
      fingerprint: null,
      payload: null,
      acceptedAt: 0,
      status: 'queued',
    } as const;
    await store.commit([{ insert: 'inbox', row }], { site: 'accept' });
  }

  async function end(runId: string, claim: number): Promise<void> {
    await store.commit(
      [
        { update: 'runs', where: { runId }, set: { status: 'done' } },
        { update: 'inbox', where: { runId }, set: { status: 'done' } },
      ],
      { site: 'result', claim: { runId, claim } },
    );
  }

  const isDone = (count: number) =>
    vi.waitFor(async () => expect(await store.count('inbox', { status: 'done' })).toBe(count), { interval: 2 });

  it('aborts a run whose claim could not be committed, and starts it again when the store is back', async () => {
    let refusals = 2;
    const told: string[] = [];
    const flaky = withCommit(store, async (writes, options) => {
      if (options.site === 'claim' && refusals-- > 0)
        throw new StoreFailedError({ store: 'test', detail: 'the disk had a hiccup', remedy: 'Try again.' });
      return store.commit(writes, options);
    });
    await queue('a', 'r1');
    await lanesOver(flaky).open({
      async run({ claim, signal }) {
        await new Promise<void>((done) => setTimeout(done, 2));
        told.push(`${claim.runId} claim ${claim.claim} ${signal.aborted ? 'aborted' : 'runs'}`);
        if (!signal.aborted) await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(1);
    // The second refusal came before its run had begun, because after a failed claim the next claim is awaited.
    expect(told).toEqual(['r1 claim 1 aborted', 'r1 claim 1 runs']);
    // A store that refuses is told by the part that watches it.
    expect(warnings).toEqual([]);
  });

  it('gives no run up because the store has no room for its steps, and goes on when it has', async () => {
    let refusals = 5;
    const attempts: number[] = [];
    await queue('a', 'r1');
    await lanesOver(store).open({
      async run({ claim, attempt }) {
        attempts.push(attempt);
        if (refusals-- > 0) throw new StoreFullError({ store: 'test' });
        await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(1);
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('leaves a trigger alone that was taken out of the inbox at the last moment', async () => {
    const told: string[] = [];
    let isFirst = true;
    const raced = withCommit(store, async (writes, options) => {
      if (options.site === 'claim' && isFirst) {
        isFirst = false;
        await store.commit([{ update: 'inbox', where: { runId: 'r1' }, set: { status: 'done' } }], { site: 'control' });
      }
      return store.commit(writes, options);
    });
    await queue('a', 'r1');
    await queue('a', 'r2');
    await lanesOver(raced).open({
      async run({ claim, signal }) {
        const isClaimed = async () => (await store.count('runs', { runId: claim.runId })) === 1;
        while (!signal.aborted && !(await isClaimed())) await new Promise((done) => setImmediate(done));
        if (signal.aborted) return;
        told.push(claim.runId);
        await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(2);
    expect(told).toEqual(['r2']);
    expect(await store.count('runs', { runId: 'r1' })).toBe(0);
  });

  it('goes on by itself after the store could not be read', async () => {
    let refusals = 1;
    const flaky = delegateStore(store, {
      select: (table, query) =>
        query?.limit === 1 && refusals-- > 0
          ? Promise.reject(
              new StoreFailedError({ store: 'test', detail: 'the disk had a hiccup', remedy: 'Try again.' }),
            )
          : store.select(table, query),
    });
    await queue('a', 'r1');
    await lanesOver(flaky).open({
      run: ({ claim }) => end(claim.runId, claim.claim),
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(1);
    expect(warnings).toEqual([]);
  });

  it('ends the pause of a run that is stopped, and starts it once more so that it can say so', async () => {
    const told: string[] = [];
    const patient = new EmbeddedLanes({
      store,
      limit: 1,
      now: Date.now,
      warn: (text) => warnings.push(text),
      firstPauseMs: 60_000,
    });
    lanes = patient;
    await queue('a', 'r1');
    await patient.open({
      async run({ claim, attempt, signal }) {
        told.push(signal.aborted ? 'stopped' : 'running');
        if (attempt === 1) throw new Error('not now');
        await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await vi.waitFor(() => expect(warnings).toHaveLength(1), { interval: 2 });
    expect(patient.running).toMatchObject([{ sessionKey: 'a', runId: 'r1' }]);
    expect(await patient.stop('a', 'enough')).toBe(true);
    await isDone(1);
    expect(told).toEqual(['running', 'stopped']);
  });

  it('leaves a run to the process that has claimed it since', async () => {
    const { opened: superseded, open: goOn } = gate();
    await queue('a', 'r1');
    let attempts = 0;
    await lanesOver(store).open({
      async run({ claim }) {
        attempts++;
        await superseded;
        await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await vi.waitFor(() => expect(attempts).toBe(1), { interval: 2 });
    await store.commit([{ update: 'runs', where: { runId: 'r1' }, set: { claim: 2 } }], { site: 'claim' });
    goOn();
    await vi.waitFor(() => expect(warnings.at(-1)).toContain('was taken over by another process'), { interval: 2 });
    expect(attempts).toBe(1);
    expect(lanes?.running).toEqual([]);
    expect(await store.select('runs')).toMatchObject([{ claim: 2, status: 'running' }]);
  });

  it('finds every key that has work when it opens, however much one of them has', async () => {
    const rows = [
      ...Array.from({ length: 300 }, (_, index) => ['busy', `b${index}`] as const),
      ...Array.from({ length: 150 }, (_, index) => [`key-${index}`, `k${index}`] as const),
    ];
    await Promise.all(rows.map(([sessionKey, runId]) => queue(sessionKey, runId)));
    const told = new Set<string>();
    await lanesOver(store).open({
      async run({ claim, trigger }) {
        told.add(trigger.sessionKey);
        await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(450);
    expect(told.size).toBe(151);
  });

  it('misses nothing that arrives while it finds its lane empty', async () => {
    let isArmed = false;
    const raced = delegateStore(store, {
      select: async (table, query) => {
        const rows = await store.select(table, query);
        if (isArmed && rows.length === 0 && query?.limit === 1) {
          isArmed = false;
          await queue('a', 'r1');
          over.wake('a');
        }
        return rows;
      },
    });
    const over = lanesOver(raced);
    const told: string[] = [];
    await queue('a', 'r0');
    await over.open({
      async run({ claim }) {
        told.push(claim.runId);
        await end(claim.runId, claim.claim);
        isArmed = claim.runId === 'r0';
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(2);
    expect(told).toEqual(['r0', 'r1']);
  });

  it('starts nothing that it was still looking up when it was closed', async () => {
    const over = lanesOver(
      delegateStore(store, {
        select: async (table, query) => {
          const rows = await store.select(table, query);
          if (query?.limit === 1 && rows.length > 0) void over.close(0);
          return rows;
        },
      }),
    );
    await queue('a', 'r1');
    let isStarted = false;
    await over.open({
      async run() {
        isStarted = true;
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await over.close(1_000);
    expect(isStarted).toBe(false);
    expect(await store.count('inbox', { status: 'queued' })).toBe(1);
  });

  it('begins with a short pause for every run, doubles it, and says what it waits for', async () => {
    await queue('a', 'r1');
    await queue('a', 'r2');
    await lanesOver(store).open({
      async run({ claim, attempt }) {
        if (attempt === 1) throw new Error('a first fall');
        if (attempt === 3 || claim.runId === 'r2') await end(claim.runId, claim.claim);
      },
      giveUp: () => Promise.reject(new Error('given up')),
    });
    await isDone(2);
    expect(warnings).toEqual([
      'The run r1 of a could not go on and is tried again in 2 ms: a first fall',
      'The run r1 of a could not go on and is tried again in 4 ms: its handler returned before it had ended',
      'The run r2 of a could not go on and is tried again in 2 ms: a first fall',
    ]);
  });

  it('makes one commit of its own for a run', async () => {
    const over = lanesOver(store);
    await over.open({
      run: ({ claim }) => end(claim.runId, claim.claim),
      giveUp: () => Promise.reject(new Error('given up')),
    });
    for (const runId of ['r1', 'r2', 'r3']) {
      await queue('a', runId);
      over.wake('a');
    }
    await isDone(3);
    expect(store.commits.claim).toBe(3);
  });
});

function row(sessionKey: string): NewRow<'inbox'> {
  const about = { kind: 'spawn', dedupeKey: null, fingerprint: null, payload: null, acceptedAt: 0 } as const;
  return { ...about, runId: sessionKey, sessionKey, status: 'queued' };
}

function withCommit(store: Store, commit: Store['commit']): Store {
  return Object.create(store, {
    commit: { value: commit },
    count: { value: store.count.bind(store) },
    select: { value: store.select.bind(store) },
  });
}

async function scratchStore(): Promise<{ store: Store; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-lanes-'));
  const store = await openSqliteStore({ file: join(dir, 'atrium.sqlite') });
  return {
    store,
    async remove() {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
