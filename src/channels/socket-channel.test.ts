// These tests use pages on real sockets, with the real outbox in a real file behind the channel. The test plays the
// gateway that handles the messages.

import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Outbox } from '../delivery/outbox.ts';
import { planDelivery } from '../delivery/plan-delivery.ts';
import { outboxMailbox } from '../gateway/outbox-mailbox.ts';
import { dedupeKeyOf, type Inbound, type Surface } from '../protocol/inbound.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import { StoreFullError } from '../store/errors.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { gate } from '../testkit/gate.ts';
import type { ReceiveResult } from './channel.ts';
import { NO_FILES } from './fixtures/no-files.ts';
import type { Mailbox } from './mailbox.ts';
import { LARGEST_FRAME } from './parse-client-frame.ts';
import type { SocketChannelPorts } from './socket-channel.ts';
import { SocketPage, type SocketServer, serveSockets } from './socket-rig.ts';
import { WebChannel } from './web/web-channel.ts';

let dir: string;
let store: Store;
let channel: WebChannel;
let outbox: Outbox;
let server: SocketServer;
let received: Inbound[];
let stopped: string[];
let refuse: Error | undefined;
let hold: Promise<void> | undefined;
let accepted: Map<string, ReceiveResult>;
const pages: SocketPage[] = [];

beforeEach(async () => {
  dir = await folderForTest();
  store = await openSqliteStore({ file: join(dir, 'store.db') });
  received = [];
  stopped = [];
  refuse = undefined;
  hold = undefined;
  accepted = new Map();
  await startGateway();
});

afterEach(async () => {
  await stopGateway();
  pages.length = 0;
  await store.close();
});

async function startGateway(
  maxBufferedBytes?: number,
  mailbox: Mailbox = outboxMailbox(store),
  sessionKeyOf?: SocketChannelPorts['sessionKeyOf'],
): Promise<void> {
  channel = new WebChannel({
    mailbox,
    stop: (key) => stopped.push(key),
    sessionKeyOf,
    now: Date.now,
    maxBufferedBytes,
  });
  await channel.open({ ...NO_FILES, receive, receiveChange: () => Promise.reject(new Error('no changes')) });
  outbox = new Outbox({
    store,
    channels: () => channel,
    now: Date.now,
    ended: async (delivery) => channel.watch({ type: 'delivery-end', at: Date.now(), ...delivery }),
    maxAttempts: 8,
    warn: () => {},
  });
  await outbox.open();
  server = await serveSockets(channel);
}

async function stopGateway(): Promise<void> {
  await outbox.close(1_000);
  await channel.close();
  await server.close();
}

/** As in the real inbox, each surface has one session, and each message is accepted once. */
async function receive(inbound: Inbound): Promise<ReceiveResult> {
  await hold;
  if (refuse) throw refuse;
  const key = dedupeKeyOf(inbound) ?? '';
  const earlier = accepted.get(key);
  if (earlier) return { ...earlier, outcome: 'duplicate' };
  received.push(inbound);
  const runId = `run_${received.length}`;
  const sessionKey = inbound.sessionKey ?? `agent:main:web:direct:${inbound.surface.peer.id}`;
  const result: ReceiveResult = { outcome: 'accepted', runId, sessionKey };
  accepted.set(key, result);
  tell({ type: 'message-accepted', text: inbound.text, surface: inbound.surface, ...at(sessionKey, runId) });
  return result;
}

function at(sessionKey: string, runId: string) {
  return { sessionKey, runId, at: 1 };
}

function tell(event: LiveEvent): void {
  channel.watch(event);
}

/** Each text is a part of its own; all parts are committed at once. */
async function answers(surface: string, runId: string, ...texts: readonly string[]): Promise<void> {
  const ports = {
    hooks: { has: () => false, run: () => Promise.reject(new Error('no hooks')), observe: () => {} },
    channel,
    keep: () => Promise.reject(new Error('no file is kept here')),
    now: Date.now,
    ttlMs: 60_000,
  };
  const reply = { runId, sessionKey: sessionOf(surface), surface: surfaceNamed(surface), context: {} };
  const plans = await Promise.all(
    texts.map((text, index) => planDelivery({ ...reply, text, firstPart: index + 1 }, ports)),
  );
  await store.commit(
    plans.flatMap(({ rows }) => rows).map((row) => ({ insert: 'outbox', row })),
    { site: 'result' },
  );
  outbox.wake();
}

