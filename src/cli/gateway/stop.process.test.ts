import { describe, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, runAtrium } from '../../testkit/atrium-process.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';

async function started(): Promise<{ home: ScratchHome; gateway: AtriumProcess }> {
  const home = await ScratchHome.create({ 'openclaw.json': '{}' });
  onTestFinished(() => home.remove());
  const gateway = new AtriumProcess(['start', '--port', '0'], { home: home.home });
  onTestFinished(() => gateway.kill());
  await gateway.until('is ready');
  return { home, gateway };
}

describe('atrium stop', () => {
  test('waits until the gateway has ended well, and is content when none runs', async () => {
    const { home, gateway } = await started();
    const stopped = await runAtrium(['stop'], { home: home.home });
    expect(stopped).toMatchObject({
      code: 0,
      out: expect.stringMatching(/The gateway \(process \d+\) has stopped\.\n$/),
    });
    expect(await gateway.ended()).toBe(0);
    expect(await runAtrium(['stop'], { home: home.home })).toMatchObject({
      code: 0,
      out: `No gateway runs on ${home.stateDir}.\n`,
    });
  });

  test('says that a frozen gateway does not stop, and ends it when told to', async () => {
    const { home, gateway } = await started();
    gateway.signal('SIGSTOP');
    const waited = await runAtrium(['stop', '--timeout', '1s'], { home: home.home });
    expect(waited).toMatchObject({ code: 2, err: expect.stringContaining('has not stopped after 1 seconds') });
    expect(await runAtrium(['stop', '--now'], { home: home.home })).toMatchObject({ code: 0 });
    await gateway.ended();
  });
});

describe('atrium restart', () => {
  test('comes back when the gateway is ready again, with the configuration as it is then', async () => {
    const { home, gateway } = await started();
    await home.write('openclaw.json', JSON.stringify({ agents: { list: [{ id: 'second' }] } }));
    const again = await runAtrium(['restart'], { home: home.home });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('The gateway is ready again: http://') });
    expect((await runAtrium(['agents', 'list'], { home: home.home })).out).toContain('second');
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
    expect(await runAtrium(['restart'], { home: home.home })).toMatchObject({
      code: 2,
      err: expect.stringContaining('no process owns it'),
    });
  });

  test('a configuration that cannot be used is named, and the gateway goes on', async () => {
    const { home, gateway } = await started();
    await home.write('openclaw.json', '{ "agents": ');
    expect(await runAtrium(['restart'], { home: home.home })).toMatchObject({
      code: 2,
      err: expect.stringContaining('this is not JSON5'),
    });
    await home.write('openclaw.json', JSON.stringify({ gateway: { auth: { mode: 'trusted-proxy' } } }));
    expect(await runAtrium(['restart'], { home: home.home })).toMatchObject({
      code: 2,
      err: expect.stringContaining('No gateway runs with these settings'),
    });
    // The signal alone, as another program would send it.
    gateway.signal('SIGUSR1');
    await gateway.until('The gateway goes on and does not start again');
    expect(await runAtrium(['status'], { home: home.home })).toMatchObject({ code: 0 });
    await home.write('openclaw.json', '{}');
    expect(await runAtrium(['restart'], { home: home.home })).toMatchObject({ code: 0 });
    gateway.signal('SIGTERM');
    expect(await gateway.ended()).toBe(0);
  });
});
