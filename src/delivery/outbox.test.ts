// Tests the outbox over a real store in a real file and the test channel. A crash is a second outbox over the same
// file, while the first one is no longer used.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChannelPort } from '../channels/channel.ts';
import { NO_FILES } from '../channels/fixtures/no-files.ts';
import { type Surface, surfaceId } from '../protocol/inbound.ts';
import { delegateStore } from '../store/delegate-store.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { NewRow, Store } from '../store/store.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { TestChannel } from '../testkit/test-channel.ts';
import { replayDeadLetter } from './dead-letters.ts';
import { type EndedDelivery, Outbox, type OutboxSettings } from './outbox.ts';

let dir: string;
let store: Store;
let channel: TestChannel;
let outbox: Outbox;
let events: EndedDelivery[];
let warnings: string[];
const opened: Outbox[] = [];
const owner = { sender: 'owner' };
const guest = { sender: 'guest' };
const NO_LISTENER: ChannelPort = {
  ...NO_FILES,
  receive: () => Promise.reject(new Error('no listener')),
  receiveChange: () => Promise.reject(new Error('no listener')),
};

beforeEach(async () => {
  dir = await folderForTest();
  store = await openSqliteStore({ file: join(dir, 'store.db') });
  channel = new TestChannel();
  await channel.open(NO_LISTENER);
  events = [];
  warnings = [];
  outbox = newOutbox();
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close(0);
  await store.close();
});

function newOutbox(settings: Partial<OutboxSettings> = {}): Outbox {
  const made = new Outbox({
    store,
    channels: (id) => (id === channel.id ? channel : undefined),
    now: Date.now,
    ended: async (delivery) => void events.push(delivery),
    maxAttempts: 3,
    warn: (sentence) => warnings.push(sentence),
    backOffMs: () => 5,
    ...settings,
  });
  opened.push(made);
  return made;
}

async function commit(...rows: readonly NewRow<'outbox'>[]): Promise<void> {
  await store.commit(
    rows.map((row) => ({ insert: 'outbox', row })),
    { site: 'result' },
  );
}

function row(text: string, surface: Surface, overrides: Partial<NewRow<'outbox'>> = {}): NewRow<'outbox'> {
  const at = Date.now();
  return {
    runId: `run_${text}`,
    part: 1,
    sessionKey: 'agent:main:main',
    surface,
    surfaceId: surfaceId(surface),
    text,
    options: {},
    status: 'queued',
    attempts: 0,
    nextAt: at,
    createdAt: at,
    expiresAt: at + 60_000,
    receipt: null,
    error: null,
    ...overrides,
  };
}

function to(place: { sender: string }, text: string, overrides: Partial<NewRow<'outbox'>> = {}): NewRow<'outbox'> {
  return row(text, channel.surface(place), overrides);
}

describe('sending', () => {
  it('sends what is committed and writes the receipt', async () => {
    await outbox.open();
    await commit(to(owner, 'hello'));
    outbox.wake();
    await channel.expectDelivered('hello', owner);
    expect(await outbox.drain(5_000)).toBe(0);
    expect(await store.select('outbox')).toMatchObject([
      { status: 'sent', attempts: 1, receipt: { messageId: 'message-1' }, error: null },
    ]);
    expect(events).toMatchObject([
      { outcome: 'sent', runId: 'run_hello', seq: 1, text: 'hello', messageId: 'message-1' },
    ]);
    expect(store.commits.receipt).toBe(1);
  });

  it('reads again after a read that failed, without a wake', async () => {
    await outbox.open();
    const { select } = store;
    store.select = () => {
      store.select = select;
      return Promise.reject(new Error('busy'));
    };
    await commit(to(owner, 'late but there'));
    outbox.wake();
    await channel.expectDelivered('late but there', owner);
  });

  it('keeps the order of one surface while a part is tried again, and lets other surfaces pass', async () => {
    await outbox.open();
    channel.script({ retry: 'slow down', afterMs: 50 });
    await commit(to(owner, 'one'), to(owner, 'two'), to(guest, 'other'), to(owner, 'three'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.shown(owner)).toEqual(['one', 'two', 'three']);
    expect(channel.shown()[0]).toBe('other');
  });

  it('does not make another surface wait for one that hangs', async () => {
    await outbox.open();
    channel.script('never-answers');
    await commit(to(owner, 'stuck'), to(guest, 'free'));
    outbox.wake();
    await channel.expectDelivered('free', guest);
    expect(outbox.pending).toBeGreaterThan(0);
  });

  it('sends each row once when it is woken many times', async () => {
    await outbox.open();
    for (let round = 0; round < 20; round++) {
      await commit(to(owner, `text ${round}`));
      outbox.wake();
      outbox.wake();
    }
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.tries.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, round) => `text ${round}`));
  });

  it('tells of a suppressed part without sending it', async () => {
    await outbox.open();
    await commit(to(owner, 'secret', { status: 'suppressed', receipt: { suppressed: { reason: 'policy' } } }));
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.tries).toEqual([]);
    expect(events).toMatchObject([{ outcome: 'suppressed' }]);
  });
});

