// Stops real gateways the way operators do, while they are working, and checks that nothing was lost.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askOnce, askOverApi } from '../testkit/api-client.ts';
import { gate } from '../testkit/gate.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { after, hang, reply } from '../testkit/model-server.ts';
import { WebClient } from '../testkit/web-client.ts';

const A1 = { text: 'from a program', user: 'caller', key: 'a1' };

describe('stopping a gateway', { timeout: 60_000 }, () => {
  let gateway: GatewayProcess;
  let web: WebClient;

  async function open(drainSeconds: number): Promise<void> {
    gateway = await GatewayProcess.create({ config: { gateway: { auth: { token: TOKEN }, drainSeconds } } });
    web = new WebClient(gateway, 'page');
    await gateway.start();
  }

  beforeEach(() => open(30));

  afterEach(async () => {
    await web.close();
    await gateway.close();
  });

  /** Resolves when the process says that it is stopping. */
  async function saysStopping(): Promise<void> {
    while (!gateway.err.includes('Stopping: ')) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  it('finishes what is running and delivers it, leaves what waits to the next start, and takes nothing new', async () => {
    const { opened: released, open: release } = gate();
    gateway.model.script(() => after(released, reply('Done.')));
    web.say('1', 'first');
    web.say('2', 'second');
    const asked = askOnce(gateway, A1);
    await gateway.model.waitForRequests(2);
    await web.until(({ accepted }) => accepted.size === 2, 'to be heard');

    gateway.signal('SIGTERM');
    await saysStopping();
    expect(await askOnce(gateway, { ...A1, key: 'a2' })).toMatchObject({ status: 503 });
    release();
    expect(await asked).toMatchObject({ status: 200, text: 'Done.' });
    expect(await gateway.ended()).toEqual({ code: 0, signal: null });
    expect(web.texts).toEqual(['Done.']);
    expect(gateway.model.requests).toHaveLength(2);

    await gateway.start();
    await web.until(({ parts }) => parts.length === 2, 'for the second answer');
    expect(web.texts).toEqual(['Done.', 'Done.']);
    expect(web.repeated).toEqual([]);
    expect(gateway.model.requests).toHaveLength(3);
  });

  it('stops at once when it is told twice, and the next start goes on', async () => {
    gateway.model.script(() => hang('Half an ans'));
    web.say('1', 'first');
    web.say('2', 'second');
    await gateway.model.waitForRequests(1);
    await web.until(({ accepted }) => accepted.size === 2, 'to be heard');
    gateway.signal('SIGTERM');
    await saysStopping();
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toEqual({ code: 1, signal: null });
    expect(gateway.err).toContain('Stopping at once.');

    gateway.model.script(() => reply('Done.'));
    await gateway.start();
    await web.until(({ parts }) => parts.length === 2, 'for both answers');
    expect(web.texts).toEqual(['Done.', 'Done.']);
    const [first, again] = gateway.model.requests;
    expect(again?.body).toBe(first?.body);
  });

  it('stops when its time is over, and the next start goes on', async () => {
    await web.close();
    await gateway.close();
    await open(1);
    gateway.model.script(() => hang('Half an ans'));
    web.say('1', 'first');
    const asked = askOverApi(gateway, A1);
    await gateway.model.waitForRequests(2);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });

    gateway.model.script(() => reply('Done.'));
    await gateway.start();
    await web.until(({ parts }) => parts.length === 1, 'for the answer');
    expect(web.texts).toEqual(['Done.']);
    expect(await asked).toMatchObject({ status: 200, text: 'Done.' });
  });
});

const TOKEN = 'a-token-for-tests-only';
