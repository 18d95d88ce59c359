// Real gateways on a store that another one owns, that is full, or that may not be written. Each time the gateway says
// so in one sentence, and what was accepted before stays accepted.

import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { after, type ModelReply, reply } from '../testkit/model-server.ts';
import { WebClient } from '../testkit/web-client.ts';

const exec = promisify(execFile);

describe('a gateway whose store', { timeout: 60_000 }, () => {
  let gateway: GatewayProcess;
  let web: WebClient;

  beforeEach(async () => {
    gateway = await GatewayProcess.create();
    web = new WebClient(gateway, 'page');
    gateway.model.script(() => reply('Done.'));
  });

  afterEach(async () => {
    await web.close();
    await gateway.close();
  });

  it('belongs to another one says whose it is, and leaves that one alone', async () => {
    await gateway.start();
    const second = gateway.beside();
    expect(await second.start()).toBe('ended');
    expect((await second.ended()).code).not.toBe(0);
    expectOneSentence(second.err, /another/i);
    expect(second.err).toContain(gateway.url);
    web.say('1', 'hello');
    await web.until(({ parts }) => parts.length === 1, 'for an answer');
    expect(web.texts).toEqual(['Done.']);
  });

  it('may not be written does not start, and goes on once it may', async () => {
    let isHeld = true;
    gateway.model.script((): ModelReply => (isHeld ? after(new Promise(() => {}), reply('')) : reply('Done.')));
    await gateway.start();
    web.say('1', 'hello');
    await gateway.model.waitForRequests(1);
    await gateway.kill();
    await exec('chmod', ['-R', 'a-w', gateway.home.stateDir]);
    try {
      expect(await gateway.start({ under: WITHOUT_PRIVILEGES })).toBe('ended');
    } finally {
      await exec('chmod', ['-R', 'u+w', gateway.home.stateDir]);
    }
    expect((await gateway.ended()).code).not.toBe(0);
    // The log file is in the same directory, which is said too.
    expectOneSentence(
      gateway.err.replace(/^.* The log file .* cannot be written .*\n/m, ''),
      /The store .* cannot be written/,
    );

    isHeld = false;
    await gateway.start();
    await web.until(({ parts }) => parts.length === 1, 'for an answer');
    expect(web.texts).toEqual(['Done.']);
  });

  it.skipIf(process.platform !== 'linux').each([40, 64, 200])(
    'could be opened, but only %d files at once, does not start, and says so',
    async (files) => {
      expect(await gateway.start({ under: withFiles(files) })).toBe('ended');
      expect((await gateway.ended()).code).toBe(2);
      expectOneSentence(gateway.err, /^atrium: This process may not have enough files .* needs 256\. Raise the limit/);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'could be opened with few files answers, however many clients there are',
    async () => {
      await gateway.start({ under: withFiles(256) });
      const { hostname, port } = new URL(gateway.url ?? '');
      const idle = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
      try {
        // The gateway has closed those that are too many; then some of the others leave.
        await vi.waitFor(() => expect(idle.filter(({ closed }) => closed).length).toBeGreaterThan(150));
        for (const socket of idle.slice(0, 40)) socket.destroy();
        web.say('1', 'hello');
        await web.until(({ parts }) => parts.length === 1, 'for an answer');
        expect(web.texts).toEqual(['Done.']);
      } finally {
        for (const socket of idle) socket.destroy();
      }
    },
  );

  it('is full takes nothing more and says so, keeps what it has, and goes on once there is room', async () => {
    await gateway.start();
    web.say('1', 'hello');
    await web.until(({ parts }) => parts.length === 1, 'for an answer');
    await gateway.stop();

    // There is room for accepting messages of this length, but not for answering them.
    const long = 'word '.repeat(40_000);
    await gateway.start({ under: await withRoomFor(gateway, 700_000) });
    const statuses: number[] = [];
    let refusal = '';
    for (let n = 1; n <= 8 && refusal === ''; n++) {
      const response = await gateway.fetch('/api/messages', {
        body: { text: `${n} ${long}`, user: 'caller', id: `${n}` },
      });
      statuses.push(response.status);
      if (response.status !== 202) refusal = ((await response.json()) as { error: { message: string } }).error.message;
    }
    const accepted = statuses.filter((status) => status === 202).length;
    expect(accepted).toBeGreaterThan(0);
    expect(statuses.at(-1)).toBe(503);
    expect(refusal).toMatch(/no space left/);
    expect(refusal.split('\n')).toHaveLength(1);
    expect((await gateway.fetch('/healthz')).status).toBe(200);
    // A small commit may still find room in between, and then the gateway says rightly that its store takes something.
    const refused = async (n: number) => {
      await gateway.fetch('/api/messages', { body: { text: `full ${n} ${long}`, user: 'full', id: `full ${n}` } });
      const ready = await gateway.fetch('/readyz');
      return [ready.status, await ready.json()];
    };
    let tries = 0;
    await expect.poll(() => refused(++tries)).toEqual([503, { status: 'store-refuses', problem: refusal }]);
    // A message is not given up, even after many attempts, and they are not told one by one.
    for (let n = 0; n < 20; n++) {
      await gateway.fetch('/api/messages', { body: { text: `late ${n} ${long}`, user: 'late', id: `late ${n}` } });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(gateway.err.split('no space left').length - 1, gateway.err).toBeLessThan(2 + accepted);
    await gateway.kill();

    await gateway.start();
    for (let n = 1; n <= accepted; n++) {
      const again = await gateway.json<{ runId: string; outcome: string }>('/api/messages', {
        body: { text: `${n} ${long}`, user: 'caller', id: `${n}` },
      });
      expect(again.outcome).toBe('duplicate');
      const { run } = await gateway.json<{ run: object }>(`/api/runs/${again.runId}/wait?timeoutMs=20000`);
      expect(run).toMatchObject({ status: 'done', outcome: { reply: 'Done.' } });
    }
  });
});

/** The tests may run as a user with all permissions; this takes them away. */
const WITHOUT_PRIVILEGES =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all', '--'] : [];

function withFiles(count: number): readonly string[] {
  return ['/bin/sh', '-c', `ulimit -n ${count}; exec "$@"`, 'sh'];
}

/** Limits the size of the gateway's files to the largest file of its store plus this many bytes. */
async function withRoomFor({ home }: GatewayProcess, bytes: number): Promise<readonly string[]> {
  const dir = home.path('atrium');
  const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size));
  const blocks = Math.ceil((Math.max(...sizes) + bytes) / 512);
  return ['/bin/sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh'];
}

function expectOneSentence(text: string, about: RegExp): void {
  const lines = text.trim().split('\n');
  expect(lines, text).toHaveLength(1);
  expect(lines[0]).toMatch(about);
}
