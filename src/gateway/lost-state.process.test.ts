// A real gateway whose state directory is removed, replaced or emptied. It never says that it has accepted a message
// which no later process could find.

import { cp, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAtrium } from '../testkit/atrium-process.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { reply } from '../testkit/model-server.ts';

interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
}

/** The gateway may be writing a file there at this moment. */
const remove = (folder: string) => rm(folder, { recursive: true, maxRetries: 20 });

/** The workspace is left out, because its repository may still be made while this goes on. */
function copyState(stateDir: string): Promise<void> {
  const workspace = join(stateDir, 'workspace');
  return cp(stateDir, `${stateDir}.copy`, { recursive: true, filter: (from) => !from.startsWith(workspace) });
}

describe('a gateway whose state directory', { timeout: 60_000 }, () => {
  let gateway: GatewayProcess;

  beforeEach(async () => {
    gateway = await GatewayProcess.create();
    gateway.model.script(() => reply('Done.'));
    await gateway.start();
  });

  afterEach(() => gateway.close());

  const post = (id: string) => gateway.fetch('/api/messages', { body: { text: `This is ${id}.`, user: 'caller', id } });

  async function expectRefused(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const refused = await post(id);
      expect(refused.status).toBe(503);
      const { error } = (await refused.json()) as Refusal;
      expect(error.code).toBe('ATRIUM_STORE_REPLACED');
      expect(error.message).toMatch(/atrium\.db was removed or replaced.*Put back the file/);
    }
    const ready = await gateway.fetch('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      status: 'store-refuses',
      problem: expect.stringContaining('removed or replaced'),
    });
    expect((await gateway.fetch('/healthz')).status).toBe(200);
    expect(gateway.err.match(/warning: The file .* was removed or replaced/g), gateway.err).toHaveLength(1);
  }

  it('is removed takes no more messages, says so once, and is not ready', async () => {
    expect((await post('first')).status).toBe(202);
    await gateway.model.waitForRequests(1);
    await remove(gateway.home.stateDir);
    await expectRefused(['second', 'third']);
    expect(gateway.model.requests).toHaveLength(1);
    const { warnings } = await gateway.json<{ warnings: readonly string[] }>('/api/status');
    expect(warnings).toContainEqual(expect.stringContaining('removed or replaced'));
  });

  it('is replaced by a copy takes no more messages, and goes on when its own is back', async () => {
    const { stateDir } = gateway.home;
    await copyState(stateDir);
    await rename(stateDir, `${stateDir}.away`);
    await rename(`${stateDir}.copy`, stateDir);
    await expectRefused(['first', 'second']);

    await rename(stateDir, `${stateDir}.copy`);
    await rename(`${stateDir}.away`, stateDir);
    expect((await post('third')).status).toBe(202);
    const ready = await gateway.fetch('/readyz');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  it('has lost its lock does not share the store with a second gateway', async () => {
    await rm(join(gateway.home.stateDir, 'atrium', 'lock'));
    const second = gateway.beside();
    try {
      expect(await second.start()).toBe('ready');
      const refused = await post('first');
      expect([refused.status, ((await refused.json()) as Refusal).error.message]).toEqual([
        503,
        expect.stringContaining('lock was removed or replaced'),
      ]);
    } finally {
      await second.kill();
    }
  });

  const atrium = (...args: readonly string[]) => runAtrium(args, { home: gateway.home.home });

  it.each<[string, (stateDir: string) => Promise<void>]>([
    ['has lost its lock', (stateDir) => rm(join(stateDir, 'atrium', 'lock'))],
    [
      'was replaced by a copy',
      async (stateDir) => {
        await copyState(stateDir);
        await rename(stateDir, `${stateDir}.away`);
        await rename(`${stateDir}.copy`, stateDir);
      },
    ],
    [
      'was removed',
      async (stateDir) => {
        await remove(stateDir);
        const { port } = new URL(gateway.url ?? '');
        await gateway.home.write('openclaw.json', JSON.stringify({ gateway: { port: Number(port) } }));
      },
    ],
  ])('%s is found by the commands, which say that it still runs', async (_, lose) => {
    await lose(gateway.home.stateDir);
    const sentence = new RegExp(
      `^(?:atrium: )?No gateway owns ${gateway.home.stateDir}, but one that did still runs at ${gateway.url}.* was removed or replaced`,
    );
    const { code, out, err } = await atrium('status');
    expect([code, out, err]).toEqual([1, expect.stringMatching(sentence), '']);
    expect(JSON.parse((await atrium('status', '--json')).out)).toMatchObject({
      isRunning: false,
      stray: { url: gateway.url },
    });
    expect(await atrium('cron', 'run', 'job')).toEqual({ code: 2, out: '', err: expect.stringMatching(sentence) });
  });

  it('has an empty file instead of the store does not start', async () => {
    await gateway.stop();
    const file = join(gateway.home.stateDir, 'atrium', 'atrium.db');
    await truncate(file, 0);
    const said = gateway.err.length;
    expect(await gateway.start()).toBe('ended');
    expect((await gateway.ended()).code).toBe(2);
    expect(gateway.err.slice(said)).toMatch(/^.*the file is empty\. Bring back a copy.*\n$/);
    expect((await stat(file)).size).toBe(0);
  });
});
