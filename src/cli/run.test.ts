import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

describe.each(['up', 'down'])('atrium run show, with the gateway %s', (state) => {
  beforeEach(async () => {
    if (state === 'up') await running.start();
  });

  it('tells how a run went', async () => {
    const { out } = await running.home.run(['run', 'show', running.filled.runId]);
    expect(out).toMatch(/^status +done$/m);
    expect(out).toMatch(/^began +2023-11-14 22:13:20, 1\.0 s$/m);
    expect(out).toMatch(/^model +mirror\/mirror$/m);
    expect(out).toMatch(/^usage +120 in \(100 from the cache\), 7 out$/m);
    expect(out).toMatch(/^steps +2 model, 1 tool$/m);
    expect(out).toContain('\nhello there\n');
    expect(out).toMatch(/^ +1 +web direct tab-1 +sent +1 +-$/m);
    expect(await running.home.runJson(['run', 'show', running.filled.runId])).toMatchObject({
      run: { status: 'done' },
    });
  });

  it('prints a request byte for byte', async () => {
    const { runId, requestBody } = running.filled;
    expect((await running.home.run(['run', 'show', runId, '--request'])).out).toBe(requestBody);
    expect((await running.home.run(['run', 'show', runId, '--request', '--call', '1'])).out).toBe(requestBody);
    expect((await running.home.run(['run', 'show', runId, '--request', '--call', '2'])).err).toContain(
      'Request 2 of run',
    );
    expect((await running.home.run(['run', 'show', runId, '--call', 'x'])).code).toBe(2);
  });

  it('prints the context report', async () => {
    const { out } = await running.home.run(['run', 'show', running.filled.runId, '--report']);
    expect(JSON.parse(out)).toMatchObject({ version: 1, prompt: { chars: 5_400 } });
  });

  it('says when there is no such run', async () => {
    const { code, err } = await running.home.run(['run', 'show', 'run_nobody']);
    expect(code).toBe(2);
    expect(err).toContain('There is no run "run_nobody"');
  });
});

describe.each(['up', 'down'])('atrium run list, with the gateway %s', (state) => {
  it('lists the runs, the latest first, and the last one can be shown by that name', async () => {
    if (state === 'up') await running.start();
    const { code, out } = await running.home.run(['run', 'list']);
    expect(code).toBe(0);
    const rows = out.trimEnd().split('\n').slice(1);
    expect(rows.length).toBeGreaterThan(0);
    expect(out).toContain(running.filled.runId);
    const last = rows[0]?.split(/ +/)[0];
    expect((await running.home.run(['run', 'show', 'last'])).out).toMatch(new RegExp(`^run +${last}$`, 'm'));
    expect((await running.home.run(['run', 'list', '--limit', '1'])).out.trimEnd().split('\n')).toHaveLength(2);
    const unknown = await running.home.run(['run', 'list', '--session', 'agent:main:nobody']);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('There is no session "agent:main:nobody"'),
    ]);
    expect((await running.home.run(['run', 'show', 'last', '--session', 'agent:main:nobody'])).code).toBe(2);
  });
});
