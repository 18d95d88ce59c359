// The Socket Mode connection of one account: it is made, kept, and made again when it is lost, with growing pauses; and
// the state that the operator sees. The client library's own reconnecting is switched off, because it waits without
// bound or jitter and leaves failures unhandled. A refusal that only the operator can mend ends the asking.

import type { AccountStatus } from '../../src/channels/channel-capabilities.ts';
import { isJsonObject, type JsonValue } from '../../src/protocol/json.ts';
import { within } from '../../src/protocol/time-limit.ts';
import type { SlackAccount } from './account.ts';
import { clientOptions, type SlackAnswer, type SlackApi } from './api.ts';
import { failureOf, type SlackFailure, sentenceOf } from './failure.ts';
import type { SlackEnvelope, SlackIdentity } from './inbound.ts';
import type { PatientClient } from './patient-client.ts';

export interface SlackConnectionParts {
  readonly account: SlackAccount;
  readonly api: SlackApi;
  readonly closing: AbortController;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Called before the first connection. */
  readonly prepare: () => Promise<void>;
  /** Called with each new connection, before its first event. */
  readonly connected: (identity: SlackIdentity) => void;
  readonly heard: (envelope: SlackEnvelope, ack: () => void) => void;
}

/** How one connection ended. */
type ConnectionEnd =
  | { readonly kind: 'lost'; readonly wasConnected: boolean; readonly detail: string; readonly isAsked?: boolean }
  | { readonly kind: 'refused'; readonly failure: SlackFailure };

type State = Pick<AccountStatus, 'state' | 'detail' | 'nextStep'> & { readonly since: number };

/** How long the greeting of a new connection may take. */
const HELLO_LIMIT_MS = 30_000;
/** A connection that held this long is not counted as a failed attempt. */
const STABLE_MS = 30_000;
const CLOSE_LIMIT_MS = 700;

export class SlackConnection {
  readonly #parts: SlackConnectionParts;
  #state: State;
  #limit: { readonly until: number; readonly since: number; readonly detail: string } | undefined;
  /** What the operator should know although the connection is there, such as a missing scope. */
  #notice: Pick<State, 'detail' | 'nextStep'> | undefined;
  #identity: SlackIdentity | undefined;
  #running: Promise<void> | undefined;
  /** Whether the log says already that Slack is away. A connection that lasts makes it false again. */
  #isLossTold = false;

  constructor(parts: SlackConnectionParts) {
    this.#parts = parts;
    this.#state = { state: 'connecting', since: parts.now() };
  }

  /** Begins, and does not wait for the connection. */
  open(): void {
    this.#running = this.#run().catch(() => this.#become('failed', 'The connection to Slack ended by an error.'));
  }