function sessionOf(surface: string): string {
  return `agent:main:web:direct:${surface}`;
}

function surfaceNamed(id: string): Surface {
  return { channel: 'web', accountId: 'default', peer: { kind: 'direct', id } };
}

async function openPage(surface?: string, more: { session?: string; after?: number } = {}): Promise<SocketPage> {
  const page = await SocketPage.open(server.url, { surface, ...more });
  pages.push(page);
  return page;
}

describe('a page', () => {
  it('says something, watches the answer grow, and gets it', async () => {
    const page = await openPage('desk');
    expect(page.of('ready')).toEqual([{ type: 'ready', surface: 'desk', last: 0, largestFrame: LARGEST_FRAME }]);
    expect(await page.says('hi', 'm1')).toEqual({
      type: 'accepted',
      id: 'm1',
      runId: 'run_1',
      sessionKey: sessionOf('desk'),
    });
    expect(received).toMatchObject([{ text: 'hi', surface: surfaceNamed('desk'), eventId: 'desk:m1' }]);
    const run = at(sessionOf('desk'), 'run_1');
    tell({ type: 'run-start', attempt: 1, agentId: 'main', sessionId: 's1', ...run });
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'Hel', ...run });
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'lo', ...run });
    await page.caughtUp();
    expect(page.draft('run_1')).toBe('Hello');
    tell({ type: 'tool-start', toolCallId: 't1', name: 'read', params: { path: 'AGENTS.md' }, ...run });
    tell({
      type: 'tool-end',
      toolCallId: 't1',
      name: 'read',
      isError: false,
      ms: 3,
      content: 'x'.repeat(9_000),
      ...run,
    });
    tell({ type: 'run-end', status: 'done', reply: 'Hello', ...run });
    await answers('desk', 'run_1', 'Hello');
    await page.until(() => page.shown.length > 0);
    expect(page.shown).toEqual(['Hello']);
    expect(page.of('part')).toEqual([{ type: 'part', seq: 1, runId: 'run_1', part: 1, text: 'Hello' }]);
    expect(page.of('tool-end')[0]?.content).toHaveLength(4_000);
    expect(page.of('run-end')[0]).not.toHaveProperty('reply');
    await outbox.drain(5_000);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent', receipt: { mailbox: 1 } }]);
  });

  it('is given a surface when it has none, and may name a session and an agent', async () => {
    const page = await SocketPage.open(server.url, { session: 'agent:ops:main', agent: 'ops' });
    expect(page.surface).toMatch(/^[\w-]{20,}$/);
    await page.says('hi', 'm1');
    expect(received).toMatchObject([{ sessionKey: 'agent:ops:main', agentId: 'ops' }]);
  });

  it('is accepted once however often it sends the same message', async () => {
    const page = await openPage('desk');
    await page.says('hi', 'm1');
    await page.cut();
    await page.connect();
    expect(await page.says('hi', 'm1')).toMatchObject({ type: 'accepted', runId: 'run_1', duplicate: true });
    const other = await openPage('sofa');
    expect(await other.says('hi', 'm1')).toMatchObject({ runId: 'run_2' });
    expect(received).toHaveLength(2);
  });

  it('is told when a message cannot be taken, and may send it again', async () => {
    const page = await openPage('desk');
    refuse = new StoreFullError({ store: '/somewhere/store.db' });
    expect(await page.says('hi', 'm1')).toMatchObject({ type: 'error', id: 'm1', message: refuse.message });
    refuse = new TypeError('a secret of the inside');
    expect(await page.says('hi', 'm1')).toMatchObject({
      type: 'error',
      message: expect.not.stringContaining('secret'),
    });
    refuse = undefined;
    expect(await page.says('hi', 'm1')).toMatchObject({ type: 'accepted' });
  });

  it('watches the session that its messages go to, whatever another client of the surface talks to', async () => {
    await stopGateway();
    await startGateway(undefined, undefined, ({ surface, session }) => session ?? sessionOf(surface.peer.id));
    const work = await openPage('desk', { session: 'agent:main:work' });
    await work.says('Hi', 'm1');
    const bare = await openPage('desk');
    expect(bare.sessionKey).toBe(sessionOf('desk'));
    const other = await openPage('desk', { session: 'agent:main:other' });
    await bare.says('Hello', 'm2');
    expect(other.sessionKey).toBe('agent:main:other');
    const run = at('agent:main:work', 'run_9');
    tell({ type: 'run-start', attempt: 1, agentId: 'main', sessionId: 's1', ...run });
    await expect.poll(() => work.frames.some((frame) => frame.type === 'run-start')).toBe(true);
    expect(bare.frames.some((frame) => frame.type === 'run-start')).toBe(false);
  });

  it('stops the run of its own session', async () => {
    const page = await openPage('desk');
    page.send({ type: 'stop' });
    await page.says('hi', 'm1');
    page.send({ type: 'stop' });
    await page.caughtUp();
    expect(stopped).toEqual([sessionOf('desk')]);
  });

  it('sees a draft start over when it was void or the run was taken up again', async () => {
    const page = await openPage('desk');
    await page.says('hi', 'm1');
    const run = at(sessionOf('desk'), 'run_1');
    tell({ type: 'run-start', attempt: 1, agentId: 'main', sessionId: 's1', ...run });
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'wrong', ...run });
    tell({ type: 'text-reset', attempt: 1, call: 1, reason: 'overloaded', ...run });
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'right', ...run });
    await page.caughtUp();
    expect(page.draft('run_1')).toBe('right');
    tell({ type: 'run-start', attempt: 2, agentId: 'main', sessionId: 's1', ...run });
    await page.caughtUp();
    expect(page.draft('run_1')).toBe('');
  });
});

