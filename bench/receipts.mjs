// What `atrium receipts` costs: the time of the question over many recorded runs, the size of its index, and what indexing
// costs a turn. The store is made by committing what a gateway commits for each run; then the index of a gateway is let
// loose on it, as it is after an update.
//
//   npm run bench:receipts -- [--runs 100000] [--json] [--keep <folder>]
//
// With --keep, the folder is used as the home, and a store that is in it already is asked again.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { findReceipts, openSqliteStore, ReceiptIndex, RULE, recordedRun } from '../build/bench/parts.js';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
const count = Number(flags.runs);
const home = flags.keep ? resolve(flags.keep) : await mkdtemp(join(tmpdir(), 'atrium-bench-receipts-'));
const file = join(home, '.openclaw', 'atrium', 'atrium.db');
const COMMITS_AT_ONCE = 100;
const QUESTIONS = [
  ['a rule that most runs had', RULE, {}],
  ['without case', RULE.toUpperCase(), { ignoresCase: true }],
  ['a text that no run had', 'not a word of this', {}],
  ['a syllable that every message has', 'bado', {}],
  ['a letter that every text has', 'a', {}],
  ['a syllable, in one session', 'bado', { sessionKey: 'agent:main:telegram:direct:7' }],
];

try {
  if (!existsSync(file)) await record();
  const indexing = await index();
  const sizes = sizesOf();
  const store = await openSqliteStore({ file, readOnly: true });
  const counts = { runs: await store.count('promptReceipts'), 'distinct pieces': await store.count('promptPieces') };
  const asked = [];
  for (const [what, text, more] of QUESTIONS) asked.push({ what, ...(await ask(store, text, more)) });
  await store.close();
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0] };
  const told = {
    machine,
    facts: { ...counts, ...indexing, ...sizes },
    asked,
    command: commands(),
    request: await requests(),
  };
  if (flags.json) console.log(JSON.stringify(told, null, 2));
  else print(told);
} finally {
  if (!flags.keep) await rm(home, { recursive: true, force: true, maxRetries: 5 });
}

async function record() {
  await mkdir(join(home, '.openclaw', 'atrium'), { recursive: true });
  const store = await openSqliteStore({ file });
  const talks = new Map();
  for (let number = 0; number < count; ) {
    const commits = [];
    for (let each = 0; each < COMMITS_AT_ONCE && number < count; each += 1, number += 1) {
      commits.push(store.commit(recordedRun(number, talks), { site: 'request', lazy: true }));
    }
    await Promise.all(commits);
    if (number % 10_000 === 0) say(`${number} runs recorded`);
  }
  await store.close();
}

/** What the index of a gateway does behind the runs, here without the rests that it takes. */
async function index() {
  const store = await openSqliteStore({ file });
  const began = performance.now();
  const processor = process.cpuUsage();
  const indexed = await new ReceiptIndex({ store, warn: say }).catchUp();
  const { user, system } = process.cpuUsage(processor);
  const commits = store.commits['prompt-receipt'];
  await store.close();
  if (indexed === 0) return {};
  return {
    indexed,
    'indexing, ms a run': (performance.now() - began) / indexed,
    'indexing, ms of processor a run': (user + system) / 1_000 / indexed,
    'lazy commits behind a run': commits / indexed,
  };
}

/** Bytes a run, of the index and of everything. */
function sizesOf() {
  const database = new DatabaseSync(file, { readOnly: true });
  const sum = (where) => Number(database.prepare(`SELECT SUM(pgsize) AS bytes FROM dbstat ${where}`).get().bytes);
  const runs = Number(database.prepare('SELECT COUNT(*) AS count FROM runs').get().count);
  const own = "WHERE name LIKE '%prompt\\_%' ESCAPE '\\' OR name = 'captures_to_index'";
  const sizes = { 'store, bytes a run': sum('') / runs, 'index of it, bytes a run': sum(own) / runs };
  database.close();
  return sizes;
}

/** What the commit of a request costs with the index over what is to be indexed, and without it; the median of each. */
async function requests() {
  const times = { with: [], without: [] };
  const stores = {};
  for (const name of Object.keys(times)) {
    const path = join(home, `requests-${name}.db`);
    await rm(path, { force: true });
    const made = await openSqliteStore({ file: path });
    await made.close();
    if (name === 'without') {
      const database = new DatabaseSync(path);
      database.exec('DROP INDEX captures_to_index');
      database.close();
    }
    stores[name] = { store: await openSqliteStore({ file: path }), talks: new Map() };
  }
  const most = Math.min(2_000, count);
  for (let number = 0; number < most; number += 1) {
    for (const [name, { store, talks }] of Object.entries(stores)) {
      const writes = recordedRun(number, talks);
      const began = performance.now();
      await store.commit(writes, { site: 'request', lazy: true });
      times[name].push(performance.now() - began);
    }
  }
  for (const { store } of Object.values(stores)) await store.close();
  const median = (list) => {
    const warm = list.slice(Math.floor(most / 4)).sort((a, b) => a - b);
    return warm[Math.floor(warm.length / 2)];
  };
  return { withMs: median(times.with), withoutMs: median(times.without) };
}

/** The first time and the best of five; the first has nothing in the memory of the process. */
async function ask(store, text, more) {
  const times = [];
  let answer;
  for (let round = 0; round < 6; round += 1) {
    const began = performance.now();
    answer = await findReceipts(store, { text, ignoresCase: false, list: 'all', limit: 20, ...more });
    times.push(performance.now() - began);
  }
  const { present, absent } = answer.counts;
  return { text, present, absent, firstMs: times[0], bestMs: Math.min(...times.slice(1)) };
}

/** The whole command in a process of its own, which starts, opens the store and prints. */
function commands() {
  const run = () => {
    const began = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/cli/main.js', 'receipts', RULE], {
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
    });
    return { ms: performance.now() - began, status, first: (stdout || stderr).split('\n')[0] };
  };
  return [run(), run(), run()];
}

function print({ machine, asked, command, request, facts }) {
  console.log(`${machine.cores} × ${machine.cpu}, Node ${machine.node}, load ${machine.load.toFixed(1)}\n`);
  for (const [name, value] of Object.entries(facts)) {
    console.log(`${name.padEnd(36)} ${Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(2)}`);
  }
  console.log(
    `\n${'question'.padEnd(36)} ${'in'.padStart(8)} ${'not in'.padStart(8)} ${'first ms'.padStart(9)} ${'best ms'.padStart(8)}`,
  );
  for (const { what, present, absent, firstMs, bestMs } of asked) {
    console.log(
      `${what.padEnd(36)} ${String(present).padStart(8)} ${String(absent).padStart(8)} ${firstMs.toFixed(0).padStart(9)} ${bestMs.toFixed(0).padStart(8)}`,
    );
  }
  console.log(`\nthe command, whole process: ${command.map(({ ms }) => `${ms.toFixed(0)} ms`).join(', ')}`);
  console.log(command[0].first);
  const { withMs, withoutMs } = request;
  console.log(`\ncommit of a request: ${withMs.toFixed(3)} ms, without the index ${withoutMs.toFixed(3)} ms`);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
