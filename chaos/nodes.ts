// The command `npm run chaos -- --nodes 3 --rounds N [--seed S] [--pause SECONDS]`: people talk to several gateways that share one
// Postgres database, over the API and on chat platforms, while nodes are killed, frozen and stopped, their connections are cut, and the
// database is restarted. At the end the node that is connected to a platform is frozen for a long time and woken. Then everything is counted
// that was accepted, and everything that people on the platforms were shown. Exits 0 when nothing was lost, nothing came twice, every
// session is in its order, no node stored or sent anything while it was no member, and the work of a dead node resumed in time.
//
// People write no more while much waits for an answer, so that the trial does not depend on how fast the machine is.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayStatus } from '../src/gateway/services/gateway-status.ts';
import { PostgresConnection } from '../src/store/postgres/postgres-connection.ts';
import { CuttingProxy } from '../src/testkit/cutting-proxy.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply } from '../src/testkit/model-server.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../src/testkit/postgres-server.ts';
import { CountedPlatforms } from './counted-platforms.ts';
import { NodeWatch } from './node-watch.ts';
import { seededRandom } from './seeded-random.ts';

export interface NodesTrial {
  readonly nodes: number;
  readonly rounds: number;
  readonly seed: number;
  /** How long the last node is frozen. */
  readonly pauseSeconds: number;
}

const SCHEMA = 'chaos';
const SESSIONS = 12;
/** The model takes so long, at most, so that there is always something under way when a node dies. */
const SLOWEST_MODEL_MS = 800;
const PATIENCE_MS = 60_000;
/** While more messages than this wait for their end, nobody writes. */
const MOST_WAITING = 40;
/** A second answer to a message would come within this time. */
const CALM_MS = 1_500;
/** The 95th percentile of the time until the first work of a dead node goes on. */
const RESUME_MS = 3_000;
const TOKEN = 'a-token-for-tests-only';

interface Node {
  readonly name: string;
  readonly gateway: GatewayProcess;
  readonly proxy: CuttingProxy;
  /** While it is false, nobody talks to it. */
  isUp: boolean;
}

