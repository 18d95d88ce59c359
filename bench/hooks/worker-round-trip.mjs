// What it costs that third-party plugins run in a worker: starting it, one call there and back, fifty plugins asked one
// after the other, and what a plugin that spins costs the others. The floor of a call is an empty message to a bare
// worker and back. Memory is that of the whole process, before and after.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { HookRunner, WorkerPlugins } from '../../build/bench/parts.js';
import { isShort, round } from './in-turns.mjs';
import { EVENT } from './subject.mjs';

const HEARTBEAT_MS = 1_000;
const NOTHING = new Proxy({ log: () => {} }, { get: (target, name) => target[name] ?? (async () => undefined) });

export async function measureWorker() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'atrium-bench-worker-')));
  const wasReloaded = () => {};
  const events = { trouble: () => {}, reloaded: (plugin) => wasReloaded(plugin) };
  const settings = { memoryMb: 512, heartbeatMs: HEARTBEAT_MS, events, now: Date.now, warn: () => {} };
  const plugins = new WorkerPlugins(settings);
  const load = async (id, body) => {
    const result = await plugins.load(await writePlugin(root, id, body), NOTHING);
    if (!result.ok) throw new Error(result.reason);
    return result.plugin;
  };
  const rows = [];
  const add = (what, value, unit) => rows.push({ what, value: round(value), unit });
  try {
    const before = residentMb();
    const [startMs, plugin] = await timed(() => load('first', 'return { prependContext: "hello" };'));
    add('start of the worker with its first plugin', startMs, 'ms');
    add('memory of the worker, idle, with one plugin', residentMb() - before, 'MB');

    const floor = await bareRoundTrips();
    add('bare message there and back, p50', floor.p50, 'µs');
    const ask = (event) => () => plugin.registrations[0].handler(event, { agentId: 'main' });
    const small = await times(ask(EVENT), 5_000);
    add('a handler in the worker, small event, p50', small.p50, 'µs');
    add('a handler in the worker, small event, p99', small.p99, 'µs');
    const messages = Array.from({ length: 500 }, (_, index) => ({
      role: 'user',
      content: [{ type: 'text', text: `${index}` }],
    }));
    add(
      'a handler in the worker, 500 messages, p50',
      (await times(ask({ prompt: 'Hello.', messages }), 300)).p50,
      'µs',
    );

    const many = [];
    for (let index = 0; index < 50; index++)
      many.push(await load(`many-${index}`, 'return { prependContext: "hello" };'));
    const askAll = async () => {
      for (const { registrations } of many) await registrations[0].handler(EVENT, { agentId: 'main' });
    };
    add('fifty plugins asked one after the other, p50', (await times(askAll, 200)).p50 / 1_000, 'ms');
    const runner = new HookRunner();
    for (const { id, registrations } of many) {
      const [{ hook, handler, remote }] = registrations;
      runner.register({ hook, id, owner: id, handler, isRemote: true, remote });
    }
    const askTogether = () => runner.run(many[0].registrations[0].hook, EVENT, { agentId: 'main' });
    add('fifty plugins asked by the runner, p50', (await times(askTogether, 200)).p50 / 1_000, 'ms');
    add('memory of the worker, with fifty-one plugins', residentMb() - before, 'MB');
    for (const each of many) await each.unload();

    const bad = await load('bad', 'for (;;) {}');
    const [recoveredMs] = await timed(async () => {
      bad.registrations[0].handler(EVENT, {}).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20));
      await plugin.registrations[0].handler(EVENT, {});
    });
    add(`from a spin until the others answer, heartbeat ${HEARTBEAT_MS} ms`, recoveredMs, 'ms');

    const spinning = await load('spinning', 'for (;;) {}');
    spinning.registrations[0].handler(EVENT, {}).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [closeMs] = await timed(() => plugins.close());
    add('end of a worker that spins', closeMs, 'ms');
    add('growth by a reload, over 300', (await growthByReload(root)) * 1_024, 'KB');
  } finally {
    await plugins.close();
    await rm(root, { recursive: true, force: true });
  }
  return rows;
}

async function growthByReload(root) {
  const events = { trouble: () => {}, reloaded: () => {} };
  const plugins = new WorkerPlugins({ memoryMb: 512, heartbeatMs: 60_000, events, now: Date.now, warn: () => {} });
  const seat = await writePlugin(root, 'again', 'return undefined;');
  const reload = async (count) => {
    for (let index = 0; index < count; index++) await (await plugins.load(seat, NOTHING)).plugin.unload();
  };
  const [warmUps, reloads] = isShort ? [0, 1] : [100, 300];
  try {
    await reload(warmUps);
    const before = residentMb();
    await reload(reloads);
    return Math.max(0, residentMb() - before) / reloads;
  } finally {
    await plugins.close();
  }
}

async function writePlugin(root, id, body) {
  const rootDir = join(root, id);
  await mkdir(rootDir, { recursive: true });
  const entryPath = join(rootDir, 'index.js');
  await writeFile(
    entryPath,
    `module.exports = { register(api) { api.on('before_prompt_build', () => { ${body} }); } };`,
  );
  const manifest = { id, kind: [], enabledByDefault: true, tools: [], skills: [], raw: { id } };
  const places = { entryPath, rootDir, stateDir: root, workspaceDir: root, homeDir: root };
  const hooks = { allowPromptInjection: true, allowConversationAccess: true };
  const common = {
    id,
    name: id,
    origin: 'config',
    manifest,
    registrationMode: 'full',
    config: {},
    pluginConfig: {},
    hooks,
  };
  return { ...common, ...places, holdsMemorySlot: false, generation: 1 };
}

async function bareRoundTrips() {
  const worker = new Worker(
    `const { parentPort: p } = require('node:worker_threads'); p.on('message', (m) => p.postMessage(m));`,
    {
      eval: true,
    },
  );
  let answered = () => {};
  worker.on('message', () => answered());
  const result = await times(
    () =>
      new Promise((resolve) => {
        answered = resolve;
        worker.postMessage(0);
      }),
    5_000,
  );
  await worker.terminate();
  return result;
}

/** In µs. */
async function times(call, many) {
  const count = isShort ? 1 : many;
  for (let index = 0; index < count / 5; index++) await call();
  const all = [];
  for (let index = 0; index < count; index++) all.push((await timed(call))[0] * 1_000);
  all.sort((a, b) => a - b);
  return { p50: all[Math.floor(count / 2)], p99: all[Math.floor(count * 0.99)] };
}

async function timed(call) {
  const started = performance.now();
  const result = await call();
  return [performance.now() - started, result];
}

function residentMb() {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
}
