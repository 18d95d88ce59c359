import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { NewRow, Store } from '../../store/store.ts';
import type { RunRow } from '../../store/tables.ts';
import { storeForEachTest } from '../../testkit/for-each-test.ts';
import { Waits } from './waits.ts';

const scratch = storeForEachTest();
const surface = { channel: 'test', accountId: 'default', peer: { kind: 'direct', id: 'ana' } } as const;
let store: Store;
let now: number;
let open: Set<string>;
let woken: string[];
let told: string[];
let listener: (event: LiveEvent) => void;
let waits: Waits;

beforeEach(async () => {
  ({ store } = scratch);
  now = 1_000;
  open = new Set(['child-1', 'child-2']);
  woken = [];
  told = [];
  waits = create();
});

function create(): Waits {
  return new Waits({
    store,
    unended: async (keys) => keys.filter((key) => open.has(key)),
    concerns: () => true,
    subscribe: (given) => {
      listener = given;
      return () => {};
    },
    wakeLane: (key) => woken.push(key),
    tell: (async (name: string, facts: { outcome: string }) => told.push(`${name} ${facts.outcome}`)) as never,
    now: () => now,
    warn: () => {},
  });
}

describe('a run that waits for other sessions', () => {
  it('is woken once, when the last of them has ended', async () => {
    await suspend({ isAnyEnough: false });
    await waits.open();
    expect(await wakers()).toEqual([]);
    open.delete('child-1');
    listener({} as LiveEvent);
    await waits.close();
    expect(await wakers()).toEqual([]);
    open.delete('child-2');
    for (const _ of ['after a restart', 'and another one']) {
      const next = create();
      await next.open();
      await next.close();
    }
    expect(await wakers()).toEqual(['r1 wake']);
    expect(woken).toEqual(['a']);
    expect(told).toEqual(['wait-ended over']);
  });

  it('is woken by the first of them where one is enough', async () => {
    await suspend({ isAnyEnough: true });
    await waits.open();
    expect(await wakers()).toEqual([]);
    open.delete('child-2');
    listener({} as LiveEvent);
    await vi.waitFor(async () => expect(await wakers()).toEqual(['r1 wake']), { interval: 2 });
    await waits.close();
  });

  it('is woken when its time is over, also when that was while no gateway ran', async () => {
    await suspend({ isAnyEnough: false });
    now = 2_000;
    await waits.open();
    expect(await wakers()).toEqual(['r1 wake']);
    await waits.close();
  });

  it('is stopped with a reason, before it is woken and after, and never twice', async () => {
    await suspend({ isAnyEnough: false });
    expect(await waits.cancel('r1', 'a person said /stop')).toBe(true);
    expect(await waits.cancel('r1', 'again')).toBe(false);
    expect(await wakers()).toEqual(['r1 wake']);
    expect(await store.select('waits')).toMatchObject([{ status: 'cancelled', reason: 'a person said /stop' }]);
    expect(await waits.cancel('r2', 'it does not exist')).toBe(false);
  });

  it('is stopped also when it was woken and has not gone on yet, by the same trigger', async () => {
    await suspend({ isAnyEnough: false });
    now = 2_000;
    await waits.open();
    expect(await waits.cancel('r1', 'too late')).toBe(true);
    expect(await wakers()).toEqual(['r1 wake']);
    expect(await store.select('waits')).toMatchObject([{ status: 'cancelled' }]);
    await waits.close();
  });
});

describe('a run that waits for its client', () => {
  const handed = { id: 'call_r1_1_0', name: 'look_up', params: {}, said: '' };
  const statuses = async () => (await store.select('waits')).map(({ status, reason }) => [status, reason]);

  it('goes on waiting, and is stopped when its time is over', async () => {
    await suspend({ handed });
    await waits.open();
    expect(await statuses()).toEqual([['waiting', null]]);
    now = 2_000;
    listener({} as LiveEvent);
    await vi.waitFor(async () => expect(await wakers()).toEqual(['r1 wake']), { interval: 2 });
    expect(await statuses()).toEqual([['cancelled', 'the client brought no result of its tool within 2 seconds']]);
    await waits.close();
  });

  it('is stopped by a message that came after the call, and not by one before it', async () => {
    await suspend({ handed });
    await message(-1);
    await waits.open();
    expect(await statuses()).toEqual([['waiting', null]]);
    await message(900);
    waits.messageCame('a');
    await vi.waitFor(async () => expect((await statuses())[0]?.join(' ')).toMatch(/^cancelled a new message/), {
      interval: 2,
    });
    expect(await wakers()).toContain('r1 wake');
    await waits.close();
  });
});

async function message(acceptedAt: number): Promise<void> {
  const inbound = { surface, sender: { id: 'ana' }, text: 'Something else', at: 0 };
  const row: NewRow<'inbox'> = {
    runId: `r${acceptedAt}`,
    sessionKey: 'a',
    kind: 'api',
    dedupeKey: null,
    fingerprint: null,
    payload: { inbound, agentId: 'main' },
    acceptedAt,
    status: 'queued',
  };
  await store.commit([{ insert: 'inbox', row }], { site: 'accept' });
}

async function suspend({
  isAnyEnough = false,
  handed = null,
}: {
  readonly isAnyEnough?: boolean;
  readonly handed?: NewRow<'waits'>['handed'];
}): Promise<void> {
  const inbound = { surface, sender: { id: 'ana' }, text: 'Hello', at: 0 };
  const trigger: NewRow<'inbox'> = {
    runId: 'r1',
    sessionKey: 'a',
    kind: 'message',
    dedupeKey: null,
    fingerprint: null,
    payload: { inbound, agentId: 'main' },
    acceptedAt: 0,
    status: 'claimed',
  };
  const run: RunRow = {
    runId: 'r1',
    sessionKey: 'a',
    agentId: 'main',
    sessionId: null,
    status: 'suspended',
    claim: 1,
    progressClaim: 1,
    startedAt: 0,
    endedAt: null,
    outcome: null,
    observed: false,
    node: null,
    stopReason: null,
  };
  const wait: NewRow<'waits'> = {
    runId: 'r1',
    place: '1.0',
    sessionKey: 'a',
    toolCallId: 'c1',
    awaited: handed ? [] : ['child-1', 'child-2'],
    isAnyEnough,
    createdAt: 0,
    expiresAt: 1_500,
    status: 'waiting',
    handed,
    given: null,
    reason: null,
  };
  await store.commit(
    [
      { insert: 'inbox', row: trigger },
      { insert: 'runs', row: run },
      { insert: 'waits', row: wait },
    ],
    { site: 'suspend' },
  );
}

async function wakers(): Promise<readonly string[]> {
  const rows = await store.select('inbox', { where: { status: 'queued' } });
  return rows.map(({ runId, kind }) => `${runId} ${kind}`);
}