  async close(): Promise<void> {
    this.#parts.closing.abort();
    if (this.#running) await within(CLOSE_LIMIT_MS, this.#running);
    this.#become('stopped');
  }

  status(): AccountStatus {
    const { account, now } = this.#parts;
    const { accountId } = account;
    const name = this.#identity && { name: this.#identity.name };
    const { state, since } = this.#state;
    if (this.#limit && this.#limit.until > now() && state === 'connected') {
      return { accountId, ...name, state: 'limited', since: this.#limit.since, detail: this.#limit.detail };
    }
    return { accountId, ...name, ...this.#state, ...(state === 'connected' && this.#notice), since };
  }

  /** Takes note of what Slack answered to a call: a limit, a missing scope, a token that is no longer good. */
  note(failure: SlackFailure): void {
    const { now } = this.#parts;
    if (failure.kind === 'limited') {
      this.#limit = { until: now() + failure.afterMs, since: now(), detail: sentenceOf(failure) };
    }
    if (failure.kind !== 'refused') return;
    if (isForGood(failure)) {
      this.#fail(failure);
      this.#parts.closing.abort();
    } else if (failure.error === 'missing_scope') {
      this.#notice = { detail: sentenceOf(failure), nextStep: nextStepFor(failure) };
    }
  }

  async #run(): Promise<void> {
    const { prepare, closing, now } = this.#parts;
    await prepare();
    let failures = 0;
    while (!closing.signal.aborted) {
      const startedAt = now();
      const end = await this.#connectOnce();
      if (closing.signal.aborted) return;
      if (end.kind === 'refused' && (isForGood(end.failure) || isMissingScope(end.failure))) {
        this.#fail(end.failure);
        return;
      }
      const isStable = end.kind === 'lost' && end.wasConnected && now() - startedAt >= STABLE_MS;
      failures = isStable ? 1 : failures + 1;
      const detail = end.kind === 'lost' ? end.detail : sentenceOf(end.failure);
      const wasEver = this.#identity !== undefined && this.#state.state !== 'connecting';
      this.#become(wasEver ? 'reconnecting' : 'connecting', detail);
      const isAsked = end.kind === 'lost' && end.isAsked === true && failures <= 2;
      if (isStable) this.#isLossTold = false;
      // Slack ends connections as a matter of course, and the next attempt brings most of them back.
      if (failures > 1 || !wasEver) this.#tellLoss(detail);
      await pause(isAsked ? 0 : pauseAfter(failures, end), closing.signal);
    }
  }

  async #connectOnce(): Promise<ConnectionEnd> {
    const known = this.#identity ?? (await this.#identify());
    if ('kind' in known) return known;
    const { account, closing, connected, heard } = this.#parts;
    // The library for sockets is large, so it is loaded when Slack has taken the token, and not while the gateway starts.
    const { PatientClient } = await import('./patient-client.ts');
    if (closing.signal.aborted) return { kind: 'lost', wasConnected: false, detail: 'The channel is closed.' };
    const client = new PatientClient({
      appToken: account.appToken,
      autoReconnectEnabled: false,
      clientPingTimeout: account.clientPingTimeoutMs,
      serverPingTimeout: account.serverPingTimeoutMs,
      ...libraryOptions(account, closing.signal),
    });
    let isConnected = false;
    client.on('connected', () => {
      isConnected = true;
      this.#become('connected');
      connected(known);
    });
    client.on('slack_event', ({ type, body, ack }: SlackEvent) => {
      if (closing.signal.aborted) return;
      // An acknowledgement on a connection that is gone is lost, and Slack sends the event again.
      heard({ type, body }, () => void ack().catch(() => {}));
    });
    const failed = await this.#follow(client, () => isConnected);
    if (failed) return failed;
    const { reason } = client;
    if (reason === 'link_disabled') {
      return { kind: 'refused', failure: { kind: 'refused', method: 'Socket Mode', error: reason } };
    }
    const detail =
      reason === undefined
        ? 'The connection to Slack was lost.'
        : `Slack closed the connection and asked to connect again (${reason}).`;
    const isAsked = reason === 'refresh_requested' || reason === 'warning';
    return { kind: 'lost', wasConnected: isConnected, detail, isAsked };
  }

  /** Resolves when the connection is over; with the failure, when Slack refused to open one. */
  async #follow(client: PatientClient, isConnected: () => boolean): Promise<ConnectionEnd | undefined> {
    const { signal } = this.#parts.closing;
    const over = new Promise<void>((resolve) => client.once('disconnected', resolve));
    const end = () => client.end();
    signal.addEventListener('abort', end, { once: true });
    const hello = setTimeout(() => !isConnected() && client.end(), HELLO_LIMIT_MS);
    client.on('error', end);
    try {
      await client.start();
      await over;
      return undefined;
    } catch (error) {
      // The library rejects with nothing when the connection broke before the greeting.
      if (error === undefined || !isJsonObject(error as JsonValue)) return undefined;
      return { kind: 'refused', failure: failureOf('apps.connections.open', error) };
    } finally {
      clearTimeout(hello);
      signal.removeEventListener('abort', end);
      client.end();
    }
  }

  async #identify(): Promise<SlackIdentity | ConnectionEnd> {
    const answer = await identify(this.#parts.api);
    if (!answer.ok) return { kind: 'refused', failure: answer.failure };
    this.#identity = answer.value;
    return answer.value;
  }

