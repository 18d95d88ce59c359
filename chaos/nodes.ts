// The command `npm run chaos -- --nodes 3 --rounds N [--seed S] [--pause SECONDS]`: people talk to several gateways that share one
// Postgres database, while nodes are killed, frozen and stopped, their connections are cut, and the database is restarted. At the end one
// node is frozen for a long time and woken. Then everything that was accepted is counted. Exits 0 when nothing was lost, nothing came twice,
// every session is in its order, no node wrote after it was expelled, and the work of a dead node resumed in time.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresConnection } from '../src/store/postgres/postgres-connection.ts';
import { CuttingProxy } from '../src/testkit/cutting-proxy.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply } from '../src/testkit/model-server.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../src/testkit/postgres-server.ts';
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
  const nodes = await createNodes(server, count, shared);
  const database = new PostgresConnection({ url: server.url, schema: SCHEMA, name: 'chaos', waitMs: 60_000 });
  try {
    nodes[0]?.gateway.model.script(async () => {
      await sleep(100 + random() * (SLOWEST_MODEL_MS - 100));
      return reply('Well.');
    });
    for (const node of nodes) await start(node);
    const watch = new MemberWatch(database);
    const faults = new Faults({ nodes, server, database, random });
    const people = Array.from({ length: SESSIONS }, (_, index) => new Person(`person-${index}`, nodes, random));
    const talking = people.map((person) => person.talk());
    for (let round = 0; round < rounds; round++) await faults.next();
    await faults.pauseLong(pauseSeconds);
    for (const person of people) person.stop();
    await Promise.all(talking);
    const waiting = await settle(database);
    await watch.close();
    const found = await countFound(database, people, watch);
    const resumed = [...faults.resumed].sort((a, b) => a - b);
    const p95 = resumed[Math.max(0, Math.ceil(resumed.length * 0.95) - 1)] ?? 0;
    const rows: readonly (readonly [string, number | string])[] = [
      ['messages accepted', found.accepted],
      ['lost', found.lost],
      ['doubled', found.doubled],
      ['out of order', found.outOfOrder],
      ['messages and runs that did not come to an end', waiting],
      ['runs that failed', found.failed],
      ['memberships that ended', watch.gone.size],
      ['runs that a node ended after it was expelled', found.lateWrites],
      ['work of a dead node that others took up', resumed.length],
      ['until the first of it goes on, p95', `${Math.round(p95)} ms`],
      ['and the longest', `${Math.round(resumed.at(-1) ?? 0)} ms`],
      ...Object.entries(faults.counts),
    ];
    process.stdout.write(rows.map(([name, value]) => `${name.padEnd(46)}${value}\n`).join(''));
    const { lost, doubled, outOfOrder, failed, lateWrites } = found;
    const isWell = lost + doubled + outOfOrder + failed + lateWrites + waiting === 0 && p95 < RESUME_MS;
    if (!isWell)
      for (const { name, gateway } of nodes) process.stderr.write(`\n${name} said:\n${gateway.err.slice(-4_000)}\n`);
    return isWell && found.accepted > 0 ? 0 : 1;
  } finally {
    await database.close();
    for (const { gateway, proxy } of nodes) {
      gateway.signal('SIGCONT');
      await gateway.close();
      await proxy.close();
    }
    await server.destroy();
    await rm(shared, { recursive: true, force: true });
  }
}

/** Every node has its own home and its own way to the database; the model and the workspace are shared. */
async function createNodes(server: PostgresServer, count: number, workspace: string): Promise<readonly Node[]> {
  const socket = join(decodeURIComponent(server.url.split('host=')[1] ?? ''), '.s.PGSQL.5432');
  const nodes: Node[] = [];
  for (let index = 0; index < count; index++) {
    const proxy = await CuttingProxy.start(socket);
    const model = nodes[0]?.gateway.model;
    const gateway = await GatewayProcess.create({
      config: {
        store: { url: `postgres://atrium@127.0.0.1:${proxy.port}/postgres`, schema: SCHEMA },
        agents: { defaults: { model: 'fake/small', workspace, skipBootstrap: true } },
        gateway: { auth: { token: TOKEN }, drainSeconds: 1 },
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
    nodes.push({ name: `node-${index + 1}`, gateway, proxy, isUp: false });
  }
  return nodes;
}

async function start(node: Node): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await node.gateway.start({ node: node.name })) === 'ready') {
      node.isUp = true;
      return;
    }
    // The database may be away in this moment, and then the gateway says so and ends.
    await sleep(200);
  }
  throw new Error(`${node.name} does not start: ${node.gateway.err.slice(-2_000)}`);
}

