// Where the time of a turn goes: a gateway of its own is profiled while one session talks, while many do, and far into a
// conversation. The profile slows the gateway down a little, so these figures are for comparing areas, not for quoting.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeAtriumHome, startAtrium } from './atrium.mjs';
import { Talker, throughput } from './load.mjs';
import { stopProcess, untilReady } from './processes.mjs';
import { AREA_NAMES, sumProfile } from './sum-profile.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const WARM_UPS = 600;
const TURNS = 300;
const LONG = 500;
const LONG_TURNS = 60;

/** Rows of milliseconds a turn by area, and the profiles themselves. */
export async function measureWhereTimeGoes({ root, dist, model, say }) {
  const folder = await mkdtemp(join(root, 'profile-'));
  const home = await makeAtriumHome(folder, model.url);
  const file = join(folder, 'profile.json');
  const gateway = await startAtrium(home, dist, {
    nodeArgs: ['--import', join(here, 'profile-on-signal.mjs')],
    variables: { ATRIUM_BENCH_PROFILE: file },
  });
  try {
    await untilReady(gateway.readyUrl, gateway, 20_000);
    say('warming up for the profile');
    await talk(gateway, 8, WARM_UPS);
    const long = new Talker('long', Number.POSITIVE_INFINITY);
    for (let turn = 0; turn < LONG / 2; turn++) await long.turn(gateway);
    const profiles = {};
    const take = async (name, turns, work) => {
      say(`profile: ${name}`);
      profiles[name] = { turns, profile: await profileOf(gateway, file, work) };
    };
    await take('1 session', TURNS, () => talk(gateway, 1, TURNS));
    await take('32 sessions', 2 * TURNS, () => talk(gateway, 32, 2 * TURNS));
    await take(`on top of ${LONG} messages`, LONG_TURNS, async () => {
      for (let turn = 0; turn < LONG_TURNS; turn++) await long.turn(gateway);
    });
    return { rows: rowsOf(profiles), profiles };
  } finally {
    await stopProcess(gateway);
  }
}

function rowsOf(profiles) {
  const sums = Object.entries(profiles).map(([name, { turns, profile }]) => [name, sumProfile(profile), turns]);
  const row = (area, value) => ({
    area,
    ...Object.fromEntries(sums.map(([name, sum, turns]) => [name, value(sum) / turns])),
  });
  const whole = (sum) => Object.values(sum).reduce((total, ms) => total + ms, 0);
  return [...AREA_NAMES.map((area) => row(area, (sum) => sum[area])), row('together', whole)];
}

async function profileOf({ pid }, file, work) {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  await work();
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await sleep(20);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function talk(gateway, sessions, calls) {
  const talking = (index) => {
    const talker = new Talker(`p${sessions}-${index}`);
    return () => talker.turn(gateway);
  };
  return throughput(talking, sessions, { calls });
}