export async function tryNodes({ nodes: count, rounds, seed, pauseSeconds }: NodesTrial): Promise<number> {
  const programs = await findPostgres();
  if (programs === undefined) throw new Error('Postgres is not installed. On Debian: apt-get install postgresql');
  process.stdout.write(`${rounds} rounds with ${count} nodes and seed ${seed}\n`);
  const random = seededRandom(seed);
  const server = await startPostgres(programs);
  const shared = await mkdtemp(join(tmpdir(), 'atrium-chaos-workspace-'));
  const nodes: Node[] = [];
  const platforms = await CountedPlatforms.open(
    () => new Map(nodes.flatMap(({ name, gateway }) => (gateway.pid === undefined ? [] : [[gateway.pid, name]]))),
  );
  nodes.push(...(await createNodes(server, count, { workspace: shared, platforms })));
  const database = new PostgresConnection({ url: server.url, schema: SCHEMA, name: 'chaos', waitMs: 60_000 });
  const watched = new PostgresConnection({ url: server.url, schema: SCHEMA, name: 'chaos', waitMs: 60_000 });
  const watch = new NodeWatch(watched);
  let backlog: Backlog | undefined;
  try {
    nodes[0]?.gateway.model.script(async ({ body }) => {
      await sleep(100 + random() * (SLOWEST_MODEL_MS - 100));
      return reply(`Answer to ${[...body.matchAll(/mark-[\w-]+\./g)].at(-1)?.[0]}`);
    });
    for (const node of nodes) await start(node, watch);
    await connected(nodes, platforms.ids);
    backlog = new Backlog(database, platforms);
    const { mayWrite } = backlog;
    const faults = new Faults({ nodes, server, database, random, watch });
    const people = Array.from(
      { length: SESSIONS },
      (_, index) => new Person(`person-${index}`, nodes, random, backlog as Backlog),
    );
    const talking = [...people.map((person) => person.talk()), platforms.talk(random, mayWrite)];
    for (let round = 0; round < rounds; round++) await faults.next();
    await faults.pauseLong(pauseSeconds);
    for (const person of people) person.stop();
    platforms.stop();
    await Promise.all(talking);
    const waiting = await backlog.settle();
    if (waiting === 0) await sleep(CALM_MS);
    else await describeWaiting(database);
    await watch.close();
    const found = await countFound(database, people, watch);
    const shown = platforms.count();
    const resumed = [...faults.resumed].sort((a, b) => a - b);
    const p95 = resumed[Math.max(0, Math.ceil(resumed.length * 0.95) - 1)] ?? 0;
    const lateSends = watch.lateSends(platforms.sent);
    const rows: readonly (readonly [string, number | string])[] = [
      ['messages accepted over the API', found.accepted],
      ['lost', found.lost],
      ['doubled', found.doubled],
      ['out of order', found.outOfOrder],
      ['messages written on chat platforms', shown.said],
      ['without an answer there', shown.lost],
      ['answered twice there', shown.doubled],
      ['answered out of order there', shown.outOfOrder],
      ['did not come to an end', waiting],
      ['runs that failed', found.failed],
      ['memberships that ended', watch.ended],
      ['runs that a node ended while it was no member', found.lateWrites],
      ['transactions of a node that was no member', watch.lateTransactions],
      ['requests that showed people something', platforms.sent.length],
      ['of these, by a node that was no member', lateSends],
      ['work of a dead node that others took up', resumed.length],
      ['until the first of it goes on, p95', `${Math.round(p95)} ms`],
      ['and the longest', `${Math.round(resumed.at(-1) ?? 0)} ms`],
      ...Object.entries(faults.counts),
    ];
    process.stdout.write(rows.map(([name, value]) => `${name.padEnd(48)}${value}\n`).join(''));
    const wrong = [
      ...[found.lost, found.doubled, found.outOfOrder, found.failed, found.lateWrites],
      ...[shown.lost, shown.doubled, shown.outOfOrder, waiting, watch.lateTransactions, lateSends],
    ];
    const isWell = wrong.every((number) => number === 0) && p95 < RESUME_MS;
    if (!isWell) process.stderr.write(`\nAnswered on the platforms, where it is wrong:\n${platforms.describeWrong()}`);
    if (!isWell)
      for (const { name, gateway } of nodes) process.stderr.write(`\n${name} said:\n${gateway.err.slice(-4_000)}\n`);
    return isWell && found.accepted > 0 && shown.said > 0 && platforms.sent.length > 0 ? 0 : 1;
  } finally {
    backlog?.close();
    await watch.close();
    await Promise.all([database.close(), watched.close()]);
    for (const { gateway, proxy } of nodes) {
      gateway.signal('SIGCONT');
      await gateway.close();
      await proxy.close();
    }
    await platforms.close();
    await server.destroy();
    await rm(shared, { recursive: true, force: true });
  }
}

/** Every node has its own home and its own way to the database; the model and the workspace are shared. */
async function createNodes(
  server: PostgresServer,
  count: number,
  { workspace, platforms }: { readonly workspace: string; readonly platforms: CountedPlatforms },
): Promise<readonly Node[]> {
  const socket = join(decodeURIComponent(server.url.split('host=')[1] ?? ''), '.s.PGSQL.5432');
  const nodes: Node[] = [];
  for (let index = 0; index < count; index++) {
    const proxy = await CuttingProxy.start(socket);
    const model = nodes[0]?.gateway.model;
    const name = `node-${index + 1}`;
    const gateway = await GatewayProcess.create({
      config: {
        store: { url: `postgres://atrium@127.0.0.1:${proxy.port}/postgres`, schema: SCHEMA },
        agents: { defaults: { model: 'fake/small', workspace, skipBootstrap: true } },
        gateway: { auth: { token: TOKEN }, drainSeconds: 1 },
        session: { dmScope: 'per-channel-peer' },
        channels: platforms.section,
        ...(model && {
          models: {
            providers: {
              fake: {
                baseUrl: model.baseUrl,
                apiKey: 'test-key',
                api: 'openai-completions',
                models: [{ id: 'small' }, { id: 'large' }],
              },
            },
          },
        }),
      },
    });
    nodes.push({ name, gateway, proxy, isUp: false });
  }
  return nodes;
}

async function start(node: Node, watch: NodeWatch): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    let outcome = 'ended';
    await watch.learnWriter(node.name, async () => {
      outcome = await node.gateway.start({ node: node.name });
    });
    if (outcome === 'ready') {
      node.isUp = true;
      return;
    }
    // The database may be away in this moment, and then the gateway says so and ends.
    await sleep(200);
  }
  throw new Error(`${node.name} does not start: ${node.gateway.err.slice(-2_000)}`);
}

