import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from '../fixtures/running-gateway.ts';

const CONFIG = JSON.stringify({
  agents: {
    list: [
      { id: 'main', default: true },
      { id: 'coder', model: { primary: 'mirror/mirror', fallbacks: ['x/y'] } },
    ],
  },
});

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

describe('atrium status', () => {
  it('says what runs, with which guarantee, and what needs a look', async () => {
    await running.home.write('openclaw.json', CONFIG);
    const warnings = ['AGENTS.md was cut.\u001b[31m'];
    await running.start((services) => ({ status: async () => ({ ...(await services.status()), warnings }) }));
    const { code, out } = await running.home.run(['status']);
    expect(code).toBe(0);
    expect(out).toContain(running.url);
    expect(out).toMatch(/^sessions +1 open$/m);
    expect(out).toMatch(/^dead letters +1 in, 1 out \(atrium deadletters list\)$/m);
    expect(out).toMatch(/^main \(default\) +mirror\/mirror/m);
    expect(out).toMatch(/^coder +mirror\/mirror, then x\/y/m);
    expect(out).toMatch(/^web +exactly-once +answers stay in the outbox under a number/m);
    expect(out).toContain('1 warning:\n  AGENTS.md was cut.');
    expect(out).not.toContain('\u001b');
    expect(await running.home.runJson(['status'])).toMatchObject({ isRunning: true, sessions: 1 });
  });

  it('says that nothing runs, and how to begin', async () => {
    const { code, out } = await running.home.run(['status']);
    expect(code).toBe(1);
    expect(out).toMatch(/^No gateway is running on .* Start one with "atrium start"/);
    expect(await running.home.runJson(['status'])).toMatchObject({ isRunning: false, unused: [] });
    await running.home.write('openclaw.json', '{ gateway: { auth: { mode: "password" } } }');
    const refused = await running.home.run(['status']);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('found and not used:\n  danger    gateway.auth.mode: ');
  });

  it('says so when the owner does not answer', async () => {
    await running.start();
    await running.hang();
    const { code, out } = await running.home.run(['status']);
    expect(code).toBe(1);
    expect(out).toContain('does not answer');
  });

  it('says that a gateway of an older version runs whose token is gone, and goes on with the store', async () => {
    await running.start(undefined, { token: undefined });
    await rm(join(running.home.stateDir, 'atrium', 'token'));
    const sentence = /The gateway at http:\S+ runs \(process \d+\), but its token is gone: .*token is not there\./;
    const { code, out } = await running.home.run(['status']);
    expect([code, out]).toEqual([1, expect.stringMatching(sentence)]);
    expect(out).not.toContain('No gateway is running');
    expect(out).toMatch(/^runs +\d+ running/m);
    expect(await running.home.runJson(['status'])).toMatchObject({ isRunning: true, isAnswering: false });

    const sessions = await running.home.run(['sessions', 'list']);
    expect(sessions).toMatchObject({ code: 0, err: expect.stringMatching(sentence) });
    expect(sessions.out).toContain('agent:main:');
    const hooks = await running.home.run(['hooks', 'list']);
    expect(hooks).toMatchObject({ code: 0, err: expect.stringMatching(sentence) });
    const agent = await running.home.run(['agent', '--message', 'are you there?']);
    expect([agent.out, agent.err]).toEqual(['', expect.stringMatching(sentence)]);
  });

  it('uses the token of the configuration where a gateway of an older version does not say which one it has', async () => {
    await running.home.write('openclaw.json', '{ gateway: { auth: { token: "configured-token-123" } } }');
    await running.start(undefined, { token: undefined });
    expect((await running.home.run(['status'])).code).toBe(0);
    await running.home.write('openclaw.json', '{ gateway: { auth: { token: "another-token-123" } } }');
    const { code, out } = await running.home.run(['status']);
    expect(code).toBe(1);
    expect(out).toContain('not the token of this gateway');
  });

  it('reaches a gateway whose token was changed in the file, and lists the change without showing it', async () => {
    await running.home.write('openclaw.json', '{ gateway: { auth: { token: "configured-token-123" } } }');
    await running.start();
    await running.home.write('openclaw.json', '{ gateway: { auth: { token: "another-token-123" } } }');
    // More often than a gateway lets a wrong token pass.
    for (let times = 0; times < 11; times++) expect((await running.home.run(['sessions', 'list'])).code).toBe(0);
    const { code, out } = await running.home.run(['status']);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /changed since start .*\n {2}gateway\.auth\.token: the file says another value; both are hidden\n/,
      ),
    ]);
    expect(out).not.toMatch(/configured-token-123|another-token-123/);
    await rm(join(running.home.stateDir, 'atrium', 'token'), { force: true });
    expect((await running.home.run(['agent', '--message', 'are you there?'])).err).not.toContain('token');
  });
});
