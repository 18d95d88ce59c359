import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { planSessionDeletion } from './delete-session.ts';
import { planSessionEnd } from './end-session.ts';
import { loadSession, planSession, type SessionPlan, type SessionRequest } from './open-session.ts';

const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'ana' } } as const;
const sessionKey = 'agent:main:web:direct:ana';

let store: Store;
let dir: string;
beforeEach(async () => {
  dir = await folderForTest();
  store = await openSqliteStore({ file: join(dir, 'atrium.sqlite') });
});
afterEach(() => store.close());

const sessions = () => store.select('sessions', { orderBy: [['startedAt', 'asc']] });

/** Sessions end daily, here at midnight. */
const lifetime = () => ({ timezone: 'UTC', reset: { mode: 'daily', atHour: 0 } }) as const;
const DAY = 86_400_000;

async function open(
  request: Partial<SessionRequest> & Pick<SessionRequest, 'now'>,
  ...given: readonly (SessionRow | undefined)[]
): Promise<SessionPlan> {
  const current = given.length > 0 ? given[0] : (await sessions()).at(-1);
  const plan = planSession(current, lifetime(), { agentId: 'main', sessionKey, surface, ...request });
  if (plan.ended) {
    const { session, reason, endedAt, next } = plan.ended;
    const insert = next ? [{ insert: 'sessions', row: next } as const] : [];
    await store.commit([...planSessionEnd(session, reason, endedAt), ...insert], { site: 'session' });
  }
  await store.commit(plan.writes, { site: 'request' });
  return plan;
}

describe('planSession', () => {
  it('opens the first session of a key', async () => {
    const { session, isNew, ended } = await open({ now: 1 });
    expect({ isNew, ended }).toEqual({ isNew: true, ended: undefined });
    expect(await sessions()).toEqual([session]);
    expect(session).toEqual({
      sessionId: expect.stringMatching(/^ses_/),
      sessionKey,
      agentId: 'main',
      startedAt: 1,
      activeAt: 1,
      endedAt: null,
      endReason: null,
      surface,
      resumedFrom: null,
      endToTell: false,
      title: null,
      archivedAt: null,
      seenAt: null,
      branchOf: null,
      branchAt: null,
      state: {},
    });
  });

  it('goes on with the session that is open, and keeps where the last message came from', async () => {
    const { session: first } = await open({ now: 1 });
    const elsewhere = { ...surface, peer: { kind: 'direct', id: 'ana-2' } } as const;
    const { session, isNew } = await open({ now: 2, surface: elsewhere });
    expect(isNew).toBe(false);
    expect(session).toMatchObject({ sessionId: first.sessionId, startedAt: 1, activeAt: 2, surface: elsewhere });
    expect(await sessions()).toEqual([session]);
    expect((await open({ now: 3, surface: null })).session.surface).toEqual(elsewhere);
  });

  it('plans the end of the old session with its reason, and another in its place', async () => {
    const { session: old } = await open({ now: 1 });
    const { session, ended, isNew } = await open({ now: DAY });
    expect({ ended, isNew }).toEqual({
      ended: { session: old, reason: 'daily', endedAt: DAY, next: session },
      isNew: true,
    });
    expect(await sessions()).toMatchObject([
      { sessionId: old.sessionId, endedAt: DAY, endReason: 'daily' },
      { sessionId: session.sessionId, endedAt: null, resumedFrom: old.sessionId },
    ]);
    expect(session.activeAt).toBe(DAY);
  });

  it('opens a new session after one that has ended already', async () => {
    const { session } = await open({ now: 1 });
    await store.commit(planSessionEnd(session, 'reset', 2), { site: 'session' });
    const next = await open({ now: 3, reset: 'new' });
    expect(next).toMatchObject({ isNew: true, session: { resumedFrom: session.sessionId } });
    expect(next.ended).toBeUndefined();
    expect((await sessions())[0]).toMatchObject({ endedAt: 2, endReason: 'reset' });
  });

  it('fails its commit when an operator has ended the session meanwhile', async () => {
    const { session } = await open({ now: 1 });
    await store.commit(planSessionEnd(session, 'reset', 2), { site: 'session' });
    await expect(open({ now: 3 }, session)).rejects.toMatchObject({ name: 'PreconditionFailedError' });
    await expect(open({ now: 3, reset: 'new' }, session)).rejects.toMatchObject({ name: 'PreconditionFailedError' });
    expect(await sessions()).toHaveLength(1);
  });
});