/** What is said before a bot was ever there is not for it. */
async function connected([node]: readonly Node[], platformIds: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(100)) {
    const { channels } = await (node as Node).gateway.json<GatewayStatus>('/api/status');
    const accounts = channels.filter(({ id }) => platformIds.includes(id)).flatMap((channel) => channel.accounts ?? []);
    if (accounts.length === platformIds.length && accounts.every(({ state }) => state === 'connected')) return;
  }
  throw new Error('The chat platforms are not connected.');
}

/** Says one thing after the other in one session, to whichever node is there; the next as soon as the one before is accepted. */
class Person {
  readonly user: string;
  /** The texts that a node has accepted, in their order. */
  readonly accepted: string[] = [];
  readonly #nodes: readonly Node[];
  readonly #random: () => number;
  readonly #backlog: Backlog;
  #isOver = false;

  constructor(user: string, nodes: readonly Node[], random: () => number, backlog: Backlog) {
    this.user = user;
    this.#nodes = nodes;
    this.#random = random;
    this.#backlog = backlog;
  }

  stop(): void {
    this.#isOver = true;
  }

  async talk(): Promise<void> {
    for (let index = 0; !this.#isOver; index++) {
      while (!this.#backlog.mayWrite() && !this.#isOver) await sleep(100);
      const text = `mark-${this.user}-${index}.`;
      await this.#say(text);
      this.accepted.push(text);
      await sleep(500 + this.#random() * 2_500);
    }
  }

  /** Says it again under the same name until some node has accepted it. */
  async #say(text: string): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
      const up = this.#nodes.filter(({ isUp, gateway }) => isUp && gateway.url !== undefined);
      const node = up[Math.floor(this.#random() * up.length)];
      const body = { text, user: this.user, id: text };
      const status = await node?.gateway
        .fetch('/api/messages', { body, signal: AbortSignal.timeout(5_000) })
        .then((response) => response.status)
        .catch(() => undefined);
      if (status === 202) return;
      if (status !== undefined && status < 500) throw new Error(`A node answered ${status} to "${text}".`);
    }
    throw new Error(`No node has accepted "${text}".`);
  }
}

/** A node is killed, its connections are cut, the database is restarted, a node is frozen, and one is stopped. */
const FIRST_CHANCES = [0, 0.7, 0.95, 0.4, 0.85];

interface FaultParts {
  readonly nodes: readonly Node[];
  readonly server: PostgresServer;
  readonly database: PostgresConnection;
  readonly random: () => number;
  readonly watch: NodeWatch;
}

class Faults {
  readonly counts: Record<string, number> = {};
  /** For each node that died with work under way: how long it took until the first of it went on. */
  readonly resumed: number[] = [];
  readonly #parts: FaultParts;
  #rounds = 0;

  constructor(parts: FaultParts) {
    this.#parts = parts;
  }

  async next(): Promise<void> {
    const { nodes, random } = this.#parts;
    const node = nodes[Math.floor(random() * nodes.length)];
    if (!node) return;
    await this.#someProgress();
    await sleep(random() * 1_500);
    // Each kind comes once before the rest is left to chance.
    const chance = FIRST_CHANCES[this.#rounds++] ?? random();
    if (chance < 0.4) await this.#kill(node);
    else if (chance < 0.7) await this.#freeze(node, 2_500 + random() * 2_000);
    else if (chance < 0.85) this.#cut(node);
    else if (chance < 0.95) await this.#stop(node);
    else await this.#restartDatabase();
  }

  /**
   * A run that is cut short three times before it got anywhere is given up, as a message that kills its node must be. So between two faults
   * something comes to its end, and no fault comes while a run was cut short twice.
   */
  async #someProgress(): Promise<void> {
    const sql = `SELECT (SELECT count(*) FROM runs WHERE status = 'done'),
      (SELECT count(*) FROM runs WHERE status = 'running' AND claim - progress_claim > 2)`;
    const look = async () => {
      const [done, cutTwice] = (await this.#parts.database.ask({ sql, values: [] })).rows[0] ?? [];
      return { done: Number(done), cutTwice: Number(cutTwice) };
    };
    const before = await look();
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      const { done, cutTwice } = await look();
      if (done >= before.done + SESSIONS && cutTwice === 0) return;
    }
  }

  /** The node that is connected to a platform is away for long. It must find out that it is nobody any more. */
  async pauseLong(seconds: number): Promise<void> {
    const { nodes, database } = this.#parts;
    const sql =
      "SELECT n.name FROM duties d JOIN nodes n ON n.id = d.node WHERE d.name LIKE 'channel:%' ORDER BY d.name LIMIT 1";
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      const { rows } = await database.ask({ sql, values: [] });
      const node = nodes.find(({ name }) => name === rows[0]?.[0]);
      if (!node) continue;
      await this.#freeze(node, seconds * 1_000);
      return;
    }
    throw new Error('No node is connected to a platform.');
  }

  #cut(node: Node): void {
    this.#count('times the connections of a node were cut');
    node.proxy.cut();
  }

