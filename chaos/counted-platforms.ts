// Chat platforms for a trial with several nodes, on which people write and answers are counted. All nodes reach a platform through one
// door, because a platform at another address would be another platform to them. The door finds out which process a connection
// belongs to, so that it is known which node has sent what, and when.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, request as requestOf, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakePlace, FakePlatform } from '../src/testkit/fake-platform.ts';
import { FAKE_PLATFORMS } from '../src/testkit/fake-platforms.ts';

/** Platforms that show nothing twice, whatever happens. On Telegram a part may come again after a crash. */
const IDS = ['discord', 'slack'] as const;
const PEOPLE = ['Ann', 'Ben'];
/** Requests that show people something. */
const SHOWING = /^POST .*(?:\/channels\/\d+\/messages|\/chat\.postMessage|\/chat\.update)$|^PATCH .*\/messages\//;

export interface Sent {
  readonly node: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

export interface CountedAnswers {
  readonly said: number;
  readonly lost: number;
  readonly doubled: number;
  readonly outOfOrder: number;
}

export class CountedPlatforms {
  /** What each node has sent to people. */
  readonly sent: Sent[] = [];
  readonly #platforms: readonly FakePlatform[];
  readonly #doors = new Map<string, Door>();
  readonly #pids: () => ReadonlyMap<number, string>;
  readonly #nodes = new WeakMap<Socket, string>();
  readonly #said = new Map<string, string[]>();
  #isOver = false;

  private constructor(platforms: readonly FakePlatform[], pids: () => ReadonlyMap<number, string>) {
    this.#platforms = platforms;
    this.#pids = pids;
  }

  /** `pids` gives the names of the nodes by their processes. */
  static async open(pids: () => ReadonlyMap<number, string>): Promise<CountedPlatforms> {
    const platforms: FakePlatform[] = [];
    for (const id of IDS) {
      const open = await FAKE_PLATFORMS[id]?.();
      if (open) platforms.push(await open(PEOPLE));
    }
    const counted = new CountedPlatforms(platforms, pids);
    for (const { id, section } of platforms)
      counted.#doors.set(id, await Door.open(String(section.apiRoot), (socket) => counted.#shows(socket)));
    return counted;
  }

  /** The section `channels` of the configuration of every node. */
  get section(): Record<string, unknown> {
    const access = { dmPolicy: 'open', allowFrom: ['*'], groupPolicy: 'open', streaming: 'off' };
    const entries = this.#platforms.map(({ id, section }) => [
      id,
      { ...access, ...section, apiRoot: this.#doors.get(id)?.apiRoot },
    ]);
    return Object.fromEntries(entries);
  }