describe('loadSession', () => {
  it('leaves out what a summary has replaced, and loads all of it for a run that is taken up again', async () => {
    const { session } = await open({ now: 1 });
    const { sessionId } = session;
    const entry = (position: number, kind: 'message' | 'compaction', meta = {}) =>
      ({
        insert: 'transcript',
        row: {
          sessionId,
          position,
          runId: 'run_1',
          at: 1,
          kind,
          message: { role: 'user', content: `entry ${position}` },
          shown: null,
          meta,
        },
      }) as const;
    const before = [1, 2, 3, 4].map((position) => entry(position, 'message'));
    await store.commit([...before, entry(5, 'compaction', { summarisedTo: 3 }), entry(6, 'message')], {
      site: 'request',
    });
    const ask = { agentId: 'main', sessionKey, surface, now: 2 };
    const positions = async (more: object) =>
      (await loadSession({ store, lifetime }, { ...ask, ...more })).entries.map(({ position }) => position);
    expect(await positions({})).toEqual([4, 5, 6]);
    expect(await positions({ begun: { runId: 'run_1', hasSteps: true } })).toEqual([1, 2, 3, 4, 5, 6]);
  });

  const ask = { agentId: 'main', sessionKey, surface, now: 9, reset: 'new' as const };
  const begun = (hasSteps: boolean) => ({ ...ask, begun: { runId: 'r1', hasSteps } });

  /** A run that ended one session and is in the next. */
  async function rolledOver(): Promise<SessionRow> {
    await open({ now: 1 });
    const { session } = await open({ now: 2, reset: 'new' });
    const run = { runId: 'r1', sessionKey, agentId: 'main', sessionId: session.sessionId, status: 'running' } as const;
    const rest = {
      claim: 1,
      progressClaim: 0,
      startedAt: 2,
      endedAt: null,
      outcome: null,
      observed: false,
      node: null,
      stopReason: null,
    };
    await store.commit([{ insert: 'runs', row: { ...run, ...rest } }], { site: 'claim' });
    return session;
  }

  it('ends no second session for a run that is taken up again', async () => {
    const { sessionId } = await rolledOver();
    const { plan, isFresh } = await loadSession({ store, lifetime }, begun(false));
    expect(plan).toMatchObject({ session: { sessionId, activeAt: 9 }, isNew: false });
    expect(plan.ended).toBeUndefined();
    expect(isFresh).toBe(true);
    // The same message in another run asks again for a new session.
    expect((await loadSession({ store, lifetime }, ask)).plan.ended).toMatchObject({ session: { sessionId } });
  });

  it('opens another for such a run when its session was ended meanwhile, unless it has said something there', async () => {
    const session = await rolledOver();
    await store.commit(planSessionEnd(session, 'reset', 5), { site: 'session' });
    const { plan } = await loadSession({ store, lifetime }, begun(false));
    expect(plan).toMatchObject({ isNew: true, session: { resumedFrom: session.sessionId } });
    const resumed = await loadSession({ store, lifetime }, begun(true));
    expect(resumed.plan).toMatchObject({ session: { sessionId: session.sessionId }, writes: [], isNew: false });
  });
});

describe('planSessionEnd', () => {
  it('has nothing to write for a session that has ended', () => {
    const ended = { endedAt: 5 } as SessionRow;
    expect(planSessionEnd(ended, 'reset', 6)).toEqual([]);
  });
});

describe('planSessionDeletion', () => {
  it('removes what was said in the sessions of a key, and nothing of others', async () => {
    const first = (await open({ now: 1 })).session;
    const second = (await open({ now: 2, reset: 'new' })).session;
    const other = 'agent:main:web:direct:bob';
    const third = (await open({ now: 3, sessionKey: other }, undefined)).session;
    for (const [sessionId, runId, key] of [
      [first.sessionId, 'r1', sessionKey],
      [second.sessionId, 'r2', sessionKey],
      [third.sessionId, 'r3', other],
    ] as const) {
      const message = { role: 'user', content: 'a secret' } as const;
      const payload = { agentId: 'main', inbound: { surface, sender: { id: 'ana' }, text: 'a secret', at: 0 } };
      await store.commit(
        [
          {
            insert: 'transcript',
            row: { sessionId, position: 1, runId, at: 0, kind: 'message', message, shown: null, meta: {} },
          },
          {
            insert: 'inbox',
            row: {
              runId,
              sessionKey: key,
              kind: 'message',
              dedupeKey: null,
              fingerprint: null,
              payload,
              acceptedAt: 0,
              status: 'done',
            },
          },
        ],
        { site: 'request' },
      );
    }
    await store.commit(planSessionEnd(second, 'deleted', 10), { site: 'session' });
    const ofKey = await store.select('sessions', { where: { sessionKey } });
    const manyRuns = ['r1', 'r2', ...Array.from({ length: 1_200 }, (_, index) => `gone-${index}`)];
    await store.commit(planSessionDeletion(sessionKey, ofKey, manyRuns), { site: 'session' });

    expect((await store.select('transcript')).map(({ runId }) => runId)).toEqual(['r3']);
    const payloads = await store.select('inbox', { orderBy: [['seq', 'asc']] });
    expect(payloads.map(({ runId, payload }) => [runId, payload !== null])).toEqual([
      ['r1', false],
      ['r2', false],
      ['r3', true],
    ]);
    expect(await sessions()).toMatchObject([
      { sessionId: first.sessionId, endReason: 'deleted', surface: null },
      { sessionId: second.sessionId, endReason: 'deleted', endedAt: 10, surface: null },
      { sessionId: third.sessionId, endReason: null },
    ]);
  });
});
