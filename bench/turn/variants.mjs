// The same turn under other circumstances: far into a conversation, with a large catalogue of tools, with many plugins,
// without trajectories. Each has a gateway of its own, and they are asked in turns, so that a busy machine slows all of them
// alike and the processor time of each is its own.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAtriumHome, startAtrium, startAtriumWithTools } from './atrium.mjs';
import { askModel, inChangingTurns, percentile, Talker, throughput } from './load.mjs';
import { checkPluginsLoaded, pluginSettings, toolsOfPlugins, USUAL_HOOKS, writePlugins } from './many-plugins.mjs';
import { manyTools } from './many-tools.mjs';
import { processorTimeOf, stopProcess, untilReady } from './processes.mjs';

export const LONG = 500;
export const MANY = 200;
export const PLUGINS = 50;

const SILENT = { recorder: { trajectory: { enabled: false } } };

/** `plain` is what the others are compared with. */
const VARIANTS = [
  { name: 'plain' },
  { name: 'silent', settings: SILENT },
  { name: 'long', earlier: LONG },
  { name: 'longSilent', earlier: LONG, settings: SILENT },
  { name: 'tools', tools: MANY },
  { name: 'plugins', plugins: PLUGINS },
];

/**
 * By name: the overhead, which is a turn minus the bare call with as many messages and tools, and the processor time.
 * A long conversation grows while it is measured; it is `LONG` messages long in the middle of the measurement.
 */
export async function measureVariants({ root, dist, model, rounds, warmUps, compileTurns, say }) {
  const begun = [];
  for (const variant of VARIANTS) begun.push(await beginVariant(variant, { root, dist, model }));
  try {
    say('warming up');
    // V8 compiles for thousands of turns, and a long conversation must not grow by as many.
    await Promise.all(begun.map(({ gateway }) => talkAside(gateway, compileTurns)));
    // All of them, or those with short conversations would be measured on code that is compiled less.
    await Promise.all(begun.map(({ turn }) => times(LONG / 2 - Math.round(rounds / 2) - warmUps, turn)));
    say('other circumstances');
    const turnsOnly = begun.map(({ turn }) => [turn]);
    await inChangingTurns(turnsOnly, warmUps);
    const before = begun.map(({ gateway }) => processorTimeOf(gateway.pid));
    const calls = begun.map(({ bare, turn }) => [bare, turn]);
    const samples = await inChangingTurns(calls, rounds);
    const facts = begun.map(({ name, gateway }, index) => {
      const [bare, turns] = samples[index];
      const overhead = turns.map((ms, round) => ms - bare[round]);
      return [
        name,
        {
          modelMs: percentile(bare, 0.5),
          overheadMs: { p50: percentile(overhead, 0.5), p99: percentile(overhead, 0.99) },
          cpuMsPerTurn: (processorTimeOf(gateway.pid) - before[index]) / rounds,
        },
      ];
    });
    return Object.fromEntries(facts);
  } finally {
    await Promise.all(begun.map(({ gateway }) => stopProcess(gateway)));
  }
}

async function beginVariant({ name, settings, earlier, tools, plugins = 0 }, { root, dist, model }) {
  const home = await makeAtriumHome(await mkdtemp(join(root, `${name}-`)), model.url, {
    ...settings,
    ...(plugins > 0 && pluginSettings(plugins)),
  });
  await writePlugins(home, plugins, USUAL_HOOKS);
  const gateway = await (tools === undefined ? startAtrium(home, dist) : startAtriumWithTools(home, dist, tools));
  await untilReady(gateway.readyUrl, gateway, 60_000);
  if (tools !== undefined) await checkOffered(gateway, tools);
  if (plugins > 0) await checkPluginsLoaded(gateway, plugins, USUAL_HOOKS);
  const talker = new Talker(name, earlier === undefined ? undefined : Number.POSITIVE_INFINITY);
  const turn = () => talker.turn(gateway);
  const offered = tools === undefined ? toolsOfPlugins(plugins) : manyTools(tools);
  return {
    name,
    gateway,
    turn,
    bare: () => askModel(model.url, { earlier, tools: offered }),
  };
}

/** Turns of other, short conversations. */
function talkAside(gateway, calls) {
  const talking = (index) => {
    const talker = new Talker(`aside-${index}`);
    return () => talker.turn(gateway);
  };
  return throughput(talking, 8, { calls });
}

async function times(count, turn) {
  for (let done = 0; done < count; done++) await turn();
}

/** A policy that hides them would make the figure look good and mean nothing. */
async function checkOffered({ url, token }, tools) {
  const response = await fetch(`${url}/api/context/preview`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ message: 'Hello' }),
  });
  const { wire } = await response.json();
  const offered = JSON.parse(wire.body).tools.filter((tool) => tool.function.name.startsWith('bench_')).length;
  if (offered !== tools) throw new Error(`The model is offered ${offered} of ${tools} tools.`);
}
