import { describe, expect, it, onTestFinished } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { CliHome } from './fixtures/cli-home.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

const MORNING = Date.parse('2026-05-06T09:00:00Z');

/** A home in which a person talked twice, and AGENTS.md was edited in between; the gateway is down again. */
async function talked(cost?: Record<string, number>) {
  let clock = MORNING;
  const scratch = await gatewayForTest({
    now: () => clock++,
    files: { 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n' },
    provider: { models: [{ id: 'small', ...(cost && { cost }) }] },
  });
  scratch.model.script(() => reply('Well.', { usage: { input: 4_000, cacheRead: 3_000 } }));
  const says = async (text: string) => {
    clock += 60_000;
    const { runId = '' } = await scratch.channel.says({ sender: 'ann' }, text);
    await scratch.services.runs.wait(runId);
    return runId;
  };
  const first = await says('one');
  await scratch.home.write('workspace/AGENTS.md', '# Rules\n\nBe very brief.\n');
  const second = await says('two');
  await scratch.stop();
  return { home: new CliHome(scratch.home.home), first, second };
}

describe('atrium cache report', () => {
  it('sums up, and lists the breaks with their authors', async () => {
    const { home, second } = await talked();
    const { out } = await home.run(['cache', 'report']);
    expect(out).toMatch(/^runs +2, with 2 requests; 1 had none before them to share with$/m);
    expect(out).toMatch(/^tokens +8,000 in: 6,000 read from the cache \(75\.0 %\), 0 written to it, 2,000 neither$/m);
    expect(out).toMatch(/^saved +unknown$/m);
    expect(out).toMatch(/^prefix +100\.0 % of what could be shared was the same \([\d,]+ of [\d,]+ bytes\)$/m);
    expect(out).toMatch(/^breaks +1, about [\d,]+ tokens lost$/m);
    expect(out).toMatch(
      new RegExp(
        `^2026-05-06 09:0\\d:\\d\\d  AGENTS.md:3  system, line \\d+ +\\d+  unknown +1  - +${second} +agent:main`,
        'm',
      ),
    );
  });

  it('says what the caches saved and what a break cost where prices are known', async () => {
    const { home } = await talked({ input: 10, output: 0, cacheRead: 1, cacheWrite: 12 });
    const { out } = await home.run(['cache', 'report']);
    // 6,000 tokens for 1 instead of 10 a million.
    expect(out).toMatch(/^saved +0\.0540$/m);
    expect(out).toMatch(/AGENTS\.md:3 .* 0\.0\d+ +1/);
  });

  it('shows one run request by request', async () => {
    const { home, first, second } = await talked();
    for (const named of [second, 'last']) {
      const { out } = await home.run(['cache', 'report', '--run', named]);
      expect(out).toMatch(new RegExp(`^ +1 .* ${first}, call 1 +system, line \\d+, by AGENTS.md:3$`, 'm'));
    }
    expect((await home.run(['cache', 'report', '--run', first])).out).toMatch(/none before it +-$/m);
    expect(await home.runJson(['cache', 'report', '--run', second])).toMatchObject({
      calls: [{ call: 1, with: { runId: first }, break: { author: 'AGENTS.md', line: 3, cause: 'file' } }],
    });
  });

  it('is in one line of what a run shows', async () => {
    const { home, first, second } = await talked();
    expect((await home.run(['run', 'show', second])).out).toMatch(
      /^cache +[\d,]+ bytes as in the requests before; about \d+ tokens lost at system, line \d+ by AGENTS\.md:3$/m,
    );
    expect((await home.run(['run', 'show', first])).out).not.toMatch(/^cache /m);
    expect(await home.runJson(['run', 'show', second])).toMatchObject({ cache: { breakCount: 1 } });
  });

  it('can be asked for a time', async () => {
    const { home } = await talked();
    const later = { now: new Date('2026-05-08T10:00:00Z') };
    expect((await home.run(['cache', 'report'], later)).out).toBe('No request to a model is kept from that time.\n');
    expect((await home.run(['cache', 'report', '--since', '7d'], later)).out).toMatch(/^runs +2,/);
    expect((await home.run(['cache', 'report', '--agent', 'ops'])).err).toContain('"ops"');
    expect((await home.run(['cache', 'report', '--session', 'agent:main:test:direct:ann'])).out).toMatch(/^runs +2,/);
  });

  it.each([
    ['--since', 'soon'],
    ['--limit', '0'],
    ['--run', 'run_none'],
  ])('refuses %s %s', async (flag, value) => {
    const { home } = await talked();
    const { code, err } = await home.run(['cache', 'report', flag, value]);
    expect(code).toBe(2);
    expect(err).toContain(value);
  });

  it('is answered by a gateway that runs', async () => {
    const running = await RunningGateway.create();
    onTestFinished(() => running.remove());
    await running.start();
    const { out } = await running.home.run(['cache', 'report', '--run', running.filled.runId]);
    expect(out).toMatch(/^runs +1, with 1 request; 1 had none before them/);
  });
});