describe('a page that comes back', () => {
  it('gets what it missed, once, and then the draft of the run that goes on', async () => {
    const page = await openPage('desk');
    await page.says('one', 'm1');
    await answers('desk', 'run_1', 'first answer');
    await page.until(() => page.shown.length === 1);
    await page.says('two', 'm2');
    const run = at(sessionOf('desk'), 'run_2');
    tell({ type: 'run-start', attempt: 1, agentId: 'main', sessionId: 's1', ...run });
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'sec', ...run });
    await page.cut();
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'ond', ...run });
    await answers('desk', 'run_x', 'said meanwhile');
    await outbox.drain(5_000);
    await page.connect();
    await page.caughtUp();
    expect(page.sessionKey).toBe(sessionOf('desk'));
    expect(page.shown).toEqual(['first answer', 'said meanwhile']);
    expect(page.draft('run_2')).toBe('second');
    tell({ type: 'text-delta', attempt: 1, call: 1, text: ' answer', ...run });
    await page.caughtUp();
    expect(page.draft('run_2')).toBe('second answer');
  });

  it('finds its answers after the gateway was restarted', async () => {
    const page = await openPage('desk');
    await page.says('hi', 'm1');
    await answers('desk', 'run_1', 'before');
    await page.until(() => page.shown.length === 1);
    await stopGateway();
    await page.until(() => page.closeCode !== undefined);
    expect(page.closeCode).toBe(1001);
    await startGateway();
    await answers('desk', 'run_2', 'after');
    const again = await openPage('desk', { after: page.after ?? 0 });
    await again.until(() => again.shown.length === 1);
    expect(again.shown).toEqual(['after']);
    expect(again.sessionKey).toBe(sessionOf('desk'));
  });

  it('is not told again what it was told before the receipt was lost', async () => {
    const page = await openPage('desk');
    await answers('desk', 'run_1', 'hello');
    await page.until(() => page.shown.length === 1);
    await outbox.drain(5_000);
    await store.commit([{ update: 'outbox', where: { seq: 1 }, set: { status: 'queued' } }], { site: 'receipt' });
    await stopGateway();
    await startGateway();
    const again = await openPage('desk', { after: page.after ?? 0 });
    await outbox.drain(5_000);
    await again.caughtUp();
    expect(again.shown).toEqual([]);
    expect(await store.select('outbox')).toMatchObject([{ status: 'sent' }]);
  });

  it('misses nothing that is sent while the past is being told', async () => {
    const past = outboxMailbox(store);
    const { opened: held, open: release } = gate();
    const { opened: reading, open: asked } = gate();
    await stopGateway();
    await startGateway(undefined, {
      ...past,
      history: async (...query) => {
        const parts = await past.history(...query);
        asked();
        await held;
        return parts;
      },
    });
    await answers('desk', 'run_1', 'past');
    await outbox.drain(5_000);
    const page = await openPage('desk', { session: sessionOf('desk'), after: 0 });
    await reading;
    await answers('desk', 'run_2', 'present');
    await outbox.drain(5_000);
    tell({ type: 'run-end', status: 'stopped', ...at(sessionOf('desk'), 'run_3') });
    expect(page.shown).toEqual([]);
    release();
    await page.until(() => page.count('run-end') === 1);
    expect(page.shown).toEqual(['past', 'present']);
  });

  it('can go on from what was acknowledged when it does not know itself', async () => {
    const page = await openPage('desk');
    await answers('desk', 'run_1', 'one');
    await page.until(() => page.shown.length === 1);
    await page.caughtUp();
    await page.cut();
    await answers('desk', 'run_2', 'two');
    await outbox.drain(5_000);
    const other = await openPage('desk');
    await other.caughtUp();
    expect(other.of('part')).toEqual([]);
    expect(other.of('ready')).toMatchObject([{ last: 2, acked: 1 }]);
    other.send({ type: 'hello', surface: 'desk', after: 1 });
    await other.caughtUp();
    expect(other.of('part').map(({ text }) => text)).toEqual(['two']);
  });

  it('is not left deaf by a number from a store that is gone', async () => {
    const page = await openPage('desk', { after: 5_000 });
    await answers('desk', 'run_1', 'hello');
    await page.until(() => page.shown.length === 1);
    expect(page.shown).toEqual(['hello']);
  });

  it('gets a long past whole and in order', async () => {
    const texts = Array.from({ length: 250 }, (_, index) => `part ${index}`);
    await answers('desk', 'run_1', ...texts);
    await outbox.drain(10_000);
    const page = await openPage('desk', { after: 0 });
    await page.until(() => page.shown.length === 250);
    expect(page.shown).toEqual(texts);
  });
});

