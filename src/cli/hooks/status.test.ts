import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandlerStatus } from '../../gateway/services/hook-control.ts';
import { GREETING, GreeterHooks } from '../fixtures/greeter.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

let running: RunningGateway;
let hooks: GreeterHooks;
beforeEach(async () => {
  hooks = new GreeterHooks();
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

const add = (changes: Partial<HandlerStatus>) => {
  hooks.handlers = [...hooks.handlers, { ...GREETING, ...changes }];
};

describe('atrium hooks status', () => {
  it('shows each handler with its calls, times and failures, within 100 columns', async () => {
    await running.start(() => ({ hooks }));
    add({
      hook: 'heartbeat_prompt_contribution',
      id: 'greeter:2',
      calls: 0,
      p50Ms: null,
      p95Ms: null,
      lastFiredAt: null,
    });
    const now = new Date(1_700_000_300_000);
    const { out, code } = await running.home.run(['hooks', 'status'], {
      columns: 100,
      now,
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^greeter\nhook +state +calls +p50 ms +p95 ms +errors +timeouts +last fired$/m);
    expect(out).toMatch(/^message_received +armed +12 +0\.4 +2\.\d +1 +0 +5 min ago$/m);
    expect(out).toMatch(/^heartbeat_prompt_contribution +armed +0 +- +- +1 +0 +never$/m);
    expect(out).toMatch(/^ {2}message_received of greeter \(greeter:1\): threw, no ink$/m);
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(await running.home.runJson(['hooks', 'status'])).toMatchObject({
      handlers: [{ hook: 'message_received', calls: 12 }, {}],
      absent: [],
    });
  });

  it('shows who was due and not called, although it looks armed', async () => {
    await running.start(() => ({ hooks }));
    add({ hook: 'agent_end', id: 'greeter:2', calls: 0, notCalled: 8 });
    const { out } = await running.home.run(['hooks', 'status'], { columns: 120 });
    expect(out).toMatch(/timeouts +not called +last fired/);
    expect(out).toContain('agent_end of greeter (greeter:2): it was due 8 times and not called');
    const doctor = await running.home.run(['doctor']);
    expect(doctor.out).toContain('agent_end of greeter was due 8 times and never called.');
    expect(doctor.code).toBe(1);
  });

  it('says who is not called and why, harmless for a terminal', async () => {
    await running.start(() => ({ hooks }));
    add({ hook: 'agent_end', id: 'greeter:2', state: 'blocked', reason: 'It may\u001b[31m not.' });
    add({ hook: 'message_sending', id: 'greeter:3', state: 'suspended', reason: 'It timed out.' });
    const { out } = await running.home.run(['hooks', 'status']);
    expect(out).toMatch(/^ {2}agent_end of greeter \(greeter:2, blocked\): It may.*not\.$/m);
    expect(out).toMatch(/^ {2}message_sending of greeter \(greeter:3, suspended\): It timed out\.$/m);
    expect(out).toContain('atrium hooks rearm <id>');
    expect(out).not.toContain('\u001b');
  });

  it('needs a gateway, and says so', async () => {
    const { err, code } = await running.home.run(['hooks', 'status']);
    expect(code).toBe(2);
    expect(err).toMatch(/No gateway is running on .*Start one with "atrium start"/);
  });
});

describe('atrium hooks rearm', () => {
  it('lets a suspended handler be called again, and says which', async () => {
    await running.start(() => ({ hooks }));
    add({ hook: 'message_sending', id: 'greeter:3', state: 'suspended', reason: 'It timed out.' });
    expect((await running.home.run(['hooks', 'rearm', 'greeter:3'])).out).toBe(
      'message_sending of greeter (greeter:3) is called again.\n',
    );
    expect((await running.home.run(['hooks', 'rearm', 'greeter'])).out).toBe('Nothing of greeter is suspended.\n');
    expect(await running.home.runJson(['hooks', 'rearm', 'greeter'])).toEqual({ rearmed: [] });
  });

  it('knows only what there is', async () => {
    await running.start(() => ({ hooks }));
    expect(await running.home.run(['hooks', 'rearm', 'greter'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "greeter"?'),
    });
  });
});