  #fail(failure: SlackFailure): void {
    this.#become('failed', sentenceOf(failure), nextStepFor(failure));
  }

  #tellLoss(detail: string): void {
    if (this.#isLossTold) return;
    this.#isLossTold = true;
    this.#tell(`${detail} It is tried again.`);
  }

  #tell(sentence: string): void {
    this.#parts.warn(`Slack, account ${this.#parts.account.accountId}: ${sentence}`);
  }

  #become(state: State['state'], detail?: string, nextStep?: string): void {
    if (this.#state.state === 'failed' && state === 'stopped') return;
    if (state === 'failed' && this.#state.state !== 'failed') this.#tell([detail, nextStep].filter(Boolean).join(' '));
    const since = this.#state.state === state ? this.#state.since : this.#parts.now();
    this.#state = {
      state,
      since,
      ...(detail !== undefined && { detail }),
      ...(nextStep !== undefined && { nextStep }),
    };
  }
}

/** Who the bot is, by its token. */
export async function identify(api: SlackApi, signal?: AbortSignal): Promise<SlackAnswer<SlackIdentity>> {
  const answer = await api.call('auth.test', {}, signal);
  if (!answer.ok) return answer;
  const { user_id, bot_id, user, team_id, team } = answer.value;
  const value = {
    userId: String(user_id ?? ''),
    botId: String(bot_id ?? ''),
    name: String(user ?? ''),
    teamId: String(team_id ?? ''),
    teamName: String(team ?? ''),
  };
  return { ok: true, value };
}

/** The options that Slack's library for sockets takes for its own calls. */
export function libraryOptions(account: Pick<SlackAccount, 'apiRoot'>, closing: AbortSignal) {
  const { logger, ...options } = clientOptions({ apiRoot: account.apiRoot, closing });
  return { logger, clientOptions: options };
}

/** Slack's words for tokens and apps that only the operator can mend, with what to do. */
const FOR_GOOD: Readonly<Record<string, string>> = {
  invalid_auth: "Check botToken and appToken: one of them is wrong. The app's pages at api.slack.com/apps show both.",
  not_authed: 'Set botToken and appToken.',
  token_revoked: 'Install the app in the workspace again, and set the new token.',
  token_expired: "Make a new token on the app's page at api.slack.com/apps, and set it.",
  account_inactive: 'The app was removed from the workspace. Install it again, and set the new token.',
  user_removed_from_team: 'The bot was removed from the workspace. Install the app again.',
  team_disabled: 'The workspace is switched off. Ask its owner.',
  org_login_required: 'The workspace is being moved. Ask its owner.',
  not_allowed_token_type: 'botToken begins with xoxb- and appToken with xapp-; they may be interchanged.',
  link_disabled: "Switch on Socket Mode on the app's page at api.slack.com/apps.",
};

export function isForGood(failure: SlackFailure): boolean {
  return failure.kind === 'refused' && Object.hasOwn(FOR_GOOD, failure.error);
}

export function isMissingScope(failure: SlackFailure): boolean {
  return failure.kind === 'refused' && failure.error === 'missing_scope';
}

export function nextStepFor(failure: SlackFailure): string {
  if (failure.kind !== 'refused') return 'Try again later.';
  if (failure.error !== 'missing_scope') return FOR_GOOD[failure.error] ?? 'Check the app at api.slack.com/apps.';
  const scope = failure.needed ?? 'that is missing';
  return failure.method === 'apps.connections.open'
    ? `Make an app-level token with the scope connections:write, and set it as appToken.`
    : `Add the scope ${scope} under "OAuth & Permissions" of the app, and install the app again.`;
}

/** Half a second, then twice as long each time, at most half a minute; the half of it is random. */
function pauseAfter(failures: number, end: ConnectionEnd): number {
  if (end.kind === 'refused' && end.failure.kind === 'limited') return end.failure.afterMs;
  const isCrowded = end.kind === 'lost' && end.detail.includes('too_many_websockets');
  const whole = isCrowded ? 30_000 : Math.min(500 * 2 ** (failures - 1), 30_000);
  return whole / 2 + Math.random() * (whole / 2);
}

/** Resolves when the time is over or the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

interface SlackEvent {
  readonly type: string;
  readonly body: JsonValue;
  readonly ack: () => Promise<void>;
}