describe('several pages', () => {
  it('show the same talk when they share a surface', async () => {
    const [one, two] = [await openPage('desk'), await openPage('desk')];
    await one.says('hi', 'm1');
    const run = at(sessionOf('desk'), 'run_1');
    tell({ type: 'run-start', attempt: 1, agentId: 'main', sessionId: 's1', ...run });
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'Hello', ...run });
    await two.caughtUp();
    expect(two.of('message-accepted')).toMatchObject([{ text: 'hi', runId: 'run_1' }]);
    expect(two.draft('run_1')).toBe('Hello');
    await answers('desk', 'run_1', 'Hello');
    await Promise.all([one, two].map((page) => page.until(() => page.shown.length === 1)));
  });

  it('share nothing when they do not', async () => {
    const [one, two] = [await openPage('desk'), await openPage('sofa')];
    await one.says('hi', 'm1');
    await two.says('hello', 'm1');
    tell({ type: 'text-delta', attempt: 1, call: 1, text: 'secret', ...at(sessionOf('desk'), 'run_1') });
    await answers('desk', 'run_1', 'for the desk');
    await one.until(() => one.shown.length === 1);
    await two.caughtUp();
    expect(two.frames.map(({ type }) => type)).toEqual(['ready', 'message-accepted', 'accepted', 'pong']);
    expect(JSON.stringify(two.frames)).not.toContain('desk');
  });
});

