// Measures what the capacity model needs, on this machine: what a turn costs a gateway whose store is in Postgres, and what
// the server can do alone. It writes bench/scale-model/measured.json; the model reads that file and measures nothing. Run
// it again when lanes, live events or the outbox change: notifications are counted by what goes over the wire.
//
//   npm run bench:scale:measure -- [--turns 400] [--at-once 8] [--seconds 3]

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { findPostgres, startPostgres } from '../../src/testkit/postgres-server.ts';
import { makeAtriumHome, startAtrium } from '../turn/atrium.mjs';
import { Talker } from '../turn/load.mjs';
import { killAll, processorTimeOf, startServer, stopProcess, untilReady } from '../turn/processes.mjs';
import { startCountingProxy } from './counting-proxy.mjs';

const { values: flags } = parseArgs({
  options: {
    turns: { type: 'string', default: '400' },
    'at-once': { type: 'string', default: '8' },
    seconds: { type: 'string', default: '3' },
    dist: { type: 'string', default: 'dist' },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const turns = Number(flags.turns);
const atOnce = Number(flags['at-once']);
const seconds = Number(flags.seconds);
const WARM_UPS = 100;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.once('exit', killAll);

const programs = await findPostgres();
if (programs === undefined) throw new Error('Postgres is not installed. On Debian: apt-get install postgresql');
const root = await mkdtemp(join(tmpdir(), 'atrium-bench-scale-'));
const loads = [];
const server = await startPostgres(programs);
try {
  const socketDir = socketDirOf(server.url);
  const admin = await client();
  const version = (await admin.query('SHOW server_version')).rows[0].server_version;
  noteLoad();
  const turn = await measureTurn(admin, join(socketDir, '.s.PGSQL.5432'));
  noteLoad();
  const database = await measureDatabase(turn);
  noteLoad();
  await admin.end();
  const measured = {
    at: new Date().toISOString(),
    machine: { cores: cpus().length, model: cpus()[0]?.model, node: process.version, postgres: version, loads },
    turn,
    database,
  };
  await writeFile(join(here, 'measured.json'), `${JSON.stringify(measured, undefined, 2)}\n`);
  console.log(JSON.stringify(measured, undefined, 2));
} finally {
  killAll();
  await server.destroy();
  await rm(root, { recursive: true, force: true });
}
process.exit(0);

/** A plain turn of a client of the API: one message, one call of a model that answers at once, no tool. */
async function measureTurn(admin, socketPath) {
  const proxy = await startCountingProxy(socketPath);
  const model = await startServer(join(here, '..', 'turn', 'instant-model.mjs'));
  const store = { url: `postgres://atrium@127.0.0.1:${proxy.port}/postgres` };
  const start = async (node, url) => {
    const home = await makeAtriumHome(join(root, node), model.url, { store: { url, node } });
    const started = await startAtrium(home, resolve(flags.dist));
    await untilReady(started.readyUrl, started, 120_000);
    return started;
  };
  const gateway = await start('measured', store.url);
  // A node that is alone notifies nobody. The other one has nothing to do and is not counted, except in the log and the processor time of the server.
  const neighbour = await start('neighbour', server.url);
  await talk(gateway, WARM_UPS);
  await untilQuiet();
  const before = await read();
  await talk(gateway, turns);
  const talked = Date.now();
  // Records and indexes are written behind the answer and belong to the turn.
  await untilQuiet();
  const after = await read();
  const idleBefore = await read();
  await sleep(4_000);
  const idleAfter = await read();
  const per = (name) => round((after[name] - before[name]) / turns);
  const result = {
    what: 'a message over /v1/chat/completions, one call of a model that answers at once, no tool; another node beside it has nothing to do',
    turns,
    atOnce,
    turnsPerSecond: round(turns / ((talked - before.at) / 1_000)),
    gatewayCpuMs: per('gatewayCpu'),
    postgresCpuMs: per('postgresCpu'),
    // Commits that queue up share a transaction, and the server syncs each before it is told as made.
    commits: per('commits'),
    statements: per('statements'),
    roundTrips: per('roundTrips'),
    bytesToServer: Math.round(per('bytesIn')),
    bytesFromServer: Math.round(per('bytesOut')),
    walBytes: Math.round(per('wal')),
    storedBytes: Math.round(per('stored')),
    notificationsSent: per('notifySent'),
    notificationsDelivered: per('notifyDelivered'),
    idleGatewayCpuPercent: round(
      ((idleAfter.gatewayCpu - idleBefore.gatewayCpu) / (idleAfter.at - idleBefore.at)) * 100,
    ),
  };
  await stopProcess(gateway);
  await stopProcess(neighbour);
  proxy.close();
  return result;

  /** The indexes are made in the background; the gateway is quiet when it has asked for next to nothing for some time. */
  async function untilQuiet() {
    for (let tries = 0; tries < 60; tries += 1) {
      const { statements } = proxy.read();
      await sleep(2_000);
      if (proxy.read().statements - statements <= 16) return;
    }
    throw new Error('The gateway did not become quiet.');
  }

  async function read() {
    const wal = await admin.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes");
    const stored = await admin.query(
      "SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'atrium' AND c.relkind = 'r'",
    );
    return {
      at: Date.now(),
      ...proxy.read(),
      wal: wal.rows[0].bytes,
      stored: stored.rows[0].bytes,
      gatewayCpu: processorTimeOf(gateway.pid),
      postgresCpu: postgresCpu(),
    };
  }
}

async function talk(gateway, count) {
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      const talker = new Talker(`t${index}`);
      while (left-- > 0) await talker.turn(gateway);
    }),
  );
}

