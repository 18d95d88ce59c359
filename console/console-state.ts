// What the page knows about the gateway, apart from the conversation that is open: agents, conversations, commands, news,
// requests to talk, and whether the token was accepted. Components read the signals; every change goes through a method.

import { signal } from '@preact/signals';
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

  constructor(token: string | undefined) {
    this.watch.onChange(['pairings', 'channels'], () => this.readPairings());
    // Conversations go on elsewhere while this page is in the background.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.readSessions();
    });
    if (token) void this.enter(token);
    else this.#showGate('');
  }

  /**
   * Shows the gate until the gateway accepts the token, and tries again by itself while the gateway cannot be reached.
   */
  async enter(token: string): Promise<void> {
    const client = new GatewayClient(token);
    try {
      const [agents, sessions, commands] = await Promise.all([client.agents(), client.sessions(), client.commands()]);
      browserMemory.set('token', token);
      this.agents.value = agents;
      this.sessions.value = sessions;
      this.commands.value = commands;
      const browser = browserMemory.get('browser') ?? newBrowserName();
      browserMemory.set('browser', browser);
      this.problem.value = '';
      this.isGateOpen.value = false;
      this.entered.value = { client, pictures: new FilePictures(client), browser };
      this.watch.open(() => client.openSocket());
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
    const sessions = await this.entered.value?.client.sessions().catch(() => undefined);
    if (sessions) this.sessions.value = sessions;
  }

  async readNews(): Promise<void> {
    const news = await this.entered.value?.client.status().catch(() => undefined);
    if (!news) return;
    this.news.value = news;
    await this.readPairings();
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
