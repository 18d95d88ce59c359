// What every implementation of Lanes must do, as tests over a real store. The test file of an implementation passes a
// function that makes one. Its pauses after failures must be short, because the suite waits for them.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunInterruptedError, RunStoppedError } from '../protocol/errors.ts';
import type { RunStatus } from '../protocol/live-event.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { NewRow, Store, Write } from '../store/store.ts';
import { RESUMING_KINDS, type RunRow, type TriggerKind } from '../store/tables.ts';
import type { Lanes, LaneWork } from './lanes.ts';

export interface LanesUnderTest {
  readonly store: Store;
  /**
   * Makes a fresh instance over the same store, as another process would. With `hasLongPauses`, it pauses so long after a
   * failure that another key surely gets its turn meanwhile.
   */
  lanes(limit: number, hasLongPauses?: boolean): Lanes | Promise<Lanes>;
  /** The process of these lanes is gone from now on. Without it an instance that is made later knows of no other. */
  end?(lanes: Lanes): Promise<void>;
  /** The store with which these lanes commit, if it is another one than `store`. */
  storeOf?(lanes: Lanes): Store;
  /** How many triggers the test of many has; fewer where each costs more. */
  readonly many?: number | undefined;
  remove(): Promise<void>;
}

export function describeLanes(name: string, make: () => Promise<LanesUnderTest>): void {
  describe(`${name}, as lanes`, () => {
    let under: LanesUnderTest;
    let store: Store;
    /** The store of the lanes that were opened last: what a run commits comes after its claim. */
    let runStore: Store;
    const opened: Lanes[] = [];

    beforeEach(async () => {
      under = await make();
      store = under.store;
      runStore = store;
    });
    afterEach(async () => {
      for (const lanes of opened.splice(0)) await lanes.close(0);
      await under.remove();
    });

    async function open(
      limit: number,
      work: Partial<LaneWork> & Pick<LaneWork, 'run'>,
      { hasLongPauses = false } = {},
    ): Promise<Lanes> {
      const lanes = await under.lanes(limit, hasLongPauses);
      opened.push(lanes);
      runStore = under.storeOf?.(lanes) ?? store;
      await lanes.open({
        giveUp: async ({ claim }) => end(claim, 'failed'),
        ...work,
      });
      return lanes;
    }

    async function queue(...rows: readonly (readonly [sessionKey: string, runId: string, kind?: TriggerKind])[]) {
      await store.commit(
        rows.map(([sessionKey, runId, kind = 'message']) => ({
          insert: 'inbox',
          row: trigger(sessionKey, runId, kind),
        })),
        { site: 'accept' },
      );
    }

    /** Does what a run does at its end. */
    async function end(claim: ClaimedTrigger['claim'], status: RunStatus = 'done'): Promise<void> {
      const writes: Write[] = [
        { update: 'runs', where: { runId: claim.runId }, set: { status, endedAt: 1, progressClaim: claim.claim } },
        { update: 'inbox', where: { runId: claim.runId }, set: { status: 'done' } },
      ];
      await runStore.commit(writes, { site: 'result', claim });
    }

    async function runOf(runId: string): Promise<RunRow> {
      const [row] = await store.select('runs', { where: { runId } });
      if (!row) throw new Error(`There is no run ${runId}.`);
      return row;
    }

    const openRows = () => store.count('inbox', { status: { in: ['queued', 'claimed'] } });
    const allDone = () => eventually(async () => expect(await openRows()).toBe(0));

    it('runs the triggers of one key in order, one after the other', async () => {
      const told: string[] = [];
      await queue(['a', 'r1'], ['a', 'r2'], ['a', 'r3']);
      await open(8, {
        async run({ claim }) {
          told.push(`${claim.runId} begins`);
          await turnOfTheLoop();
          await end(claim);
          told.push(`${claim.runId} ends`);
        },
      });
      await allDone();
      expect(told).toEqual(['r1 begins', 'r1 ends', 'r2 begins', 'r2 ends', 'r3 begins', 'r3 ends']);
    });

    it('hands over the trigger as it was accepted, under its first claim', async () => {
      const seen: ClaimedTrigger[] = [];
      const lanes = await open(1, {
        async run(claimed) {
          seen.push(claimed);
          await end(claimed.claim);
        },
      });
      await queue(['agent:lena:main', 'r1']);
      lanes.wake('agent:lena:main');
      await allDone();
      expect(seen).toMatchObject([
        {
          trigger: { runId: 'r1', sessionKey: 'agent:lena:main', kind: 'message', status: 'claimed' },
          claim: { runId: 'r1', claim: 1 },
          attempt: 1,
        },
      ]);
      expect(seen[0]?.trigger.payload?.inbound.text).toBe('r1');
      expect(await runOf('r1')).toMatchObject({ agentId: 'lena', sessionId: null, claim: 1, observed: false });
    });

    it('runs different keys side by side, up to the limit', async () => {
      const gates = new Map<string, () => void>();
      await queue(['a', 'r1'], ['b', 'r2'], ['c', 'r3']);
      const lanes = await open(2, {
        async run({ claim }) {
          await new Promise<void>((go) => gates.set(claim.runId, go));
          await end(claim);
        },
      });
      await eventually(() => expect([...gates.keys()].sort()).toEqual(['r1', 'r2']));
      expect(lanes.running.map(({ sessionKey, runId }) => [sessionKey, runId])).toEqual([
        ['a', 'r1'],
        ['b', 'r2'],
      ]);
      await eventually(async () => expect(await lanes.waiting()).toBe(1));
      gates.get('r2')?.();
      await eventually(() => expect([...gates.keys()].sort()).toEqual(['r1', 'r2', 'r3']));
      gates.get('r1')?.();
      gates.get('r3')?.();
      await allDone();
      await eventually(() => expect(lanes.running).toEqual([]));
    });

    it('lets every key have its turn when one of them has much to do', async () => {
      const order: string[] = [];
      await queue(['busy', 'r1'], ['busy', 'r2'], ['busy', 'r3'], ['quiet', 'r4']);
      await open(1, {
        async run({ claim }) {
          order.push(claim.runId);
          await end(claim);
        },
      });
      await allDone();
      expect(order).toEqual(['r1', 'r4', 'r2', 'r3']);
    });

    it('takes what arrives while its key is running as the next', async () => {
      const order: string[] = [];
      const lanes = await open(4, {
        async run({ claim }) {
          order.push(claim.runId);
          if (claim.runId === 'r1') {
            await queue(['a', 'r2']);
            lanes.wake('a');
            await turnOfTheLoop();
            expect(order).toEqual(['r1']);
          }
          await end(claim);
        },
      });
      await queue(['a', 'r1']);
      lanes.wake('a');
      await eventually(async () => {
        expect(order).toEqual(['r1', 'r2']);
        expect(await openRows()).toBe(0);
      });
    });

    it('takes up what a dead process left, first and under a higher claim, and the dead one can no longer write', async () => {
      const dead = deferred<ClaimedTrigger>();
      await queue(['a', 'r1'], ['a', 'r2']);
      const first = await open(1, {
        run(claimed) {
          dead.resolve(claimed);
          return new Promise((_, fail) => claimed.signal.addEventListener('abort', () => fail(claimed.signal.reason)));
        },
      });
      const old = await dead.promise;
      await eventually(async () => expect(await store.count('inbox', { status: 'claimed' })).toBe(1));
      await under.end?.(first);

      const order: string[] = [];
      await open(1, {
        async run({ claim, attempt }) {
          if (claim.runId === 'r1') await expect(end(old.claim)).rejects.toMatchObject({ name: 'ClaimLostError' });
          order.push(`${claim.runId} attempt ${attempt}`);
          await end(claim);
        },
      });
      await allDone();
      expect(order).toEqual(['r1 attempt 2', 'r2 attempt 1']);
      await expect(end(old.claim, 'failed')).rejects.toMatchObject({ name: 'ClaimLostError' });
      expect(await runOf('r1')).toMatchObject({ status: 'done', claim: 2 });
    });

    it('tries a run that failed again before any later trigger', async () => {
      const order: string[] = [];
      await queue(['a', 'r1'], ['a', 'r2']);
      await open(4, {
        async run({ claim, attempt }) {
          order.push(`${claim.runId} attempt ${attempt}`);
          if (claim.runId === 'r1' && attempt < 3) throw new Error('the model is on fire');
          await end(claim);
        },
      });
      await allDone();
      expect(order).toEqual(['r1 attempt 1', 'r1 attempt 2', 'r1 attempt 3', 'r2 attempt 1']);
    });

    it('does not take a handler that returned for a run that ended', async () => {
      const attempts: number[] = [];
      await queue(['a', 'r1']);
      await open(1, {
        async run({ claim, attempt }) {
          attempts.push(attempt);
          if (attempt === 2) await end(claim);
        },
      });
      await allDone();
      expect(attempts).toEqual([1, 2]);
    });

    it('lets others run while one pauses', async () => {
      const order: string[] = [];
      await queue(['a', 'r1'], ['b', 'r2']);
      const work: Pick<LaneWork, 'run'> = {
        async run({ claim, attempt }) {
          order.push(claim.runId);
          if (claim.runId === 'r1' && attempt === 1) throw new Error('not now');
          await end(claim);
        },
      };
      await open(1, work, { hasLongPauses: true });
      await allDone();
      expect(order).toEqual(['r1', 'r2', 'r1']);
    });

    it('gives a run up that was claimed three times without progress, and goes on with the next', async () => {
      const told: string[] = [];
      await queue(['a', 'r1'], ['a', 'r2']);
      await open(1, {
        async run({ claim, attempt }) {
          told.push(`${claim.runId} attempt ${attempt}`);
          if (claim.runId === 'r1') throw new Error('this message kills');
          await end(claim);
        },
        async giveUp({ claim, attempt }) {
          told.push(`${claim.runId} given up at claim ${attempt}`);
          await end(claim, 'failed');
        },
      });
      await allDone();
      expect(told).toEqual(['r1 attempt 1', 'r1 attempt 2', 'r1 attempt 3', 'r1 given up at claim 4', 'r2 attempt 1']);
      expect((await runOf('r1')).status).toBe('failed');
    });

    it('gives nothing up that makes progress', async () => {
      let attempts = 0;
      await queue(['a', 'r1']);
      await open(1, {
        async run({ claim }) {
          attempts = claim.claim;
          if (attempts === 8) return end(claim);
          const set = { progressClaim: claim.claim };
          await runStore.commit([{ update: 'runs', where: { runId: 'r1' }, set }], { site: 'tool-result', claim });
          throw new Error('one step, then a fall');
        },
        giveUp: () => Promise.reject(new Error('given up')),
      });
      await allDone();
      expect(attempts).toBe(8);
    });

    it('does not run again what has ended, even if its trigger is still open', async () => {
      await queue(['a', 'r1'], ['a', 'r2'], ['b', 'r3'], ['c', 'r4'], ['d', 'r5']);
      const ended: readonly RunStatus[] = ['done', 'failed', 'stopped', 'blocked'];
      for (const [index, status] of ended.entries()) {
        const runId = `r${index + 2}`;
        await store.commit(
          [
            { insert: 'runs', row: run('a', runId, status) },
            { update: 'inbox', where: { runId }, set: { status: 'claimed' } },
          ],
          { site: 'claim' },
        );
      }
      const order: string[] = [];
      await open(1, {
        async run({ claim }) {
          order.push(claim.runId);
          await end(claim);
        },
      });
      await allDone();
      expect(order).toEqual(['r1']);
      expect(await store.count('inbox', { status: 'done' })).toBe(5);
    });

    it('stops the run of a key and no other, and says when there is none', async () => {
      const started: string[] = [];
      const reasons: unknown[] = [];
      await queue(['a', 'r1'], ['b', 'r2']);
      const lanes = await open(2, {
        async run({ claim, signal }) {
          started.push(claim.runId);
          await aborted(signal);
          reasons.push(signal.reason);
          await end(claim, 'stopped');
        },
      });
      await eventually(() => expect(started.sort()).toEqual(['r1', 'r2']));
      expect(await lanes.stop('c', 'no run there')).toBe(false);
      expect(await lanes.stop('a', 'the user said /stop')).toBe(true);
      await eventually(async () => expect((await runOf('r1')).status).toBe('stopped'));
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toBeInstanceOf(RunStoppedError);
      expect(reasons[0]).toMatchObject({ reason: 'the user said /stop' });
      await eventually(() => expect(lanes.running.map(({ runId }) => runId)).toEqual(['r2']));
      expect(await lanes.stop('a', 'again')).toBe(false);
      await lanes.stop('b', 'done here');
      await allDone();
    });

    it('begins no run of a key that is held, and lets the one that has begun go on', async () => {
      const told: string[] = [];
      await queue(['a', 'r1'], ['a', 'r2'], ['b', 'r3']);
      let letFirstEnd = () => {};
      const mayEnd = new Promise<void>((resolve) => {
        letFirstEnd = resolve;
      });
      const lanes = await open(2, {
        async run({ claim }) {
          told.push(`${claim.runId} begins`);
          if (claim.runId === 'r1') await mayEnd;
          told.push(`${claim.runId} ends`);
          await end(claim, 'done');
        },
      });
      await eventually(() => expect(told).toContain('r1 begins'));
      const release = await lanes.hold('a');
      const releaseToo = await lanes.hold('a');
      letFirstEnd();
      await eventually(() => expect(told).toEqual(expect.arrayContaining(['r1 ends', 'r3 ends'])));
      await eventually(() => expect(lanes.running).toEqual([]));
      release();
      release();
      lanes.wake('a');
      await eventually(async () => expect((await runOf('r1')).status).toBe('done'));
      expect(told).not.toContain('r2 begins');
      releaseToo();
      await allDone();
      expect(told.slice(-2)).toEqual(['r2 begins', 'r2 ends']);
    });

    it('keeps a run stopped that was stopped between two attempts, and only that one', async () => {
      const told: string[] = [];
      await queue(['a', 'r1'], ['a', 'r2']);
      const lanes = await open(1, {
        async run({ claim, attempt, signal }) {
          told.push(`${claim.runId} ${signal.aborted ? 'stopped' : 'running'}`);
          if (claim.runId === 'r1' && attempt === 1) {
            await lanes.stop('a', 'enough');
            throw new Error('the store did not answer');
          }
          await end(claim, signal.aborted ? 'stopped' : 'done');
        },
      });
      await allDone();
      expect(told).toEqual(['r1 running', 'r1 stopped', 'r2 running']);
    });

    it.each([
      ...RESUMING_KINDS,
    ])('keeps the lane of a suspended run shut until its %s comes, across restarts, without a slot', async (resuming) => {
      const told: string[] = [];
      const work: Pick<LaneWork, 'run'> = {
        async run({ claim, trigger: { kind } }) {
          told.push(`${claim.runId} ${kind}`);
          if (claim.runId !== 'r1' || kind === resuming) return end(claim);
          await runStore.commit(
            [{ update: 'runs', where: { runId: 'r1' }, set: { status: 'suspended', progressClaim: claim.claim } }],
            { site: 'tool-start', claim },
          );
        },
      };
      await queue(['a', 'r1'], ['a', 'r2'], ['b', 'r3']);
      const first = await open(1, work);
      await eventually(() => expect(told).toEqual(['r1 message', 'r3 message']));
      first.wake('a');
      await eventually(() => expect(first.running).toEqual([]));
      expect(await first.stop('a', 'it is not running')).toBe(false);
      await first.close(1_000);
      await under.end?.(first);

      const second = await open(1, work);
      await queue(['b', 'r4'], ['a', 'r5']);
      second.wake('a');
      second.wake('b');
      await eventually(() => expect(told).toEqual(['r1 message', 'r3 message', 'r4 message']));
      await queue(['a', 'r1', resuming]);
      second.wake('a');
      await allDone();
      expect(told.slice(3)).toEqual([`r1 ${resuming}`, 'r2 message', 'r5 message']);
      expect(await runOf('r1')).toMatchObject({ status: 'done', claim: 2 });
    });

    describe('when the work wants some triggers together', () => {
      const joining: LaneWork['joining'] = {
        kind: 'completion',
        limit: 3,
        takes: (taken, { kind, payload }) => kind === taken[0]?.kind && payload?.inbound.text !== 'alone',
      };
      const inboxOf = async (runId: string) =>
        (await runStore.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']] })).map(
          ({ payload, status }) => `${payload?.inbound.text} ${status}`,
        );

      it('claims those that wait directly one behind the other as one run, up to the limit', async () => {
        const told: string[] = [];
        await queue(
          ['a', 'r1', 'completion'],
          ['a', 'r2', 'completion'],
          ['a', 'r3'],
          ['a', 'r4', 'completion'],
          ['a', 'alone', 'completion'],
          ['a', 'r6', 'completion'],
          ['b', 'r7', 'completion'],
          ['a', 'r8', 'completion'],
          ['a', 'r9', 'completion'],
        );
        await open(1, {
          joining,
          async run({ claim }) {
            if (claim.runId !== 'r7') told.push((await inboxOf(claim.runId)).join(', '));
            await end(claim);
          },
        });
        await allDone();
        expect(told).toEqual([
          'r1 claimed, r2 claimed',
          'r3 claimed',
          'r4 claimed',
          'alone claimed, r6 claimed, r8 claimed',
          'r9 claimed',
        ]);
        expect(await store.count('runs')).toBe(6);
      });

      it('keeps them together when the process dies, and does not add those that came meanwhile', async () => {
        const begun = deferred<void>();
        const told: string[] = [];
        await queue(['a', 'r1', 'completion'], ['a', 'r2', 'completion']);
        const first = await open(1, {
          joining,
          async run({ signal }) {
            begun.resolve();
            await aborted(signal);
            throw signal.reason;
          },
        });
        await begun.promise;
        await first.close(0);
        await under.end?.(first);
        await queue(['a', 'r3', 'completion']);
        await open(1, {
          joining,
          async run({ claim, trigger: { payload } }) {
            told.push(`${payload?.inbound.text}: ${(await inboxOf(claim.runId)).join(', ')}`);
            await end(claim);
          },
        });
        await allDone();
        expect(told).toEqual(['r1: r1 claimed, r2 claimed', 'r3: r3 claimed']);
        expect(await runOf('r1')).toMatchObject({ status: 'done', claim: 2 });
      });
    });

    it('opens the lane of a suspended run that was ended from outside', async () => {
      const told: string[] = [];
      await queue(['a', 'r1'], ['a', 'r2']);
      const suspended: Write = { insert: 'runs', row: run('a', 'r1', 'suspended') };
      const claimed: Write = { update: 'inbox', where: { runId: 'r1' }, set: { status: 'claimed' } };
      await store.commit([suspended, claimed], { site: 'claim' });
      const lanes = await open(1, {
        async run({ claim }) {
          told.push(claim.runId);
          await end(claim);
        },
      });
      await turnOfTheLoop();
      expect(told).toEqual([]);
      await store.commit([{ update: 'runs', where: { runId: 'r1' }, set: { status: 'stopped' } }], { site: 'control' });
      lanes.wake('a');
      await allDone();
      expect(told).toEqual(['r2']);
    });

    it('waits for what is running when it closes, and starts nothing more', async () => {
      const started: string[] = [];
      const gate = deferred<void>();
      await queue(['a', 'r1'], ['a', 'r2'], ['b', 'r3']);
      const lanes = await open(1, {
        async run({ claim }) {
          started.push(claim.runId);
          await gate.promise;
          await end(claim);
        },
      });
      await eventually(() => expect(started).toEqual(['r1']));
      const closing = lanes.close(10_000);
      lanes.wake('c');
      gate.resolve();
      await closing;
      expect((await runOf('r1')).status).toBe('done');
      expect(started).toEqual(['r1']);
      expect(await store.count('inbox', { status: 'queued' })).toBe(2);
    });

    it('aborts what outlasts the budget, and leaves it to the next process', async () => {
      const reasons: unknown[] = [];
      await queue(['a', 'r1'], ['b', 'r2']);
      const lanes = await open(2, {
        async run({ signal }) {
          await aborted(signal);
          reasons.push(signal.reason);
          throw signal.reason;
        },
      });
      await eventually(() => expect(lanes.running).toHaveLength(2));
      const patient = lanes.close(60_000);
      await lanes.close(0);
      await patient;
      expect(reasons).toHaveLength(2);
      for (const reason of reasons) expect(reason).toBeInstanceOf(RunInterruptedError);
      expect(lanes.running).toEqual([]);
      await under.end?.(lanes);

      const attempts: number[] = [];
      await open(2, {
        async run({ claim, attempt }) {
          attempts.push(attempt);
          await end(claim);
        },
      });
      await allDone();
      expect(attempts).toEqual([2, 2]);
    });

    it('does not count an attempt that a shutdown cut short', async () => {
      await queue(['a', 'r1']);
      for (let restart = 1; restart <= 5; restart++) {
        const lanes = await open(1, {
          async run({ signal }) {
            await aborted(signal);
            throw signal.reason;
          },
        });
        await eventually(() => expect(lanes.running).toHaveLength(1));
        await lanes.close(0);
        await under.end?.(lanes);
      }
      const attempts: number[] = [];
      await open(1, {
        async run({ claim, attempt }) {
          attempts.push(attempt);
          await end(claim);
        },
      });
      await allDone();
      expect(attempts).toEqual([6]);
    });

    it('does not wait for a pause when it closes', async () => {
      await queue(['a', 'r1']);
      const failed = deferred<void>();
      const lanes = await open(1, {
        async run() {
          failed.resolve();
          throw new Error('not today');
        },
      });
      await failed.promise;
      await lanes.close(60_000);
      expect(lanes.running).toEqual([]);
    });

    it('keeps the order of every key over thousands of triggers, and never runs two of one key at once', async () => {
      const keys = Array.from({ length: 61 }, (_, index) => `key-${index}`);
      const expected = new Map<string, string[]>(keys.map((key) => [key, []]));
      const rows = Array.from({ length: under.many ?? 2_500 }, (_, index) => {
        const key = keys[(index * 7919 + (index % 13) * 31) % keys.length] ?? '';
        expected.get(key)?.push(`r${index}`);
        return [key, `r${index}`] as const;
      });
      const half = Math.floor(rows.length / 2);
      await queue(...rows.slice(0, half));
      const finished = new Map<string, string[]>(keys.map((key) => [key, []]));
      const busy = new Set<string>();
      let most = 0;
      const lanes = await open(16, {
        async run({ claim, attempt, trigger: { sessionKey, seq } }) {
          expect(busy.has(sessionKey)).toBe(false);
          busy.add(sessionKey);
          most = Math.max(most, busy.size);
          try {
            if (seq % 5 === 0) await turnOfTheLoop();
            if (seq % 97 === 0 && attempt === 1) throw new Error('now and then');
            await end(claim);
            finished.get(sessionKey)?.push(claim.runId);
          } finally {
            busy.delete(sessionKey);
          }
        },
      });
      for (let from = half; from < rows.length; from += 100) {
        const batch = rows.slice(from, from + 100);
        await queue(...batch);
        for (const [key] of batch) lanes.wake(key);
        await turnOfTheLoop();
      }
      await eventually(async () => expect(await openRows()).toBe(0), 30_000);
      expect(finished).toEqual(expected);
      expect(most).toBe(16);
    });
  });
}

function trigger(sessionKey: string, runId: string, kind: TriggerKind): NewRow<'inbox'> {
  const peer = { kind: 'direct', id: 'ana' } as const;
  const inbound = {
    surface: { channel: 'test', accountId: 'default', peer },
    sender: { id: 'ana' },
    text: runId,
    at: 0,
  };
  const agentId = sessionKey.split(':')[1] ?? 'main';
  const payload = { inbound, agentId };
  return { runId, sessionKey, kind, dedupeKey: null, fingerprint: null, payload, acceptedAt: 0, status: 'queued' };
}

function run(sessionKey: string, runId: string, status: RunStatus): RunRow {
  return {
    runId,
    sessionKey,
    agentId: 'main',
    sessionId: null,
    status,
    claim: 1,
    progressClaim: 1,
    startedAt: 0,
    endedAt: null,
    outcome: null,
    observed: true,
    node: null,
    stopReason: null,
  };
}

function eventually(check: () => void | Promise<void>, timeout = 5_000): Promise<void> {
  return vi.waitFor(check, { timeout, interval: 2 });
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}

function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
