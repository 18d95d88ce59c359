// What the page knows about the gateway, apart from the conversation that is open: agents, conversations, commands, news,
// requests to talk, and whether the token was accepted. Components read the signals; every change goes through a method.

import { computed, signal } from '@preact/signals';
import type { SessionNews } from '../src/channels/server-frame.ts';
import type { ListedCommand } from '../src/commands/list-commands.ts';
import { browserMemory } from './browser-memory.ts';
import type { Link } from './client/connection.ts';
import { FilePictures } from './client/file-pictures.ts';
import {
  type Agent,
  GatewayClient,
  type GatewayNews,
  type ListedSession,
  RefusedError,
  type WaitingPairing,
} from './client/gateway-client.ts';
import { GatewayWatch } from './client/gateway-watch.ts';
import { newBrowserName } from './place.ts';
import type { PairingAnswer } from './view/pairing-requests.tsx';

/** What is there once the gateway has accepted the token. */
export interface Entered {
  readonly client: GatewayClient;
  readonly pictures: FilePictures;
  /** The name of this browser; the names of its surfaces begin with it. */
  readonly browser: string;
}

export class ConsoleState {
  /** Undefined while no token was accepted. */
  readonly entered = signal<Entered | undefined>(undefined);
  readonly isGateOpen = signal(false);
  readonly gateProblem = signal('');
  readonly agents = signal<readonly Agent[]>([]);
  readonly sessions = signal<readonly ListedSession[]>([]);
  readonly commands = signal<readonly ListedCommand[]>([]);
  readonly link = signal<Link>({ state: 'off', text: 'Not connected' });
  /** One sentence about what did not work; empty when there is none. */
  readonly problem = signal('');
  readonly news = signal<GatewayNews>({ warnings: [], unused: [], channels: [] });
  readonly pairings = signal<readonly WaitingPairing[]>([]);
  readonly answering = signal<WaitingPairing | undefined>(undefined);
  readonly isSidebarOpen = signal(false);
  /** Tells the parts of the page what has changed in the gateway. */
  readonly watch = new GatewayWatch();
  /** What happened last in any conversation. */
  readonly lastNews = signal<SessionNews | undefined>(undefined);
  /** How many tool calls wait for a person. */
  readonly waitingApprovals = signal(0);
  /** The sessions by id, and for each key the one that stands for it. */
  readonly #byName = computed(() => {
    const byName = new Map<string, ListedSession>();
    for (const session of this.sessions.value) {
      byName.set(session.sessionId, session);
      const known = byName.get(session.sessionKey);
      const isRather =
        known && (known.endedAt === null || (session.endedAt !== null && known.startedAt > session.startedAt));
      if (!isRather) byName.set(session.sessionKey, session);
    }
    return byName;
  });
  readonly #changedKeys = new Set<string>();
  #isGathering = false;

  constructor(token: string | undefined) {
    this.watch.onChange(['pairings', 'channels'], () => this.readPairings());
    this.watch.onChange(['approvals'], () => this.readWaitingApprovals());
    this.watch.onNews((news) => this.#hear(news));
    // A connection that was away may have missed something.
    let wasOn = false;
    this.watch.link.subscribe(({ state }) => {
      if (state === 'on' && wasOn) void this.readSessions();
      wasOn ||= state === 'on';
    });
    // Another tab of this browser may be given the token that this one waits for.
    addEventListener('storage', () => {
      const other = browserMemory.get('token');
      if (this.isGateOpen.value && other !== undefined) void this.enter(other);
    });
    if (token) void this.enter(token);
    else this.#showGate('');
  }

  /** The gateway has another token since this page was opened. What is shown and what is being written stays. */
  #refused(client: GatewayClient, token: string): void {
    if (this.entered.value?.client !== client || this.isGateOpen.value) return;
    const other = browserMemory.get('token');
    if (other !== undefined && other !== token) void this.enter(other);
    else {
      browserMemory.remove('token');
      this.#showGate('The gateway does not accept the token any more. What you have written stays here.');
    }
  }

  /**
   * Shows the gate until the gateway accepts the token, and tries again by itself while the gateway cannot be reached.
   */
  async enter(token: string): Promise<void> {
    const client: GatewayClient = new GatewayClient(token, () => this.#refused(client, token));
    try {
      const [agents, first, commands] = await Promise.all([client.agents(), client.sessions(), client.commands()]);
      browserMemory.set('token', token);
      this.agents.value = agents;
      this.sessions.value = first.sessions;
      this.commands.value = commands;
      const browser = browserMemory.get('browser') ?? newBrowserName();
      browserMemory.set('browser', browser);
      this.problem.value = '';
      this.isGateOpen.value = false;
      this.entered.value = { client, pictures: new FilePictures(client), browser };
      this.watch.open(client);
      void this.#readOlder(client, first.next);
      void this.readNews();
    } catch (error) {
      const status = error instanceof RefusedError ? error.status : undefined;
      const message = error instanceof RefusedError ? error.message : CANNOT_BE_REACHED;
      if (status === 401) browserMemory.remove('token');
      if (status === 401 || status === 429) this.#showGate(message);
      else {
        this.tell(message);
        setTimeout(() => void this.enter(token), RETRY_MS);
      }
    }
  }

  #showGate(problem: string): void {
    this.isGateOpen.value = true;
    this.gateProblem.value = problem;
  }

  tell(problem: string): void {
    this.problem.value = problem;
  }

  tellError(error: unknown): void {
    this.tell(sentenceOf(error));
  }

  /** What is shown stays when the gateway cannot be asked; the connection says so elsewhere. */
  async readSessions(): Promise<void> {
    const page = await this.entered.value?.client.sessions().catch(() => undefined);
    if (page) this.#merge(page.sessions);
  }

  async readAgents(): Promise<void> {
    const agents = await this.entered.value?.client.agents().catch(() => undefined);
    if (agents) this.agents.value = agents;
  }

  /** The open session of a key, else the latest one; or the session of an id. */
  sessionOf(keyOrId: string | undefined): ListedSession | undefined {
    return keyOrId === undefined ? undefined : this.#byName.value.get(keyOrId);
  }

  /** The key of a conversation, and those of the conversations that it is a branch of, the nearest first. */
  lineOf(key: string): readonly string[] {
    const line = new Set([key]);
    for (let at = this.sessionOf(key); at?.branchOf; at = this.sessionOf(at.branchOf)) {
      const origin = this.sessionOf(at.branchOf);
      if (!origin || line.has(origin.sessionKey)) break;
      line.add(origin.sessionKey);
    }
    return [...line];
  }

  /** Reads one session again. One that is gone is taken off the list. */
  async readSession(key: string): Promise<void> {
    try {
      const found = await this.entered.value?.client.session(key);
      if (found) this.#merge([found.session, ...found.earlier]);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 404) return;
      this.sessions.value = this.sessions.value.filter(({ sessionKey }) => sessionKey !== key);
    }
  }

  /** The list begins with the latest sessions; the older ones come while the page is used already. */
  async #readOlder(client: GatewayClient, from: string | null): Promise<void> {
    const older: ListedSession[] = [];
    for (let next = from; next !== null && this.entered.value?.client === client; ) {
      const page = await client.sessions(next).catch(() => undefined);
      older.push(...(page?.sessions ?? []));
      next = page?.next ?? null;
    }
    // They are shown together, because each change of a long list costs time that a person may be typing in.
    if (older.length > 0) this.#merge(older);
  }

  #merge(sessions: readonly ListedSession[]): void {
    const known = new Map(this.sessions.value.map((session) => [session.sessionId, session]));
    // A description of earlier sessions does not have their first words.
    for (const session of sessions) known.set(session.sessionId, { ...known.get(session.sessionId), ...session });
    this.sessions.value = [...known.values()];
  }

  #hear(news: SessionNews): void {
    this.lastNews.value = news;
    this.#changedKeys.add(news.sessionKey);
    // A busy gateway tells many things about one session; it is read once for all of them.
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      const keys = [...this.#changedKeys];
      this.#changedKeys.clear();
      if (keys.length > MOST_AT_ONCE) void this.readSessions();
      else for (const key of keys) void this.readSession(key);
    }, GATHER_MS);
  }

  async readNews(): Promise<void> {
    const news = await this.entered.value?.client.status().catch(() => undefined);
    if (!news) return;
    this.news.value = news;
    await this.readPairings();
  }

  async readWaitingApprovals(): Promise<void> {
    const count = await this.entered.value?.client.countWaitingApprovals().catch(() => undefined);
    if (count !== undefined) this.waitingApprovals.value = count;
  }

  /** Requests come at any time, from people on chat platforms. */
  async readPairings(): Promise<void> {
    if (this.answering.value) return;
    const pairings = await this.entered.value?.client.waitingPairings().catch(() => undefined);
    if (pairings && !this.answering.value) this.pairings.value = pairings;
  }

  readonly answerPairing = async (request: WaitingPairing, answer: PairingAnswer): Promise<void> => {
    const client = this.entered.value?.client;
    this.answering.value = request;
    this.tell('');
    try {
      await (answer === 'approve' ? client?.approvePairing(request) : client?.refusePairing(request));
      this.pairings.value = this.pairings.value.filter((each) => each !== request);
    } catch (error) {
      this.tellError(error);
    } finally {
      this.answering.value = undefined;
      void this.readPairings();
    }
  };
}

/** An error in words for people. A request that found no gateway is a TypeError in browsers. */
export function sentenceOf(error: unknown): string {
  if (error instanceof TypeError) return CANNOT_BE_REACHED;
  return error instanceof Error ? error.message : String(error);
}

const CANNOT_BE_REACHED = 'The gateway cannot be reached. This page tries again by itself.';
const RETRY_MS = 2_000;
/** How long changes of sessions are gathered before they are read. */
const GATHER_MS = 150;
/** When more sessions have changed, the list is read instead of each of them. */
const MOST_AT_ONCE = 10;