/** Says one thing after the other in one session, to whichever node is there; the next as soon as the one before is accepted. */
class Person {
  readonly user: string;
  /** The texts that a node has accepted, in their order. */
  readonly accepted: string[] = [];
  readonly #nodes: readonly Node[];
  readonly #random: () => number;
  #isOver = false;

  constructor(user: string, nodes: readonly Node[], random: () => number) {
    this.user = user;
    this.#nodes = nodes;
    this.#random = random;
  }

  stop(): void {
    this.#isOver = true;
  }

  async talk(): Promise<void> {
    for (let index = 0; !this.#isOver; index++) {
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

interface FaultParts {
  readonly nodes: readonly Node[];
  readonly server: PostgresServer;
  readonly database: PostgresConnection;
  readonly random: () => number;
}

class Faults {
  readonly counts: Record<string, number> = {};
  /** For each node that died with work under way: how long it took until the first of it went on. */
  readonly resumed: number[] = [];
  readonly #parts: FaultParts;

  constructor(parts: FaultParts) {
    this.#parts = parts;
  }

  async next(): Promise<void> {
    const { nodes, server, random } = this.#parts;
    const node = nodes[Math.floor(random() * nodes.length)];
    if (!node) return;
    await sleep(300 + random() * 1_200);
    const chance = random();
    if (chance < 0.4) await this.#kill(node);
    else if (chance < 0.7) await this.#freeze(node, 2_500 + random() * 2_000);
    else if (chance < 0.85) {
      this.#count('times the connections of a node were cut');
      node.proxy.cut();
    } else if (chance < 0.95) {
      this.#count('times a node was stopped');
      node.isUp = false;
      await node.gateway.stop();
      await start(node);
    } else {
      this.#count('times the database was restarted');
      await server.restart();
    }
  }

  /** What a node does that was away for long: it must find out that it is nobody any more. */
  async pauseLong(seconds: number): Promise<void> {
    const [node] = this.#parts.nodes;
    if (node) await this.#freeze(node, seconds * 1_000);
  }

  async #kill(node: Node): Promise<void> {
    this.#count('times a node was killed');
    const work = await this.#workOf(node);
    const at = performance.now();
    node.isUp = false;
    await node.gateway.kill();
    await this.#resumes(work, at);
    await start(node);
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

/** Sees when memberships end. */
class MemberWatch {
  /** When it was seen that a member was gone, in milliseconds since 1970. */
  readonly gone = new Map<string, number>();
  readonly #watching: Promise<void>;
  #isOver = false;

  constructor(database: PostgresConnection) {
    this.#watching = this.#watch(database);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  async #watch(database: PostgresConnection): Promise<void> {
    let known: readonly string[] = [];
    while (!this.#isOver) {
      const answer = await database.ask({ sql: 'SELECT id FROM nodes', values: [] }).catch(() => undefined);
      if (answer) {
        const now = answer.rows.flat().map(String);
        for (const id of known) if (!now.includes(id)) this.gone.set(id, Date.now());
        known = now;
      }
      await sleep(25);
    }
  }
}

/** Waits until nothing is under way, as long as it becomes less. */
async function settle(database: PostgresConnection): Promise<number> {
  const sql =
    "SELECT (SELECT count(*) FROM inbox WHERE status <> 'done') + (SELECT count(*) FROM runs WHERE status = 'running')";
  let least = Number.POSITIVE_INFINITY;
  for (let deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(100)) {
    const left = Number((await database.ask({ sql, values: [] })).rows[0]?.[0]);
    if (left === 0) return 0;
    if (left < least) deadline = Date.now() + PATIENCE_MS;
    least = Math.min(least, left);
  }
  return least;
}

async function countFound(database: PostgresConnection, people: readonly Person[], watch: MemberWatch) {
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
    lost += said.filter((text) => !heard.includes(text)).length;
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