  async #stop(node: Node): Promise<void> {
    this.#count('times a node was stopped');
    node.isUp = false;
    await node.gateway.stop();
    await start(node, this.#parts.watch);
  }

  async #restartDatabase(): Promise<void> {
    this.#count('times the database was restarted');
    await this.#parts.server.restart();
  }

  async #kill(node: Node): Promise<void> {
    this.#count('times a node was killed');
    const work = await this.#workOf(node);
    const at = performance.now();
    node.isUp = false;
    await node.gateway.kill();
    await this.#resumes(work, at);
    await start(node, this.#parts.watch);
  }

  async #freeze(node: Node, ms: number): Promise<void> {
    this.#count('times a node was frozen');
    const work = await this.#workOf(node);
    const at = performance.now();
    node.isUp = false;
    node.gateway.signal('SIGSTOP');
    await Promise.all([sleep(ms), this.#resumes(work, at)]);
    node.gateway.signal('SIGCONT');
    node.isUp = true;
  }

  /** The runs that this node has under way, by the member that it is now. */
  async #workOf(node: Node): Promise<{ readonly member: string; readonly runs: readonly string[] }> {
    const sql =
      "SELECT n.id, r.run_id FROM nodes n LEFT JOIN runs r ON r.node = n.id AND r.status = 'running' WHERE n.name = $1";
    const { rows } = await this.#parts.database.ask({ sql, values: [node.name] });
    return { member: rows[0]?.[0] ?? '', runs: rows.flatMap(([, runId]) => runId ?? []) };
  }

  async #resumes(
    { member, runs }: { readonly member: string; readonly runs: readonly string[] },
    at: number,
  ): Promise<void> {
    if (runs.length === 0) return;
    const moved = 'SELECT count(*) FROM runs WHERE run_id = ANY($1) AND node <> $2';
    const left = "SELECT count(*) FROM runs WHERE run_id = ANY($1) AND node = $2 AND status = 'running'";
    for (const deadline = performance.now() + 30_000; performance.now() < deadline; await sleep(10)) {
      const counts = await Promise.all(
        [moved, left].map((sql) => this.#parts.database.ask({ sql, values: [runs, member] })),
      );
      const [taken, waiting] = counts.map(({ rows }) => Number(rows[0]?.[0]));
      if (taken) {
        this.resumed.push(performance.now() - at);
        return;
      }
      // They were over before the signal came.
      if (waiting === 0) return;
    }
    this.resumed.push(30_000);
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}

/** What was written and has not come to its end. */
class Backlog {
  readonly #database: PostgresConnection;
  readonly #platforms: CountedPlatforms;
  readonly #watching: Promise<void>;
  #waiting = 0;
  #isOver = false;

  constructor(database: PostgresConnection, platforms: CountedPlatforms) {
    this.#database = database;
    this.#platforms = platforms;
    this.#watching = this.#watch();
  }

  readonly mayWrite = (): boolean => this.#waiting < MOST_WAITING;

  close(): void {
    this.#isOver = true;
  }

  /** Waits until nothing is under way, as long as it becomes less. Gives the number of what is left. */
  async settle(): Promise<number> {
    this.close();
    await this.#watching;
    let least = Number.POSITIVE_INFINITY;
    for (let deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(100)) {
      const left = await this.#count();
      if (left === 0) return 0;
      if (left < least) deadline = Date.now() + PATIENCE_MS;
      least = Math.min(least, left);
    }
    return least;
  }

  async #watch(): Promise<void> {
    for (; !this.#isOver; await sleep(250)) this.#waiting = await this.#count().catch(() => this.#waiting);
  }

  async #count(): Promise<number> {
    const sql = `SELECT (SELECT count(*) FROM inbox WHERE status IN ('queued', 'claimed'))
      + (SELECT count(*) FROM runs WHERE status = 'running') + (SELECT count(*) FROM outbox WHERE status = 'queued')`;
    return Number((await this.#database.ask({ sql, values: [] })).rows[0]?.[0]) + this.#platforms.unanswered;
  }
}

/** Tells what was left and who should have it. */
async function describeWaiting(database: PostgresConnection): Promise<void> {
  const looks = {
    'members and duties': 'SELECT n.id, n.status, d.name FROM nodes n LEFT JOIN duties d ON d.node = n.id',
    messages:
      "SELECT i.status, i.session_key, r.status, r.node, r.claim, r.progress_claim FROM inbox i LEFT JOIN runs r ON r.run_id = i.run_id WHERE i.status IN ('queued', 'claimed') ORDER BY i.seq LIMIT 15",
    runs: "SELECT run_id, session_key, node, claim, progress_claim FROM runs WHERE status = 'running' LIMIT 15",
    'parts of answers':
      "SELECT surface_id, attempts, next_at, error FROM outbox WHERE status = 'queued' ORDER BY seq LIMIT 15",
    holds: 'SELECT session_key, node FROM lane_holds LIMIT 15',
  };
  for (const [name, sql] of Object.entries(looks)) {
    const { rows } = await database.ask({ sql, values: [] });
    process.stderr.write(`\nLeft, ${name}:\n${rows.map((row) => row.join('  ')).join('\n')}\n`);
  }
}

/** Tells what the rows know of a message that was accepted and is in no conversation. */
async function describeLost(database: PostgresConnection, text: string): Promise<void> {
  const sql = `SELECT i.seq, i.status, i.session_key, r.run_id, r.status, r.claim, r.node, r.outcome FROM inbox i LEFT JOIN runs r ON r.run_id = i.run_id
    WHERE i.payload LIKE $1`;
  const { rows } = await database.ask({ sql, values: [`%${text}%`] });
  process.stderr.write(`Lost is ${text}: ${rows.map((row) => row.join('  ')).join('; ') || 'no row has it'}\n`);
}

async function countFound(database: PostgresConnection, people: readonly Person[], watch: NodeWatch) {
  const sql =
    'SELECT t.message FROM transcript t JOIN sessions s ON s.session_id = t.session_id WHERE s.session_key LIKE $1 ORDER BY s.started_at, t.position';
  let [lost, doubled, outOfOrder, accepted] = [0, 0, 0, 0];
  for (const { user, accepted: said } of people) {
    const { rows } = await database.ask({ sql, values: [`%${user}`] });
    const heard = rows.flatMap(([message]) => {
      const { role, content } = JSON.parse(message ?? '{}') as { role?: string; content?: unknown };
      return role === 'user' ? [...JSON.stringify(content).matchAll(/mark-[\w-]+\./g)].map(([mark]) => mark) : [];
    });
    accepted += said.length;
    const unheard = said.filter((text) => !heard.includes(text));
    for (const text of unheard) await describeLost(database, text);
    lost += unheard.length;
    doubled += heard.length - new Set(heard).size;
    const places = said.map((text) => heard.indexOf(text)).filter((place) => place >= 0);
    outOfOrder += places.filter((place, index) => index > 0 && place < (places[index - 1] ?? 0)).length;
  }
  const failed = await database.ask({ sql: "SELECT outcome FROM runs WHERE status <> 'done'", values: [] });
  for (const [outcome] of failed.rows.slice(0, 5)) process.stderr.write(`A run has failed: ${outcome}\n`);
  let lateWrites = 0;
  for (const [member, at] of watch.gone) {
    const late = await database.ask({
      sql: 'SELECT count(*) FROM runs WHERE node = $1 AND ended_at > $2',
      values: [member, at],
    });
    lateWrites += Number(late.rows[0]?.[0]);
  }
  return { accepted, lost, doubled, outOfOrder, failed: failed.rows.length, lateWrites };
}
