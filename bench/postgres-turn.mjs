// What a turn costs on Postgres against SQLite: two gateways of the same build, asked in turns, with the same instant model. It
// prints the time of a turn, the processor time of the gateway, and what the gateway sends to the database for each turn.
//
// With --neighbour, another node on the same database has nothing to do beside it.
//
//   npm run bench:postgres -- [--rounds N] [--neighbour] [--statements] [--dist <folder of another build>]

import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../src/testkit/postgres-server.ts';
import { makeAtriumHome, startAtrium } from './turn/atrium.mjs';
import { inTurns, percentile, Talker, throughput } from './turn/load.mjs';
import { killAll, memoryOf, processorTimeOf, startServer, stopProcess, untilReady } from './turn/processes.mjs';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    statements: { type: 'boolean', default: false },
    neighbour: { type: 'boolean', default: false },
    dist: { type: 'string', default: 'dist' },
  },
});
const rounds = Number(flags.rounds);
const here = dirname(fileURLToPath(import.meta.url));
const programs = await findPostgres();
if (programs === undefined) throw new Error('Postgres is not installed (Debian: postgresql).');
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const root = await mkdtemp(join(tmpdir(), 'atrium-bench-postgres-'));
const server = await startPostgres(programs);
try {
  const model = await startServer(join(here, 'turn', 'instant-model.mjs'));
  const counted = join(root, 'counted.json');
  const sqlite = await open('sqlite', {});
  const postgres = await open('postgres', { store: { url: server.url, node: 'bench' } });
  const neighbour = flags.neighbour && (await open('neighbour', { store: { url: server.url, node: 'neighbour' } }));
  for (const side of [sqlite, postgres]) side.talker = new Talker('one');
  await inTurns([() => sqlite.talker.turn(sqlite), () => postgres.talker.turn(postgres)], 1, 60);
  const serverBefore = serverTime();
  const before = [sqlite, postgres].map(({ pid }) => processorTimeOf(pid));
  const statementsBefore = await statementsOf(postgres);
  const samples = await inTurns([() => sqlite.talker.turn(sqlite), () => postgres.talker.turn(postgres)], rounds, 0);
  const statements = subtract(await statementsOf(postgres), statementsBefore);
  const spent = [sqlite, postgres].map(({ pid }, index) => (processorTimeOf(pid) - before[index]) / rounds);
  const ofServer = (serverTime() - serverBefore) / rounds;
  print(
    'a turn, p50',
    samples.map((each) => percentile(each, 0.5)),
    'ms',
  );
  print(
    'a turn, p95',
    samples.map((each) => percentile(each, 0.95)),
    'ms',
  );
  print('processor time of the gateway, one after the other', spent, 'ms');
  console.log(`processor time of the database server: ${ofServer.toFixed(2)} ms`);
  const together = [];
  for (const side of [sqlite, postgres]) {
    const talkers = Array.from({ length: 8 }, (_, index) => new Talker(`many-${index}`));
    const began = processorTimeOf(side.pid);
    let turns = 0;
    const rate = await throughput(
      (index) => async () => {
        await talkers[index].turn(side);
        turns += 1;
      },
      8,
      { calls: rounds * 2 },
    );
    together.push({ rate, spent: (processorTimeOf(side.pid) - began) / turns });
  }
  print(
    'processor time of the gateway, eight at once',
    together.map((each) => each.spent),
    'ms',
  );
  print(
    'turns a second, eight at once',
    together.map((each) => each.rate),
    '',
  );
  print(
    'memory',
    [sqlite, postgres].map(({ pid }) => memoryOf(pid)),
    'MB',
  );
  const total = [...statements.values()].reduce((sum, count) => sum + count, 0);
  const commits = statements.get('COMMIT') ?? 0;
  const reads = [...statements]
    .filter(([text]) => /^SELECT .* FROM (?!nodes)/.test(text) && !text.includes('FOR '))
    .reduce((sum, [, count]) => sum + count, 0);
  console.log(
    `to Postgres for a turn: ${per(total)} statements, ${per(commits)} transactions, about ${per(reads)} readings`,
  );
  if (flags.statements) {
    for (const [text, count] of [...statements].sort((a, b) => b[1] - a[1])) console.log(per(count).padStart(6), text);
  }
  // What was said is put into indexes when a gateway has time, and that is no rest yet.
  await sleep(30_000);
  const idleFrom = processorTimeOf(postgres.pid);
  await sleep(10_000);
  console.log(`idle: ${((processorTimeOf(postgres.pid) - idleFrom) / 100).toFixed(2)} % of a core`);
  await Promise.all([sqlite, postgres, ...(neighbour ? [neighbour] : [])].map((each) => stopProcess(each)));

  async function open(name, settings) {
    const home = await makeAtriumHome(join(root, name), model.url, settings);
    const nodeArgs = ['--import', join(here, 'turn', 'count-postgres.mjs')];
    const gateway = await startAtrium(home, resolve(flags.dist), {
      nodeArgs,
      variables: { COUNT_POSTGRES_FILE: name === 'neighbour' ? `${counted}.neighbour` : counted },
    });
    await untilReady(gateway.readyUrl, gateway, 60_000);
    return gateway;
  }

  async function statementsOf({ pid }) {
    process.kill(pid, 'SIGUSR2');
    await sleep(300);
    return new Map(JSON.parse(await readFile(counted, 'utf8')));
  }
} finally {
  killAll();
  await server.destroy();
  await rm(root, { recursive: true, force: true });
}

/** Of all processes of the server that are there now. */
function serverTime() {
  const dir = decodeURIComponent(new URL(server.url.replace('@/', '@x/')).searchParams.get('host'));
  const main = readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0];
  const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').trim().split(' ');
  return [main, ...children].reduce((sum, pid) => sum + (timeIfThere(pid) ?? 0), 0);
}

function timeIfThere(pid) {
  try {
    return processorTimeOf(Number(pid));
  } catch {
    return undefined;
  }
}

function subtract(after, before) {
  return new Map(
    [...after].map(([text, count]) => [text, count - (before.get(text) ?? 0)]).filter(([, count]) => count > 0),
  );
}

function per(count) {
  return (count / rounds).toFixed(2);
}

function print(what, [first, second], unit) {
  console.log(
    `${what}: SQLite ${first.toFixed(2)} ${unit}, Postgres ${second.toFixed(2)} ${unit}, ${(second / first).toFixed(2)} times`,
  );
}