/** What the server does alone, with transactions that write as much log as a synced commit of a turn does. */
async function measureDatabase({ walBytes, commits }) {
  const payload = Math.max(100, Math.round(walBytes / Math.max(1, commits)));
  const admin = await client();
  await admin.query('CREATE TABLE bench (id BIGSERIAL PRIMARY KEY, text TEXT)');
  await admin.query('ALTER TABLE bench ALTER COLUMN text SET STORAGE EXTERNAL');
  const text = 'x'.repeat(payload);
  const insert = `INSERT INTO bench (text) VALUES ('${text}')`;
  const commitsPerSecond = {};
  for (const connections of [1, 8, 32, 64]) commitsPerSecond[connections] = await rate(connections, insert);
  const notifyingPerSecond = {};
  for (const listeners of [1, 8]) {
    const listening = await Promise.all(Array.from({ length: listeners }, () => client()));
    for (const each of listening) await each.query('LISTEN bench');
    for (const connections of [1, 8, 32])
      notifyingPerSecond[`${connections} connections, ${listeners} listeners`] = await rate(
        connections,
        // As nodes tell each other: a transaction of its own that no disk is waited for, because a lost hint only delays.
        "SELECT set_config('synchronous_commit', 'off', true), pg_notify('bench', 'a session key of the usual length')",
      );
    await Promise.all(listening.map((each) => each.end()));
  }
  await admin.query('DROP TABLE bench');
  await admin.end();
  return { rowBytes: text.length, commitsPerSecond, notifyingPerSecond };
}

async function rate(connections, sql) {
  const clients = await Promise.all(Array.from({ length: connections }, () => client()));
  const end = Date.now() + seconds * 1_000;
  let done = 0;
  const begun = performance.now();
  await Promise.all(
    clients.map(async (each) => {
      while (Date.now() < end) {
        await each.query(sql);
        done += 1;
      }
    }),
  );
  const took = (performance.now() - begun) / 1_000;
  await Promise.all(clients.map((each) => each.end()));
  return Math.round(done / took);
}

async function client() {
  const each = new pg.Client({ connectionString: server.url });
  await each.connect();
  return each;
}

/** Of all processes of this server, in milliseconds. Those of other servers on the machine do not count. */
function postgresCpu() {
  const dir = socketDirOf(server.url);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const folders = new Map(pids.map((pid) => [pid, factsOf(pid)]));
  const main = [...folders].find(([, facts]) => facts?.command.includes(join(dir, 'data')))?.[0];
  const own = [...folders].filter(([pid, facts]) => pid === main || facts?.parent === main);
  return own.reduce((sum, [pid]) => sum + (processorTimeOf(pid) ?? 0), 0);
}

function factsOf(pid) {
  try {
    const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1];
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'latin1') };
  } catch {
    return undefined;
  }
}

function socketDirOf(url) {
  return decodeURIComponent(/host=([^&]+)/.exec(url)?.[1] ?? '');
}

function noteLoad() {
  loads.push(round(loadavg()[0]));
}

function round(number) {
  return Math.round(number * 100) / 100;
}
