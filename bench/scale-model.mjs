// Where an installation with 10,000 agents and a million sessions breaks. What was measured comes from
// bench/scale-model/measured.json, which `npm run bench:scale:measure` writes on a machine; what nobody can measure there
// is assumed in bench/scale-model/assumed.json. This program measures nothing: it simulates turns with these numbers and
// raises the load until turns wait too long, for each wall alone and then for all together.
//
//   npm run bench:scale -- [--measured FILE] [--assumed FILE] [--seconds 20] [--json]

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { simulate } from './scale-model/simulate.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: flags } = parseArgs({
  options: {
    measured: { type: 'string', default: join(here, 'scale-model', 'measured.json') },
    assumed: { type: 'string', default: join(here, 'scale-model', 'assumed.json') },
    seconds: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
});
const measured = JSON.parse(await readFile(flags.measured, 'utf8'));
const assumed = JSON.parse(await readFile(flags.assumed, 'utf8'));
const seconds = Number(flags.seconds);
const MOST_TURNS = 20_000;

const inputs = inputsOf(measured, assumed);
const wanted = (assumed.sessions * assumed.turnsPerSessionPerDay * assumed.peakFactor) / 86_400;
const nodesFor = (turnsPerSecond) =>
  Math.max(
    1,
    Math.ceil((turnsPerSecond * inputs.gatewayCpuMs) / (1_000 * assumed.coresPerNode * assumed.cpuUtilisation)),
    Math.ceil((turnsPerSecond * (assumed.modelSeconds + 1)) / assumed.runsPerNode),
  );

const WALLS = [
  { name: 'WAL sync', from: 'measured' },
  {
    name: 'NOTIFY',
    from: inputs.areNotificationsMeasured ? 'measured' : 'measured rate, assumed number a turn',
  },
  { name: 'one model account', from: 'assumed' },
  { name: 'one chat account', from: 'assumed' },
  { name: 'database processor', from: 'measured cost, assumed cores' },
];
const walls = WALLS.map((wall) => ({ ...wall, turnsPerSecond: breakingPoint([wall.name]) }));
const together = breakingPoint(['nodes', ...WALLS.map(({ name }) => name)]);
const at = (turnsPerSecond, limits) => {
  const nodes = nodesFor(turnsPerSecond);
  return { turnsPerSecond, nodes, ...simulate(inputs, { turnsPerSecond, seconds, nodes, limits }) };
};
const peak = at(wanted, ['nodes', ...WALLS.map(({ name }) => name)]);

if (flags.json) console.log(JSON.stringify({ measured, assumed, walls, together, peak }, undefined, 2));
else print();

/** The highest number of turns a second at which the 95th percentile of every wait stays below the limit. */
function breakingPoint(limits) {
  const holds = (turnsPerSecond) => {
    const nodes = nodesFor(turnsPerSecond);
    const { p95 } = simulate(inputs, { turnsPerSecond, seconds, nodes, limits });
    return Object.values(p95).every((ms) => ms <= assumed.mostWaitMs);
  };
  let [low, high] = [0, 10];
  while (holds(high)) {
    if (high >= MOST_TURNS) return undefined;
    [low, high] = [high, Math.min(MOST_TURNS, high * 2)];
  }
  while (high - low > Math.max(1, high * 0.02)) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return Math.floor(low);
}

function inputsOf({ turn, database }, given) {
  const rates = Object.entries(database.commitsPerSecond).map(([connections, rate]) => [Number(connections), rate]);
  const [, alone] = rates.find(([connections]) => connections === 1);
  const most = Math.max(...rates.map(([, rate]) => rate));
  // There are several nodes, so what was measured with one listener says too much.
  const several = Object.entries(database.notifyingPerSecond).filter(([how]) => !how.endsWith(' 1 listeners'));
  const notifying = Math.max(...several.map(([, rate]) => rate));
  const seen = turn.notificationsSent > 0 || turn.notificationsDelivered > 0;
  return {
    agents: given.agents,
    sessions: given.sessions,
    zipfExponent: given.agentPopularity.zipfExponent,
    gatewayCpuMs: turn.gatewayCpuMs,
    postgresCpuMs: turn.postgresCpuMs,
    commits: turn.commits,
    syncMs: 1_000 / alone,
    commitsPerSync: Math.max(1, most / alone),
    commitsPerSecond: most,
    notifyMs: 1_000 / notifying,
    notifyingPerSecond: notifying,
    areNotificationsMeasured: seen,
    notifications: seen
      ? Math.max(turn.notificationsSent, turn.notificationsDelivered)
      : given.notificationsPerTurn.value,
    modelMs: given.modelSeconds * 1_000,
    coresPerNode: given.coresPerNode,
    runsPerNode: given.runsPerNode,
    databaseCores: given.databaseCores,
    modelAccount: {
      perSecond: given.accounts.model.requestsPerMinute / 60,
      agentsPerAccount: given.accounts.model.agentsPerAccount,
    },
    chatAccount: {
      perSecond: given.accounts.chat.messagesPerSecond,
      agentsPerAccount: given.accounts.chat.agentsPerAccount,
    },
  };
}

