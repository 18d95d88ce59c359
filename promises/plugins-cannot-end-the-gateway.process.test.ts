// What a plugin can do to the process that its worker is a part of. The gateway is a process of its own here, because a
// signal that gets through would end the test with it. After each deed the same process still answers, the plugin is
// named in the log, and another plugin in the worker goes on.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';

const BAD = `
  const inThread = async (program, options) => {
    const { Worker } = await import('node:worker_threads');
    return new Promise((resolve, reject) => {
      new Worker(program, { eval: true, ...options }).on('error', reject).on('exit', resolve);
    });
  };
  const DEEDS = {
    'its own number': () => process.kill(process.pid, 'SIGKILL'),
    'its own number, the default signal': () => process.kill(process.pid),
    'what is below process.kill': () => process._kill(process.pid, 9),
    'what starts the debugger': () => process._debugProcess(process.pid),
    'a thread of its own': () => inThread('process.kill(process.pid, 9)'),
    'a thread with arguments of its own': () => inThread('process.kill(process.pid, 9)', { execArgv: [] }),
    'abort': () => process.abort(),
    'exit': () => process.exit(0),
    'reallyExit': () => process.reallyExit(0),
    'exit in a listener to exit': () => { process.on('exit', () => process.exit(0)); process.exit(1); },
    'a listener to exit that spins': () => { process.on('exit', () => { for (;;) {} }); process.exit(0); },
    'a listener to exit that throws': () => { process.on('exit', () => { throw new Error('no'); }); process.exit(0); },
    'no listener to errors': () => { process.removeAllListeners(); setTimeout(() => { throw new Error('nobody listens'); }, 1); return new Promise(() => {}); },
    'its ports closed': () => { for (const handle of process._getActiveHandles()) handle.close?.(); process.exit(0); },
  };
  api.registerGatewayMethod('bad.do', async ({ params, respond }) => {
    await DEEDS[params.what]();
    respond(true, 'done');
  });
`;

const NICE = `api.registerGatewayMethod('nice.pid', ({ respond }) => respond(true, process.pid));`;

/** Ends the worker of the gateway that it is loaded in, or tries to end the gateway. */
const AT_LOAD = {
  aborts: 'process.abort();',
  kills: `process.kill(process.pid, 'SIGKILL');`,
  exits: 'process.exit(0);',
  moves: `process.chdir('/');`,
};

describe('a plugin in the worker', () => {
  let gateway: GatewayProcess;
  let pid: unknown;

  const call = (method: string, params = {}) =>
    gateway.json<{ payload?: unknown; error?: { message: string } }>(`/api/methods/${method}`, { body: { params } });
  const inspect = async (id: string) =>
    (await gateway.json<{ plugin: Record<string, string> }>(`/api/plugins/${id}`)).plugin;

  async function start(...others: readonly Record<string, string>[]): Promise<void> {
    gateway = await GatewayProcess.create({
      files: Object.assign({}, pluginFiles('bad', BAD), pluginFiles('nice', NICE), ...others),
      config: { plugins: { worker: { heartbeatMs: 1_000 } } },
    });
    expect(await gateway.start()).toBe('ready');
    pid = (await call('nice.pid')).payload;
    expect(pid).toBeTypeOf('number');
  }

  describe('that signals the gateway', () => {
    beforeAll(() => start(...Object.entries(AT_LOAD).map(([id, body]) => pluginFiles(id, body))), 60_000);
    afterAll(() => gateway.close());

    it.each(Object.keys(AT_LOAD))('or %s when it is loaded is not loaded, also not in the gateway', async (id) => {
      const { state, where, reason } = await inspect(id);
      expect({ state, where }).toEqual({ state: 'failed', where: null });
      expect(gateway.err).toContain(`The plugin "${id}" was not loaded: ${reason}`);
    });

    it.each([
      'its own number',
      'its own number, the default signal',
      'what is below process.kill',
      'what starts the debugger',
      'a thread of its own',
      'a thread with arguments of its own',
      'abort',
    ])('by %s is refused, and that is in its log', async (what) => {
      const { error } = await call('bad.do', { what });
      expect(error?.message).toContain('would end or disturb the gateway');
      expect((await call('nice.pid')).payload).toBe(pid);
      if (what.startsWith('a thread')) return;
      // A line that is there already is not written again, so the whole log is searched.
      await vi.waitFor(() => expect(gateway.err).toMatch(/plugin bad: process\.\w+/), 10_000);
    });
  });

  // Each has a gateway of its own, because a worker that was ended often is started again after a while only.
  describe('that ends its thread', { timeout: 60_000 }, () => {
    beforeEach(() => start(), 60_000);
    afterEach(() => gateway.close());

    it.each([
      'exit',
      'reallyExit',
      'exit in a listener to exit',
      'a listener to exit that spins',
      'a listener to exit that throws',
      'no listener to errors',
      'its ports closed',
    ])('by %s is named and suspended, and the gateway goes on', async (what) => {
      const { error } = await call('bad.do', { what });
      expect(error?.message).toContain('The plugin "bad"');
      expect((await call('nice.pid')).payload).toBe(pid);
      await vi.waitFor(() => expect(gateway.err).toContain('The plugin "bad"'), 10_000);
      expect((await inspect('bad')).state).toBe('suspended');
      await gateway.json('/api/plugins/bad/reload', { body: {} });
      expect((await inspect('bad')).state).toBe('loaded');
    });
  });
});
