// The requests to Discord's REST API that a channel makes, one function each, over @discordjs/rest. The library keeps to
// the limits that Discord names in its headers; where that would mean a long wait, the request fails with the time
// instead, so that the outbox and not a hidden queue waits. Every failure is a DiscordFailure.

import type {
  APIApplication,
  APIChannel,
  APIGatewayBotInfo,
  APIGuild,
  APIGuildMember,
  APIMessage,
  APIThreadChannel,
  APIUser,
} from '@discordjs/core';
import type { REST } from '@discordjs/rest';
import { NEVER_LEFT } from '../../src/channels/never-left.ts';
import { requireAccount } from '../../src/channels/require-account.ts';
import { DiscordFailure } from './discord-failure.ts';

export interface ApiSettings {
  readonly token: string;
  readonly apiRoot: string;
  /** Called with the time that Discord asks to wait. */
  readonly limited?: ((afterMs: number) => void) | undefined;
  /** Called when Discord does not take the token. */
  readonly unauthorized?: (() => void) | undefined;
  /** False when nothing may be requested. */
  readonly mayAct?: (() => boolean) | undefined;
}

export interface ApiFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mime: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Request {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly files?: readonly ApiFile[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** False for requests that a token in the address allows. */
  readonly auth?: boolean | undefined;
}

/** A wait up to this long happens inside the library; a longer one is the outbox's. */
const SHORT_WAIT_MS = 1_500;
const TIMEOUT_MS = 15_000;
export class DiscordApi {
  readonly #settings: ApiSettings;
  readonly #library: typeof import('@discordjs/rest');
  readonly #rest: REST;

