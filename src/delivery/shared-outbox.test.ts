// Tests outboxes of two nodes over one real store. The cluster is one in memory, so that its messages can be lost and a
// node can be expelled at a chosen moment; what Postgres promises is tested in `promises/`.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, ChannelPort } from '../channels/channel.ts';
import { NO_FILES } from '../channels/fixtures/no-files.ts';
import { MemoryCluster, type MemoryNode } from '../cluster/fixtures/memory-cluster.ts';
import { surfaceId } from '../protocol/inbound.ts';
import { delegateStore } from '../store/delegate-store.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { NewRow, Store } from '../store/store.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { TestChannel } from '../testkit/test-channel.ts';
import { type EndedDelivery, Outbox } from './outbox.ts';
import { SharedOutbox } from './shared-outbox.ts';

const owner = { sender: 'owner' };
const DUTY = 'channel:test';
const NO_LISTENER: ChannelPort = {
  ...NO_FILES,
  receive: () => Promise.reject(new Error('no listener')),
  receiveChange: () => Promise.reject(new Error('no listener')),
};

/** A channel whose parts have arrived when they are in the outbox. */
const MAILBOX: Channel = {
  id: 'web',
  guarantee: { level: 'exactly-once', because: 'it is a mailbox' },
  maxTextLength: 1_000,
  open: async () => {},
  send: async ({ seq }) => ({ outcome: 'sent', receipt: { mailbox: seq } }),
  close: async () => {},
};

/** One node: its own outbox, and the store as it sees its own commits. */
interface Node {
  readonly cluster: MemoryNode;
  readonly rows: SharedOutbox;
  readonly outbox: Outbox;
  readonly store: Store;
  readonly ended: EndedDelivery[];
  readonly arrived: string[];
}

let file: Store;
let cluster: MemoryCluster;
let channel: TestChannel;
let nodes: Node[];
let skew = 0;

beforeEach(async () => {
  file = await openSqliteStore({ file: join(await folderForTest(), 'store.db') });
  cluster = new MemoryCluster();
  channel = new TestChannel();
  await channel.open(NO_LISTENER);
  nodes = [];
  skew = 0;
});

afterEach(async () => {
  for (const { outbox } of nodes) await outbox.close(0);
  await file.close();
});

async function open(name: string, { hasDuty = true, lookEveryMs = 60_000 } = {}): Promise<Node> {
  const member = cluster.add(name);
  const ended: EndedDelivery[] = [];
  const arrived: string[] = [];
  const rows = new SharedOutbox({
    store: file,
    cluster: member,
    dutyOf: ({ channel: id }) => (id === 'web' ? undefined : `channel:${id}`),
    hasAccount: ({ channel: id }) => id === 'test',
    arrived: (surfaces) => arrived.push(...surfaces),
    now: () => Date.now() + skew,
    warn: () => {},
    lookEveryMs,
  });
  const outbox = new Outbox({
    store: file,
    channels: (id) => [channel, MAILBOX].find((each) => each.id === id),
    now: Date.now,
    ended: async (delivery) => void ended.push(delivery),
    maxAttempts: 3,
    warn: () => {},
    backOffMs: () => 5,
    shared: rows,
  });
  await outbox.open();
  const store = delegateStore(file, {
    commit: async (writes, options) => {
      const result = await file.commit(writes, options);
      rows.committed(writes, result);
      return result;
    },
  });
  if (hasDuty) member.shareDuty(DUTY, (signal) => rows.serve(DUTY, signal));
  const node = { cluster: member, rows, outbox, store, ended, arrived };
  nodes.push(node);
  return node;
}

function row(text: string, overrides: Partial<NewRow<'outbox'>> = {}): NewRow<'outbox'> {
  const at = Date.now();
  const surface = channel.surface(owner);
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

async function says({ store }: Node, text: string, overrides: Partial<NewRow<'outbox'>> = {}): Promise<void> {
  await store.commit([{ insert: 'outbox', row: row(text, overrides) }], { site: 'result' });
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}

const allSent = async () => (await file.count('outbox', { status: { not: 'sent' } })) === 0;

describe('several nodes with one outbox', () => {
  it('send each row once, in the order of the surface, from the node that has the account', async () => {
    const [a, b] = [await open('a'), await open('b')];
    for (let n = 1; n <= 20; n++) await says(n % 2 ? a : b, String(n));
    await until(allSent);
    expect(channel.shown(owner)).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 1)));
    await until(() => a.ended.length === 20);
    expect(b.ended).toEqual([]);
  });

  it('lose nothing when the message between them is lost, and order holds', async () => {
    const [, b] = [await open('a', { lookEveryMs: 20 }), await open('b')];
    cluster.isLost = () => true;
    await says(b, 'one');
    await says(b, 'two');
    await until(allSent);
    expect(channel.shown(owner)).toEqual(['one', 'two']);
  });

  it('look for the part first that an expelled node may have sent, and that node sends no more', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const send = channel.send.bind(channel);
    channel.send = async (part) => {
      channel.send = send;
      await send(part);
      return new Promise(() => {});
    };
    await says(a, 'one');
    await says(a, 'two');
    await until(() => channel.shown(owner).length === 1);
    await cluster.expel(a.cluster);
    await until(allSent);
    expect(channel.shown(owner)).toEqual(['one', 'two']);
    await until(() => b.ended.length === 2);
    expect(a.ended).toEqual([]);
  });

  it('give up at once a send that goes on at a node that has lost the account', async () => {
    const a = await open('a');
    const signals: AbortSignal[] = [];
    const hanging: Channel['send'] = (_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    Object.assign(channel, { send: hanging });
    await says(a, 'one');
    await until(() => signals.length === 1);
    const expelled = cluster.expel(a.cluster);
    // The listeners to the loss and what waits for them come before anything that the network brings.
    await new Promise(setImmediate);
    expect(signals[0]?.aborted).toBe(true);
    await expelled;
    expect(await file.count('outbox', { status: 'queued' })).toBe(1);
  });

  it('let a node that is no member wait with its first send until it is one again', async () => {
    const a = await open('a');
    await cluster.expel(a.cluster);
    await says(a, 'late');
    await sleep(30);
    expect(channel.shown(owner)).toEqual([]);
    cluster.joins(a.cluster);
    await until(allSent);
    expect(channel.shown(owner)).toEqual(['late']);
  });

  it('settle what goes to pages where it is written, tell the others, and take over from a node that died', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct' as const, id: 'desk' } };
    const page = { surface, surfaceId: surfaceId(surface) };
    await says(a, 'here', page);
    await until(allSent);
    expect(b.arrived).toEqual([page.surfaceId]);
    expect(a.ended).toHaveLength(1);
    // A node that dies right after its commit: nobody is told of the row.
    await file.commit([{ insert: 'outbox', row: row('orphan', page) }], { site: 'result' });
    await b.rows.look();
    expect(await allSent()).toBe(false);
    skew = 60_000;
    await cluster.expel(a.cluster);
    await until(allSent);
    expect(b.ended).toHaveLength(1);
  });

  it('give up what is for an account that no node has', async () => {
    const b = await open('b', { hasDuty: false });
    const surface = { ...channel.surface(owner), channel: 'gone' };
    await says(b, 'nowhere', { surface, surfaceId: surfaceId(surface) });
    await says(b, 'waits');
    skew = 60_000;
    await b.rows.look();
    await until(async () => (await file.count('deadLetters')) === 1);
    expect(await file.select('deadLetters')).toMatchObject([{ reason: 'no channel "gone" is configured' }]);
    expect(await file.count('outbox', { status: 'queued' })).toBe(1);
  });
});