  #shows(socket: Socket): void {
    const at = Date.now();
    const node = this.#nodes.get(socket) ?? nodeOf(socket, this.#pids());
    if (node === undefined) return;
    this.#nodes.set(socket, node);
    this.sent.push({ node, at });
  }

  get ids(): readonly string[] {
    return this.#platforms.map(({ id }) => id);
  }

  /** People write at every place, one thing after the other, until `stop`. `mayWrite` is false while too much waits for an answer. */
  async talk(random: () => number, mayWrite: () => boolean): Promise<void> {
    await Promise.all(this.#places().map(({ platform, place }) => this.#talkAt(platform, place, random, mayWrite)));
  }

  stop(): void {
    this.#isOver = true;
  }

  /** What was said and is not answered yet. */
  get unanswered(): number {
    return this.#places().reduce((sum, { platform, place }) => {
      const answers = new Set(answersAt(platform, place));
      return sum + this.#saidAt(platform, place).filter((mark) => !answers.has(mark)).length;
    }, 0);
  }

  count(): CountedAnswers {
    let [said, lost, doubled, outOfOrder] = [0, 0, 0, 0];
    for (const { platform, place } of this.#places()) {
      const marks = this.#saidAt(platform, place);
      const answers = answersAt(platform, place);
      const first = [...new Set(answers)];
      const expected = marks.filter((mark) => first.includes(mark));
      said += marks.length;
      lost += marks.length - expected.length;
      doubled += answers.length - first.length;
      outOfOrder += first.filter((mark, index) => mark !== expected[index]).length;
    }
    return { said, lost, doubled, outOfOrder };
  }

  /** What was said and answered at the places where something is wrong. */
  describeWrong(): string {
    const lines = this.#places().flatMap(({ platform, place }) => {
      const marks = this.#saidAt(platform, place);
      const answers = answersAt(platform, place);
      const isRight = marks.length === answers.length && marks.every((mark, index) => mark === answers[index]);
      const numbers = answers.map((mark) => /\d+(?=\.)/.exec(mark)?.[0]);
      return isRight ? [] : [`${platform.id} ${place.kind} ${place.name}, ${marks.length} said: ${numbers.join(' ')}`];
    });
    return lines.map((line) => `${line}\n`).join('');
  }

  async close(): Promise<void> {
    for (const door of this.#doors.values()) await door.close();
    for (const platform of this.#platforms) await platform.stop();
  }

  async #talkAt(
    platform: FakePlatform,
    place: FakePlace,
    random: () => number,
    mayWrite: () => boolean,
  ): Promise<void> {
    for (let index = 0; !this.#isOver; index++) {
      while (!mayWrite() && !this.#isOver) await sleep(100);
      const mark = `mark-${platform.id}-${place.kind}-${place.name}-${index}.`;
      this.#saidAt(platform, place).push(mark);
      await platform.says(place.id, mark);
      await sleep(1_000 + random() * 3_000);
    }
  }

  #saidAt(platform: FakePlatform, place: FakePlace): string[] {
    const key = `${platform.id} ${place.id}`;
    const said = this.#said.get(key) ?? [];
    this.#said.set(key, said);
    return said;
  }

  #places(): readonly { readonly platform: FakePlatform; readonly place: FakePlace }[] {
    return this.#platforms.flatMap((platform) => platform.places().map((place) => ({ platform, place })));
  }
}

/** The marks that were answered at a place, in the order in which people see them. */
function answersAt(platform: FakePlatform, place: FakePlace): readonly string[] {
  return platform.shown(place.id).flatMap(({ isBot, text }) => (isBot ? (/mark-[\w-]+\./.exec(text) ?? []) : []));
}

/** Hands every request on to a platform and its answer back. */
class Door {
  readonly #server: Server;
  readonly #path: string;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
  }

  static async open(apiRoot: string, shows: (socket: Socket) => void): Promise<Door> {
    const target = new URL(apiRoot);
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', apiRoot).pathname;
      if (SHOWING.test(`${request.method} ${path}`)) shows(request.socket);
      handOn(target, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Door(server, target.pathname);
  }

  get apiRoot(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function handOn(target: URL, request: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = target;
  const headers = { ...request.headers, host: target.host };
  const onward = requestOf({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  // A node that was killed closes its connection.
  response.on('close', () => onward.destroy());
  request.on('error', () => onward.destroy());
  request.pipe(onward);
}

/** The node whose process has the other end of this connection. */
function nodeOf({ remotePort, localPort }: Socket, pids: ReadonlyMap<number, string>): string | undefined {
  const inode = inodeOf(remotePort ?? 0, localPort ?? 0);
  for (const [pid, node] of pids) {
    const folder = `/proc/${pid}/fd`;
    for (const fd of listOf(folder)) if (linkOf(`${folder}/${fd}`) === `socket:[${inode}]`) return node;
  }
  return undefined;
}

/** Linux lists every connection with the number of its socket. Ports are written as hexadecimal numbers. */
function inodeOf(from: number, to: number): string | undefined {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local = '', remote = '', ...rest] = line.trim().split(/\s+/);
    if (local.endsWith(`:${hex(from)}`) && remote.endsWith(`:${hex(to)}`)) return rest[6];
  }
  return undefined;
}

/** A process may be gone by now. */
function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