describe('trying again', () => {
  it('keeps the key and counts the tries', async () => {
    await outbox.open();
    channel.script({ retry: 'busy' }, { retry: 'busy' });
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.tries.map(({ key, attempt }) => [key, attempt])).toEqual([
      ['run_hello:1', 1],
      ['run_hello:1', 2],
      ['run_hello:1', 3],
    ]);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent', attempts: 3 }]);
  });

  it('waits as long as the platform asks for', async () => {
    await outbox.open();
    channel.script({ retry: 'slow down', afterMs: 3_600_000 });
    await commit(to(owner, 'hello', { expiresAt: Date.now() + 7_200_000 }));
    outbox.wake();
    await vi.waitFor(async () => expect(await store.select('outbox')).toMatchObject([{ attempts: 1 }]));
    const [waiting] = await store.select('outbox');
    expect(waiting).toMatchObject({ status: 'queued', error: 'slow down' });
    expect((waiting?.nextAt ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
    expect(channel.tries).toHaveLength(1);
  });

  it('looks before it sends again what may have arrived', async () => {
    channel = await platformWithoutKeys();
    await outbox.open();
    channel.script('unknown-but-arrived');
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.shown(owner)).toEqual(['hello']);
    expect(channel.tries).toHaveLength(1);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent', receipt: { messageId: 'message-1' } }]);
  });

  it('sends again what did not arrive', async () => {
    channel = await platformWithoutKeys();
    await outbox.open();
    channel.script('unknown-and-lost', 'throws');
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.shown(owner)).toEqual(['hello']);
    expect(channel.tries).toHaveLength(3);
  });

  it('counts a channel that never answers as one that may have sent it', async () => {
    outbox = newOutbox({ sendTimeoutMs: 10 });
    await outbox.open();
    channel.script('never-answers');
    await commit(to(owner, 'hello'));
    outbox.wake();
    await channel.expectDelivered('hello', owner);
    await outbox.drain(5_000);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent', attempts: 2 }]);
  });
});

