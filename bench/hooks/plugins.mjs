// What fifty plugins add to a turn. Gateways without plugins, with one and with fifty of them in the worker run side by
// side and are asked in turns, so that a busy machine slows all of them alike. Each plugin answers one hook that the turn
// waits for, hears of the end of each run, and brings a tool; the work of the handlers is nothing. A second gateway with
// fifty has them ask twice in the turn's way, which is more than plugins commonly do.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAtriumHome, startAtrium } from '../turn/atrium.mjs';
import { inTurns, percentile, Talker } from '../turn/load.mjs';
import { checkPluginsLoaded, pluginSettings, USUAL_HOOKS, writePlugins } from '../turn/many-plugins.mjs';
import { killAll, memoryOf, processorTimeOf, startServer, stopProcess, untilReady } from '../turn/processes.mjs';
import { round } from './in-turns.mjs';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const MODEL = fileURLToPath(new URL('../turn/instant-model.mjs', import.meta.url));

const BUSY = ['before_prompt_build', 'message_sending'];

const GATEWAYS = [
  { name: 'none', count: 0 },
  { name: '1', count: 1, hooks: USUAL_HOOKS },
  { name: '50', count: 50, hooks: USUAL_HOOKS },
  { name: '50 that are asked twice', count: 50, hooks: BUSY },
];

const ROUNDS = 150;
/** Until the code is compiled and memory has settled. */
const WARM_UPS = 150;

export async function measurePlugins() {
  const root = await mkdtemp(join(tmpdir(), 'atrium-bench-plugins-'));
  const model = await startServer(MODEL);
  process.once('exit', killAll);
  const gateways = [];
  try {
    for (const each of GATEWAYS) gateways.push(await open(each, root, model));
    const turns = gateways.map(({ turn }) => turn);
    await inTurns(turns, WARM_UPS, 0);
    const cpuBefore = gateways.map(({ pid }) => processorTimeOf(pid));
    const samples = await inTurns(turns, ROUNDS, 0);
    const facts = gateways.map(({ name, pid, idle }, index) => ({
      name,
      idle,
      ms: percentile(samples[index], 0.5),
      added: percentile(
        samples[index].map((ms, turn) => ms - samples[0][turn]),
        0.5,
      ),
      cpu: (processorTimeOf(pid) - cpuBefore[index]) / ROUNDS,
      warm: memoryOf(pid),
    }));
    const [none] = facts;
    return facts.map(({ name, ms, added, cpu, idle, warm }) => ({
      plugins: name,
      'a turn, ms': round(ms),
      'added, ms': round(added),
      'to none': round(ms / none.ms),
      'added processor time, ms': round(cpu - none.cpu),
      'added memory at first, MB': Math.round(idle - none.idle),
      'added memory, MB': Math.round(warm - none.warm),
    }));
  } finally {
    await Promise.all([...gateways, model].map((each) => stopProcess(each)));
    await rm(root, { recursive: true, force: true });
  }
}

async function open({ name, count, hooks = [] }, root, model) {
  const home = await makeAtriumHome(await mkdtemp(join(root, 'gateway-')), model.url, pluginSettings(count));
  await writePlugins(home, count, hooks);
  const gateway = await startAtrium(home, DIST);
  await untilReady(gateway.readyUrl, gateway, 60_000);
  await checkPluginsLoaded(gateway, count, hooks);
  const talker = new Talker(`plugins-${count}`);
  return { ...gateway, name, idle: memoryOf(gateway.pid), turn: () => talker.turn(gateway) };
}