describe('rubbish', () => {
  it.each([
    ['binary', Buffer.from([0, 1, 2, 255])],
    ['no JSON', '{"type":'],
    ['no object', '[1,2]'],
    ['no type', '{}'],
    ['a type that is not there', '{"type":"__proto__"}'],
    ['a message without an id', '{"type":"message","text":"hi"}'],
    ['a message without words', '{"type":"message","id":"m1","text":"  "}'],
    [
      'a file by its hash',
      JSON.stringify({ type: 'message', id: 'm1', text: 'hi', attachments: [{ hash: 'a'.repeat(64), name: 'a' }] }),
    ],
    ['a surface with tricks in it', '{"type":"hello","surface":"../../x"}'],
    ['a session that is no text', '{"type":"hello","session":{"a":1}}'],
    ['a place that is no number', '{"type":"hello","after":"1e999"}'],
    ['a number that is none', '{"type":"ack","seq":-1}'],
    ['too much', JSON.stringify({ type: 'message', id: 'm1', text: 'x'.repeat(LARGEST_FRAME) })],
  ])('is answered with an error and changes nothing: %s', async (_name, data) => {
    const page = await openPage('desk');
    page.sendRaw(data);
    await page.until(() => page.count('error') === 1);
    expect(await page.says('hi', 'm1')).toMatchObject({ type: 'accepted' });
    expect(received).toHaveLength(1);
  });

  it('of a size that is too large is told with the message that it was', async () => {
    const page = await openPage('desk');
    page.send({ type: 'message', id: 'm1', text: `"id":"other" ${'x'.repeat(LARGEST_FRAME)}` });
    await page.until(() => page.count('error') === 1);
    expect(page.of('error')).toEqual([
      {
        type: 'error',
        id: 'm1',
        message: expect.stringMatching(/^This message is too long: .* at most 1,048,576 bytes/),
      },
    ]);
  });

  it('in plenty ends the connection, and only that one', async () => {
    const [good, bad] = [await openPage('desk'), await openPage('sofa')];
    for (let round = 0; round < 20; round++) bad.sendRaw('rubbish');
    await bad.until(() => bad.closeCode !== undefined);
    expect(bad.closeCode).toBe(1003);
    expect(await good.says('hi', 'm1')).toMatchObject({ type: 'accepted' });
    expect(channel.clients).toBe(1);
  });

  it('includes speaking before saying hello', async () => {
    const socket = new WebSocket(server.url);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'message', id: 'm1', text: 'too early' }));
    const [answer] = await once(socket, 'message');
    expect(JSON.parse(String(answer))).toMatchObject({
      type: 'error',
      id: 'm1',
      message: expect.stringMatching(/hello/),
    });
    socket.terminate();
    expect(received).toEqual([]);
  });

  it('includes more messages at once than can be taken', async () => {
    const page = await openPage('desk');
    let release = () => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    for (let round = 0; round < 100; round++) page.send({ type: 'message', id: `m${round}`, text: 'quick' });
    await page.until(() => page.closeCode !== undefined);
    expect(page.closeCode).toBe(1013);
    release();
    await page.connect();
    expect(await page.says('calm', 'calm')).toMatchObject({ type: 'accepted' });
  });
});

describe('a page that does not read', () => {
  it('is disconnected, delays no other client, and finds everything when it reconnects', async () => {
    await stopGateway();
    await startGateway(500_000);
    const [slow, quick] = [await openPage('desk'), await openPage('desk')];
    slow.pause();
    const text = 'x'.repeat(90_000);
    const numbers = Array.from({ length: 200 }, (_, index) => String(index));
    await answers('desk', 'run_1', ...numbers.map((number) => `${number} ${text}`));
    expect(await everythingShown(quick, numbers.length)).toEqual(numbers);
    slow.resume();
    await slow.until(() => slow.closeCode !== undefined);
    expect(await everythingShown(slow, numbers.length)).toEqual(numbers);
  });

  /** On a busy machine a page may be disconnected as well; it reconnects like any other. */
  async function everythingShown(page: SocketPage, count: number): Promise<(string | undefined)[]> {
    for (;;) {
      await page.until(() => page.shown.length === count || page.closeCode !== undefined);
      if (page.shown.length === count) return page.shown.map((shown) => shown.split(' ')[0]);
      await page.connect();
    }
  }
});

describe('a mailbox that cannot be read', () => {
  it('sends the client away to come back, instead of keeping it deaf', async () => {
    const mailbox = outboxMailbox(store);
    let failures = 1;
    const broken: Mailbox = {
      ...mailbox,
      last: (id) => (failures-- > 0 ? Promise.reject(new Error('busy')) : mailbox.last(id)),
    };
    await stopGateway();
    await startGateway(undefined, broken);
    const page = new SocketPage(server.url, { surface: 'tab' });
    pages.push(page);
    await page.connect().catch(() => {});
    await page.until(() => page.closeCode !== undefined);
    expect(page.closeCode).toBe(1011);
    await page.connect();
    await answers('tab', 'run_1', 'hello');
    await page.until(() => page.shown.length > 0);
    expect(page.shown).toEqual(['hello']);
  });
});