describe('giving up', () => {
  it.each([
    ['a definite failure', [{ fail: 'no such chat' }], 'no such chat'],
    ['too many tries', [{ retry: 'busy' }, { retry: 'busy' }, { retry: 'busy' }], 'busy, after 3 tries'],
    ['a wait that outlasts the time-to-live', [{ retry: 'busy', afterMs: 90_000 }], 'busy, and its time-to-live'],
  ] as const)('keeps the message as a dead letter after %s', async (_name, script, reason) => {
    await outbox.open();
    channel.script(...script);
    await commit(to(owner, 'hello', { options: { replyToId: 'm1' } }), to(owner, 'next'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(channel.shown(owner)).toEqual(['next']);
    const [letter] = await store.select('deadLetters');
    expect(letter).toMatchObject({
      direction: 'out',
      runId: 'run_hello',
      sessionKey: 'agent:main:main',
      payload: { surface: channel.surface(owner), text: 'hello', options: { replyToId: 'm1' } },
    });
    expect(letter?.reason).toContain(reason);
    expect(await store.select('outbox', { where: { runId: 'run_hello' } })).toMatchObject([{ status: 'dead' }]);
    expect(store.commits['dead-letter']).toBe(1);
    expect(events).toContainEqual(expect.objectContaining({ outcome: 'dead', runId: 'run_hello', text: 'hello' }));
    expect(warnings.join()).toContain(reason);
  });

  it('never sends what is older than its time-to-live', async () => {
    await commit(to(owner, 'stale', { expiresAt: Date.now() - 1 }));
    await outbox.open();
    await outbox.drain(5_000);
    expect(channel.tries).toEqual([]);
    expect(await store.select('deadLetters')).toMatchObject([{ reason: 'it is older than its time-to-live' }]);
  });

  it('keeps what is meant for a channel that is not there', async () => {
    await commit(row('lost', { channel: 'pigeon', accountId: 'default', peer: { kind: 'direct', id: 'x' } }));
    await outbox.open();
    await outbox.drain(5_000);
    expect(await store.select('deadLetters')).toMatchObject([{ reason: 'no channel "pigeon" is configured' }]);
  });

  it('writes reasons as one harmless line', async () => {
    await outbox.open();
    channel.script({ fail: 'bad\n\u001b[31mthing' });
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(await store.select('deadLetters')).toMatchObject([{ reason: 'bad thing' }]);
  });

  it('sends a dead letter again as a part of its own', async () => {
    await outbox.open();
    channel.script({ fail: 'no such chat' });
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.drain(5_000);
    const [letter] = await store.select('deadLetters');
    if (!letter) throw new Error('there is no dead letter');
    const writes = replayDeadLetter(letter, { partsOfRun: [1], now: Date.now(), ttlMs: 60_000 });
    await store.commit(writes, { site: 'dead-letter-answer' });
    outbox.wake();
    await channel.expectDelivered('hello', owner);
    await outbox.drain(5_000);
    expect(await store.select('outbox', { orderBy: [['seq', 'asc']] })).toMatchObject([
      { part: 1, status: 'dead' },
      { part: 2, status: 'sent' },
    ]);
    expect(await store.count('deadLetters')).toBe(0);
    await expect(store.commit(writes, { site: 'dead-letter-answer' })).rejects.toThrow();
    expect(() => replayDeadLetter({ ...letter, direction: 'in' }, { partsOfRun: [], now: 0, ttlMs: 1 })).toThrow(
      'does not hold a message on its way out',
    );
    expect(() => replayDeadLetter({ ...letter, payload: ['?'] }, { partsOfRun: [], now: 0, ttlMs: 1 })).toThrow();
  });
});

describe('after a crash', () => {
  it('takes up nothing twice when it is woken before it is open', async () => {
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.open();
    await outbox.drain(5_000);
    expect(channel.tries).toHaveLength(1);
  });

  it('sends what was left, in order', async () => {
    await commit(to(owner, 'one'), to(owner, 'two'));
    await outbox.open();
    await outbox.drain(5_000);
    expect(channel.shown(owner)).toEqual(['one', 'two']);
  });

  it('looks first, because the receipt may be what was lost', async () => {
    channel = await platformWithoutKeys();
    await commit(to(owner, 'hello'));
    await channel.send({ ...partOf('hello'), attempt: 1 });
    await outbox.open();
    await outbox.drain(5_000);
    expect(channel.shown(owner)).toEqual(['hello']);
    expect(channel.tries).toHaveLength(1);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent' }]);
  });

  it('does not send twice where no look-up is possible and twice is worse than never', async () => {
    channel = await platformWithoutKeys({ canFind: false });
    Object.assign(channel, { guarantee: { level: 'at-most-once', because: 'The test says so.' } });
    await commit(to(owner, 'hello'));
    await outbox.open();
    await outbox.drain(5_000);
    expect(channel.tries).toEqual([]);
    expect(await store.select('deadLetters')).toMatchObject([{ reason: expect.stringContaining('may have arrived') }]);
  });

  it('still waits for the time that was set before it', async () => {
    await commit(to(owner, 'later', { nextAt: Date.now() + 30_000, attempts: 1 }), to(guest, 'now'));
    await outbox.open();
    await channel.expectDelivered('now', guest);
    expect(channel.shown(owner)).toEqual([]);
  });
});

describe('a store that fails', () => {
  it('is asked again until it takes the receipt, and nothing is sent twice meanwhile', async () => {
    let failures = 2;
    const failing = delegateStore(store, {
      commit: (writes, options) =>
        options.site === 'receipt' && failures-- > 0
          ? Promise.reject(new Error('the disk is full'))
          : store.commit(writes, options),
    });
    outbox = newOutbox({ store: failing });
    await outbox.open();
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.drain(10_000);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent' }]);
    expect(channel.tries).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('the disk is full')]);
  });

  it('does not stop because a listener throws', async () => {
    outbox = newOutbox({ ended: () => Promise.reject(new Error('a bad listener')) });
    await outbox.open();
    await commit(to(owner, 'one'), to(owner, 'two'));
    outbox.wake();
    await outbox.drain(5_000);
    expect(await store.count('outbox', { status: 'sent' })).toBe(2);
  });
});

describe('closing', () => {
  it('leaves what it cannot finish queued for the next process', async () => {
    await outbox.open();
    channel.script('never-answers');
    await commit(to(owner, 'stuck'), to(owner, 'behind it'));
    outbox.wake();
    await vi.waitFor(() => expect(channel.tries).toHaveLength(1));
    await outbox.close(10);
    await commit(to(guest, 'too late'));
    outbox.wake();
    expect(await store.count('outbox', { status: 'queued' })).toBe(3);
    const next = newOutbox();
    await next.open();
    await next.drain(5_000);
    expect(channel.shown()).toHaveLength(3);
    expect(channel.shown(owner)).toEqual(['stuck', 'behind it']);
  });

  it('gives what was committed just before it its first try', async () => {
    await outbox.open();
    await commit(to(owner, 'hello'));
    outbox.wake();
    await outbox.close(5_000);
    expect(channel.shown()).toEqual(['hello']);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent' }]);
  });

  it('does not wait for a retry that is far away', async () => {
    await outbox.open();
    channel.script({ retry: 'busy', afterMs: 30_000 });
    await commit(to(owner, 'hello'));
    outbox.wake();
    await vi.waitFor(async () => expect(await store.select('outbox')).toMatchObject([{ attempts: 1 }]));
    await outbox.close(60_000);
    expect(await store.select('outbox')).toMatchObject([{ status: 'queued' }]);
  });
});

async function platformWithoutKeys(settings = {}): Promise<TestChannel> {
  const platform = new TestChannel({ dedupes: false, ...settings });
  await platform.open(NO_LISTENER);
  return platform;
}

function partOf(text: string) {
  return {
    key: `run_${text}:1`,
    seq: 1,
    runId: `run_${text}`,
    part: 1,
    surface: channel.surface(owner),
    text,
    options: {},
  };
}