function print() {
  const { turn, machine } = measured;
  const say = (text = '') => console.log(text);
  const number = (value) =>
    value === undefined ? `above ${MOST_TURNS.toLocaleString('en-US')}` : Math.round(value).toLocaleString('en-US');
  say(
    `MEASURED ${measured.at.slice(0, 10)} on ${machine.cores} cores (${machine.model}), load ${machine.loads.join(', ')}, Node ${machine.node}, Postgres ${machine.postgres}`,
  );
  say(`  a turn: ${turn.what}`);
  say(`    processor: gateway ${turn.gatewayCpuMs} ms, Postgres ${turn.postgresCpuMs} ms`);
  say(
    `    transactions ${turn.commits} (each is synced; commits that queue up share one), statements ${turn.statements}, round trips ${turn.roundTrips}`,
  );
  say(
    `    bytes: ${number(turn.walBytes)} of log, ${number(turn.storedBytes)} stored, ${number(turn.bytesToServer)} to the server and ${number(turn.bytesFromServer)} back`,
  );
  say(`    notifications: ${turn.notificationsSent} sent, ${turn.notificationsDelivered} delivered`);
  say(
    `  the server alone: ${number(1_000 / inputs.syncMs)} synced commits a second on one connection, ${number(inputs.commitsPerSecond)} on many; ${number(inputs.notifyingPerSecond)} notifications without a sync`,
  );
  say();
  say(
    `ASSUMED ${number(assumed.agents)} agents, ${number(assumed.sessions)} sessions, ${assumed.turnsPerSessionPerDay} turns a session a day, ${assumed.peakFactor} times the mean at the peak: ${number(wanted)} turns a second`,
  );
  say(
    `  a model that takes ${assumed.modelSeconds} s, nodes with ${assumed.coresPerNode} cores and ${assumed.runsPerNode} runs, a database with ${assumed.databaseCores} cores`,
  );
  say(
    `  ${assumed.accounts.model.why}: ${number(assumed.accounts.model.requestsPerMinute)} requests a minute; ${assumed.accounts.chat.why}: ${assumed.accounts.chat.messagesPerSecond} a second`,
  );
  if (!inputs.areNotificationsMeasured)
    say(`  ${inputs.notifications} notifications a turn (${assumed.notificationsPerTurn.why})`);
  say();
  say(`MODELLED: the load at which the 95th percentile of a wait passes ${assumed.mostWaitMs} ms, each wall alone`);
  const sorted = [...walls].sort(
    (one, other) => (one.turnsPerSecond ?? MOST_TURNS + 1) - (other.turnsPerSecond ?? MOST_TURNS + 1),
  );
  for (const { name, turnsPerSecond, from } of sorted)
    say(`  ${name.padEnd(20)} ${number(turnsPerSecond).padStart(13)} turns a second  (${from})`);
  say(
    `  ${'all together'.padEnd(20)} ${number(together).padStart(13)} turns a second, with ${nodesFor(together ?? MOST_TURNS)} nodes`,
  );
  say();
  const needed = (name) => Math.ceil(wanted / (walls.find((wall) => wall.name === name)?.turnsPerSecond ?? MOST_TURNS));
  const databases = Math.max(...['NOTIFY', 'WAL sync', 'database processor'].map(needed));
  say(
    `  ${number(wanted)} turns a second need ${nodesFor(wanted)} nodes, ${needed('one model account')} accounts of the model provider, and ${databases} databases of this kind`,
  );
  say(`  at ${number(wanted)} turns a second with ${peak.nodes} nodes, 95 of 100 turns wait at most:`);
  for (const [name, ms] of Object.entries(peak.p95))
    say(`    ${name.padEnd(20)} ${number(ms).padStart(9)} ms${ms > assumed.mostWaitMs ? '  breaks' : ''}`);
}