  private constructor(settings: ApiSettings, library: typeof import('@discordjs/rest')) {
    this.#settings = settings;
    this.#library = library;
    const { makeRequest } = library.DefaultRestOptions;
    this.#rest = new library.REST({
      // The library may have made the request wait, so it is asked here, where the request leaves.
      makeRequest: async (...request) => {
        requireAccount(settings.mayAct);
        return makeRequest(...request);
      },
      api: settings.apiRoot,
      version: '10',
      // The outbox and the queues of conversations try again; the library would do it a second time.
      retries: 0,
      timeout: TIMEOUT_MS,
      rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > SHORT_WAIT_MS,
    }).setToken(settings.token);
  }

  static async load(settings: ApiSettings): Promise<DiscordApi> {
    return new DiscordApi(settings, await import('@discordjs/rest'));
  }

  close(): void {
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
  }

  gatewayInfo(signal?: AbortSignal): Promise<APIGatewayBotInfo> {
    return this.#ask('GET', '/gateway/bot', { signal });
  }

  me(signal?: AbortSignal): Promise<APIUser> {
    return this.#ask('GET', '/users/@me', { signal });
  }

  application(signal?: AbortSignal): Promise<APIApplication> {
    return this.#ask('GET', '/applications/@me', { signal });
  }

  myGuilds(signal?: AbortSignal): Promise<readonly Pick<APIGuild, 'id' | 'name'>[]> {
    return this.#ask('GET', '/users/@me/guilds', { signal });
  }

  guild(guildId: string): Promise<APIGuild> {
    return this.#ask('GET', `/guilds/${guildId}`);
  }

  guildChannels(guildId: string, signal?: AbortSignal): Promise<readonly APIChannel[]> {
    return this.#ask('GET', `/guilds/${guildId}/channels`, { signal });
  }

  activeThreads(guildId: string, signal?: AbortSignal): Promise<{ readonly threads: readonly APIThreadChannel[] }> {
    return this.#ask('GET', `/guilds/${guildId}/threads/active`, { signal });
  }

  member(guildId: string, userId: string): Promise<APIGuildMember> {
    return this.#ask('GET', `/guilds/${guildId}/members/${userId}`);
  }

  channel(channelId: string, signal?: AbortSignal): Promise<APIChannel> {
    return this.#ask('GET', `/channels/${idOf(channelId)}`, { signal });
  }

  openDm(userId: string, signal?: AbortSignal): Promise<APIChannel> {
    return this.#ask('POST', '/users/@me/channels', { body: { recipient_id: userId }, signal });
  }

  messages(
    channelId: string,
    query: { readonly limit: number; readonly before?: string | undefined; readonly after?: string | undefined },
    signal?: AbortSignal,
  ): Promise<readonly APIMessage[]> {
    const { limit, before, after } = query;
    const asked = {
      limit: String(limit),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    };
    return this.#ask('GET', `/channels/${idOf(channelId)}/messages`, { query: asked, signal });
  }

  message(channelId: string, messageId: string, signal?: AbortSignal): Promise<APIMessage> {
    return this.#ask('GET', messagePath(channelId, messageId), { signal });
  }

  createMessage(channelId: string, body: Json, files: readonly ApiFile[], signal: AbortSignal): Promise<APIMessage> {
    return this.#ask('POST', `/channels/${idOf(channelId)}/messages`, { body, files, signal });
  }

  editMessage(
    channelId: string,
    messageId: string,
    body: Json,
    files: readonly ApiFile[],
    signal: AbortSignal,
  ): Promise<APIMessage> {
    return this.#ask('PATCH', messagePath(channelId, messageId), { body, files, signal });
  }

  deleteMessage(channelId: string, messageId: string, signal: AbortSignal): Promise<unknown> {
    return this.#ask('DELETE', messagePath(channelId, messageId), { signal });
  }

  react(channelId: string, messageId: string, emoji: string, signal: AbortSignal): Promise<unknown> {
    return this.#ask('PUT', reactionPath(channelId, messageId, emoji), { signal });
  }

  unreact(channelId: string, messageId: string, emoji: string, signal: AbortSignal): Promise<unknown> {
    return this.#ask('DELETE', reactionPath(channelId, messageId, emoji), { signal });
  }

  showTyping(channelId: string, signal: AbortSignal): Promise<unknown> {
    return this.#ask('POST', `/channels/${idOf(channelId)}/typing`, { signal });
  }

  createThread(channelId: string, body: Json, signal: AbortSignal): Promise<APIThreadChannel> {
    return this.#ask('POST', `/channels/${idOf(channelId)}/threads`, { body, signal });
  }

  createThreadFrom(channelId: string, messageId: string, body: Json, signal: AbortSignal): Promise<APIThreadChannel> {
    return this.#ask('POST', `${messagePath(channelId, messageId)}/threads`, { body, signal });
  }

  /** Without a server, the commands are offered everywhere. */
  setCommands(applicationId: string, guildId: string | undefined, commands: readonly Json[]): Promise<unknown> {
    const place = guildId === undefined ? '' : `/guilds/${idOf(guildId)}`;
    return this.#ask('PUT', `/applications/${applicationId}${place}/commands`, { body: commands });
  }

  answerInteraction(interactionId: string, token: string, body: Json): Promise<unknown> {
    return this.#ask('POST', `/interactions/${interactionId}/${token}/callback`, { body, auth: false });
  }

  editInteractionAnswer(applicationId: string, token: string, body: Json): Promise<unknown> {
    return this.#ask('PATCH', `/webhooks/${applicationId}/${token}/messages/@original`, { body, auth: false });
  }

  async #ask<Answer>(method: string, path: string, request: Request = {}): Promise<Answer> {
    const { body, query, files = [], signal, auth } = request;
    if (signal?.aborted) throw new DiscordFailure('unreachable', 'The request was given up before it was sent.');
    // The library never takes its listener off a signal, so it gets one that ends with the request.
    const own = new AbortController();
    const abort = (): void => own.abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = await this.#rest.request({
        method: method as never,
        fullRoute: path as `/${string}`,
        ...(body !== undefined && { body }),
        ...(query && { query: new URLSearchParams(query) }),
        ...(files.length > 0 && {
          files: files.map(({ name, bytes, mime }) => ({ name, data: Buffer.from(bytes), contentType: mime })),
        }),
        ...(auth === false && { auth: false }),
        signal: own.signal,
      });
      return answer as Answer;
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #failureOf(error: unknown): DiscordFailure {
    const { DiscordAPIError, HTTPError, RateLimitError } = this.#library;
    if (error instanceof RateLimitError) {
      const afterMs = Math.ceil(Math.max(error.retryAfter, error.timeToReset));
      this.#settings.limited?.(afterMs);
      return new DiscordFailure('limited', `Discord asks to wait ${Math.ceil(afterMs / 1_000)} s.`, { afterMs });
    }
    if (error instanceof DiscordAPIError) {
      const code = typeof error.code === 'number' ? error.code : 0;
      if (error.status === 401) {
        this.#settings.unauthorized?.();
        return new DiscordFailure('unauthorized', 'Discord does not take the token of this account.', { code });
      }
      // The message of the error is Discord's own; its other fields have addresses and the text that was sent.
      return new DiscordFailure('refused', `Discord refuses it: ${firstLine(error.rawError, error.message)}`, { code });
    }
    if (error instanceof HTTPError) {
      return new DiscordFailure('unreachable', `Discord answered with the status ${error.status}.`, {
        mayHaveArrived: true,
      });
    }
    const code = codeOf(error);
    const isRefused = NEVER_LEFT.has(code);
    return new DiscordFailure('unreachable', `Discord could not be reached${code === '' ? '' : ` (${code})`}.`, {
      mayHaveArrived: !isRefused,
    });
  }
}

/**
 * An id comes from people and models here and there, and must not change the address of the request. Discord answers
 * an id that is no number with its own words.
 */
function idOf(id: string): string {
  return encodeURIComponent(id);
}

function messagePath(channelId: string, messageId: string): string {
  // The library reads the number of a message from the address, and would fail without one.
  if (!/^\d{17,20}$/.test(messageId))
    throw new DiscordFailure('refused', `There is no message "${messageId}" on Discord.`);
  return `/channels/${idOf(channelId)}/messages/${messageId}`;
}

function reactionPath(channelId: string, messageId: string, emoji: string): string {
  return `${messagePath(channelId, messageId)}/reactions/${encodeURIComponent(emoji)}/@me`;
}

function firstLine(raw: unknown, otherwise: string): string {
  const message = (raw as { readonly message?: unknown } | undefined)?.message;
  return String(typeof message === 'string' ? message : otherwise).split('\n')[0] ?? '';
}

function codeOf(error: unknown): string {
  const { code, cause, name } = (error ?? {}) as { code?: unknown; cause?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  if (cause !== undefined) return codeOf(cause);
  return name === 'AbortError' ? 'no answer in time' : '';
}
