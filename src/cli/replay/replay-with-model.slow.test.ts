// What `atrium run replay --model` costs counts like every other call, with a gateway and without one.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpApp } from '../../gateway/http/create-http-app.ts';
import { type Listening, listen } from '../../gateway/http/listen.ts';
import { ensureToken } from '../../gateway/http/token.ts';
import { NO_USAGE } from '../../protocol/usage.ts';
import { hang, reply, toolCall } from '../../testkit/model-server.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { runInHome } from '../fixtures/run-in-home.ts';

const PRICES = { input: 2, output: 10, cacheRead: 0, cacheWrite: 0 };
let scratch: ScratchGateway;
let server: Listening | undefined;
let runId: string;
beforeEach(async () => {
  scratch = await ScratchGateway.open({
    files: { 'workspace/SOUL.md': 'Calm.\n' },
    provider: {
      models: [
        { id: 'small', maxTokens: 1_000, cost: PRICES },
        { id: 'large', maxTokens: 1_000, cost: PRICES },
      ],
    },
  });
  scratch.model.script([toolCall('read', { path: 'SOUL.md' }), reply('Very well.')]);
  runId = (await scratch.channel.says({}, 'hello')).runId ?? '';
  await scratch.services.runs.wait(runId);
});
afterEach(async () => {
  await server?.close(50);
  server = undefined;
  await scratch.close();
});

async function serve(): Promise<void> {
  const { token } = await ensureToken(scratch.home.stateDir, undefined);
  const app = createHttpApp({
    services: scratch.services,
    token,
    allowedHosts: [],
    allowedOrigins: [],
    agentIds: () => ['main'],
    state: () => 'ready',
    now: Date.now,
    warn: () => {},
  });
  server = await listen({ app: () => app, host: '127.0.0.1', port: 0, attach: () => {} });
  await scratch.opened.listensAt(server.url);
}

async function limit(...spend: object[]): Promise<void> {
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  await scratch.home.write('openclaw.json', JSON.stringify({ ...config, limits: { spend } }));
}

function atrium(...argv: string[]) {
  return runInHome(scratch.home.home, argv, { now: new Date(), pipeColumns: 200 });
}

const replayed = () => atrium('run', 'replay', runId, '--model', 'fake/large');

/** What the store has counted, read by a gateway that runs again. */
async function counted() {
  if (!server) await scratch.start();
  const { store } = scratch;
  const [counter] = await store.select('spending', { limit: 1 });
  return {
    usage: await store.select('usage', { where: { purpose: 'replay' }, orderBy: [['seq', 'asc']] }),
    open: await store.count('reservations'),
    counter,
  };
}

describe.each(['up', 'down'])('a replay with another model, with the gateway %s', (state) => {
  /** A limit is taken up before the gateway is there to be asked, or read by the command itself. */
  beforeEach(async () => {
    if (state === 'up') await serve();
    else await scratch.stop();
  });

  it('is a row of usage for each call, and has the answer', async () => {
    scratch.model.script([
      toolCall('read', { path: 'SOUL.md' }),
      reply('Quite so.', { usage: { input: 1_000_000, output: 100_000 } }),
    ]);
    const { code, out, err } = await replayed();
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^tools +read \(from the record\)$/m);
    expect(out).toContain('The other answer\nQuite so.\n');
    expect(out).toMatch(/^counted +in "atrium usage", under the session replay$/m);
    const table = (await atrium('usage', '--by', 'session')).out;
    expect(table).toMatch(/^replay +2 /m);
    const { usage } = await counted();
    expect(usage).toHaveLength(2);
    expect(usage[1]).toMatchObject({
      agentId: 'main',
      sessionKey: 'replay',
      model: 'large',
      input: 1_000_000,
      cost: 3,
    });
  });

  it('counts under a limit, and leaves nothing reserved', async () => {
    await limit({ per: 'day', tokens: 1_000_000 });
    scratch.model.script([reply('Quite so.', { usage: { input: 700_000, output: 1_000 } })]);
    expect((await replayed()).code).toBe(0);
    const { counter, open, usage } = await counted();
    const before = (await scratch.store.select('usage', { where: { purpose: 'run' } })).reduce(
      (sum, { input, output }) => sum + input + output,
      0,
    );
    expect(usage).toHaveLength(1);
    expect(open).toBe(0);
    expect(counter).toMatchObject({ tokens: before + 701_000, reservedTokens: 0 });
  });

  it('is refused where a limit has no room, and no cheaper model answers in its place', async () => {
    await limit({ agent: 'main', per: 'day', tokens: 500, onReached: { model: 'fake/small' } });
    const before = scratch.model.requests.length;
    const { code, err } = await replayed();
    expect(code).not.toBe(0);
    expect(err).toContain('limits.spend[0]');
    expect(scratch.model.requests).toHaveLength(before);
    expect(await counted()).toMatchObject({ usage: [], open: 0 });
  });

  it('says what it has until a limit has no room any more', async () => {
    await limit({ per: 'day', tokens: 100_000 });
    scratch.model.script((request) =>
      request.body.includes('"role":"tool"')
        ? reply('Too late.')
        : { ...toolCall('read', { path: 'SOUL.md' }, 'I look.'), usage: { ...NO_USAGE, input: 99_000, output: 10 } },
    );
    const { out } = await replayed();
    expect(out).toMatch(/^error .*limits\.spend\[0\]/m);
    expect(out).toContain('The other answer\nI look.');
    expect(await counted()).toMatchObject({ usage: [{ input: 99_000 }], open: 0 });
  });
});

it('counts everything that was reserved for a call that a crash has cut, with the next start', async () => {
  await limit({ per: 'day', tokens: 1_000_000 });
  await scratch.stop();
  await scratch.start();
  scratch.model.script([hang()]);
  const asked = scratch.services.replays
    .ask({ runId, model: 'fake/large', without: [], files: new Map() }, new AbortController().signal)
    .catch((error: unknown) => error);
  await vi.waitFor(async () => expect(await scratch.store.count('reservations')).toBe(1));
  const [reserved] = await scratch.store.select('reservations');
  const [before] = await scratch.store.select('spending');
  await scratch.stop(0);
  await scratch.model.close();
  await asked;
  await scratch.start();
  const [after] = await scratch.store.select('spending');
  expect(await scratch.store.count('reservations')).toBe(0);
  expect(after).toMatchObject({ reservedTokens: 0, tokens: (before?.tokens ?? 0) + (reserved?.tokens ?? 0) });
});
