// How a command talks to the gateway that owns the state directory. A command that only reads also works while the
// gateway is down: the same routes then answer from the store itself, opened for reading.

import { stat } from 'node:fs/promises';
import { configuredTokenOf } from '../../config/configured-token.ts';
import { readConfig } from '../../config/load-config.ts';
import { modelPrices } from '../../config/model-prices.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import { tokenFile } from '../../config/token-file.ts';
import { findToken } from '../../gateway/http/token.ts';
import { type ConfigState, describeConfigState } from '../../gateway/settings/config-state.ts';
import type { CliIo } from '../cli-io.ts';
import {
  GatewayDownError,
  GatewayFrozenError,
  GatewayGoneError,
  GatewayRefusedError,
  GatewayTokenGoneError,
  GatewayTokenOtherError,
} from '../errors.ts';
import { line } from '../output/text.ts';
import { sendRequest } from './send-request.ts';
import { type GatewayPlace, watchLiveness } from './watch-liveness.ts';

export interface GatewayClient {
  get<T>(path: string, query?: Query): Promise<T>;
  /** The body of an answer as it is. */
  getText(path: string): Promise<string>;
  post<T>(path: string, body?: object): Promise<T>;
  delete<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Undefined values are left out. */
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A path with ids in it, which may contain any character. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: parts }, ...ids.map(encodeURIComponent));
}

/** A client that is opened by the first request. */
export function lazyClient(open: () => Promise<GatewayClient>): GatewayClient {
  let opened: Promise<GatewayClient> | undefined;
  const client = () => (opened ??= open());
  return {
    get: async (path, query) => (await client()).get(path, query),
    getText: async (path) => (await client()).getText(path),
    post: async (path, body) => (await client()).post(path, body),
    delete: async (path) => (await client()).delete(path),
    close: async () => opened?.then((each) => each.close()).catch(() => {}),
  };
}

/**
 * For commands that ask a running gateway if there is one; undefined when there is none. The gateway takes up what has
 * changed in its configuration first, and what it does not follow is said on the error stream.
 */
export async function askRunning<Value>(
  io: CliIo,
  ask: (client: GatewayClient) => Promise<Value>,
): Promise<Value | undefined> {
  if (UNREACHABLE.has(io)) return undefined;
  const client = lazyClient(() => openGatewayClient(io));
  try {
    await noteConfigState(client, io);
    return await ask(client);
  } catch (error) {
    if (error instanceof GatewayDownError) return undefined;
    if (!isUnreachable(error)) throw error;
    tellUnreachable(io, error);
    return undefined;
  } finally {
    await client.close();
  }
}

/** A gateway runs, and a command cannot talk to it. */
export type UnreachableError = GatewayFrozenError | GatewayTokenGoneError | GatewayTokenOtherError;

export function isUnreachable(error: unknown): error is UnreachableError {
  return [GatewayFrozenError, GatewayTokenGoneError, GatewayTokenOtherError].some((each) => error instanceof each);
}

/** Commands whose gateway did not answer. They do not ask it a second time, because each time takes seconds. */
const UNREACHABLE = new WeakMap<CliIo, UnreachableError>();

/** Said before the answer, which comes from the files then; once for each command. */
function tellUnreachable(io: CliIo, error: UnreachableError): void {
  if (UNREACHABLE.has(io)) return;
  UNREACHABLE.set(io, error);
  io.err(`atrium: ${error.message} What follows is what the files say.\n`);
}

/** What a command has said about the configuration already. It may ask the gateway several times. */
const NOTED = new WeakMap<CliIo, Set<string>>();

/** Says once where the running gateway does not follow its configuration files, so that an answer is not misread. */
export async function noteConfigState(client: Pick<GatewayClient, 'get'>, io: CliIo): Promise<void> {
  try {
    const state = await client.get<ConfigState>('/api/config');
    const told = NOTED.get(io) ?? new Set();
    NOTED.set(io, told);
    for (const sentence of describeConfigState(state).filter((each) => !told.has(each))) {
      told.add(sentence);
      io.err(line(`note: ${sentence} This answer is about the gateway as it runs.`));
    }
  } catch (error) {
    // A gateway of an older version does not know the question.
    if (!(error instanceof GatewayRefusedError) || error.httpStatus !== 404) throw error;
  }
}

/**
 * For commands that change something. Rejects with GatewayDownError when no gateway owns the state directory, and with
 * GatewayTokenGoneError when one does and its token is gone.
 */
export async function openGatewayClient(io: CliIo): Promise<GatewayClient> {
  const { environment } = io;
  const { stateDir } = environment;
  const { isStateLocked, readOwner } = await import('../../store/state-lock.ts');
  const owner = await readOwner(stateDir);
  if (!owner) {
    const isStarting = await isStateLocked(stateDir);
    const { findStrayGateway } = await import('./find-stray-gateway.ts');
    throw new GatewayDownError({
      stateDir,
      detail: isStarting ? 'one is starting and cannot be reached yet' : 'no process owns it',
      stray: isStarting ? undefined : await findStrayGateway(io),
    });
  }
  const token = owner.token ?? (await findRunningToken(io));
  if (token === undefined) throw new GatewayTokenGoneError({ ...owner, file: tokenFile(stateDir) });
  const isDown = (cause: unknown) =>
    new GatewayDownError({ stateDir, detail: `${owner.url} does not answer` }, { cause });
  return clientAt({ ...owner, token }, isDown);
}

/**
 * The token of a gateway that does not say itself which one it has, as one of an older version. A configuration that
 * cannot be read any more does not keep anyone from asking the gateway that runs. A file that the
 * person named is another matter: its error is told.
 */
export async function findRunningToken(
  { environment }: CliIo,
  configPath?: string | undefined,
): Promise<string | undefined> {
  const { stateDir } = environment;
  try {
    const config = await readConfig({ environment, configPath });
    return await findToken(stateDir, configuredTokenOf(config, environment.variables));
  } catch (error) {
    if (configPath !== undefined) throw error;
    const token = await findToken(stateDir, configuredTokenOf({}, environment.variables));
    if (token === undefined) throw error;
    return token;
  }
}

export interface GatewayAddress extends GatewayPlace {
  readonly token: string;
}

/**
 * Talks to the gateway at this address. Rejects with GatewayGoneError, unless the caller names another, when it cannot
 * be reached, and with GatewayFrozenError when it does not answer.
 */
export function clientAt({ url, token, pid }: GatewayAddress, lost: (cause: unknown) => Error = gone): GatewayClient {
  const send: Send = async (path, init) => {
    try {
      return await watchLiveness({ url, pid }, (signal) =>
        sendRequest(`${url}${path}`, { ...init, signal, headers: { authorization: `Bearer ${token}` } }),
      );
    } catch (error) {
      throw error instanceof GatewayFrozenError ? error : lost(error);
    }
  };
  return clientOf(async (path, init) => {
    const answer = await send(path, init);
    if (answer.status !== 401) return answer;
    const { refusal, sentence } = refusalOf(answer.status, answer.text);
    if (refusal === 'ATRIUM_HTTP_TOKEN_WRONG') throw new GatewayTokenOtherError({ url, pid, sentence });
    return answer;
  });
}

function gone(error: unknown): GatewayGoneError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new GatewayGoneError({ detail: code ?? message });
}

/** Commands that only read ask the running gateway, or else its store. */
export async function openReadingClient(io: CliIo): Promise<GatewayClient> {
  const known = UNREACHABLE.get(io);
  if (known) return openStoreClient(io, known);
  try {
    return orElse(await openGatewayClient(io), (unreachable) => {
      tellUnreachable(io, unreachable);
      return openStoreClient(io, unreachable);
    });
  } catch (error) {
    if (error instanceof GatewayTokenGoneError) tellUnreachable(io, error);
    else if (!(error instanceof GatewayDownError)) throw error;
    return openStoreClient(io, error);
  }
}

/** What an unreachable gateway does not answer, the other client does, and everything after it. */
function orElse(first: GatewayClient, open: (unreachable: UnreachableError) => Promise<GatewayClient>): GatewayClient {
  let other: Promise<GatewayClient> | undefined;
  const ask = async <Value>(request: (client: GatewayClient) => Promise<Value>): Promise<Value> => {
    if (other) return request(await other);
    try {
      return await request(first);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      other ??= open(error);
      return request(await other);
    }
  };
  return {
    get: (path, query) => ask((client) => client.get(path, query)),
    getText: (path) => ask((client) => client.getText(path)),
    post: (path, body) => ask((client) => client.post(path, body)),
    delete: (path) => ask((client) => client.delete(path)),
    close: async () => {
      await first.close();
      await other?.then((client) => client.close()).catch(() => {});
    },
  };
}

async function openStoreClient(io: CliIo, isDown: GatewayDownError | UnreachableError): Promise<GatewayClient> {
  // The store is read also when the configuration cannot be; then no prices are known.
  const config = await readConfig({ environment: io.environment }).catch(() => ({}));
  const place = storePlaceOf(io.environment, config);
  const exists =
    place.kind !== 'sqlite' ||
    (await stat(place.file)
      .then((entry) => entry.isFile())
      .catch(() => false));
  if (!exists) throw isDown;
  const [
    { openStore },
    { createHttpApp },
    { servicesOfStore },
    { readSpending },
    { spendSettingsOf },
    { resolveTimezone },
  ] = await Promise.all([
    import('../../store/open-store.ts'),
    import('../../gateway/http/create-http-app.ts'),
    import('../../gateway/services/services-of-store.ts'),
    import('../../gateway/services/spending.ts'),
    import('../../config/spend-limits.ts'),
    import('../../config/timezone.ts'),
  ]);
  const store = await openStore(place, { readOnly: true });
  const app = createHttpApp({
    services: servicesOfStore(store, isDown, {
      pricesOf: (provider, model) => modelPrices(config, provider, model),
      spending: () => {
        const settings = spendSettingsOf(config, resolveTimezone(config, io.environment));
        return readSpending(store, settings, io.now().getTime());
      },
      nodes:
        place.kind === 'postgres'
          ? (await import('../../gateway/services/nodes-of-store.ts')).nodesOfStore(place, config)
          : undefined,
    }),
    agentIds: () => [],
    now: () => io.now().getTime(),
    token: IN_PROCESS,
    allowedHosts: [],
    allowedOrigins: [],
    state: () => 'draining',
    warn: (text) => io.err(`${text}\n`),
  });
  const send: Send = async (path, init) => {
    const response = await app.request(path, { ...init, headers: { authorization: `Bearer ${IN_PROCESS}` } });
    return { status: response.status, text: await response.text() };
  };
  return clientOf(send, () => store.close());
}

/** No other process can reach the app of a command. */
const IN_PROCESS = 'in-process';

type Send = (path: string, init: { method: string; body?: string }) => Promise<{ status: number; text: string }>;

function clientOf(send: Send, close: () => Promise<void> = async () => {}): GatewayClient {
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    const { status, text } = await send(path, { method, ...(body && { body: JSON.stringify(body) }) });
    if (status >= 400) throw refusalOf(status, text);
    return text;
  };
  const askJson = async <T>(method: string, path: string, body?: object) => {
    return JSON.parse(await ask(method, path, body)) as T;
  };
  return {
    get: (path, query) => askJson('GET', `${path}${queryText(query)}`),
    getText: (path) => ask('GET', path),
    post: (path, body) => askJson('POST', path, body ?? {}),
    delete: (path) => askJson('DELETE', path),
    close,
  };
}

function queryText(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`;
}

function refusalOf(status: number, text: string): GatewayRefusedError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new GatewayRefusedError({ httpStatus: status, refusal: error.code, sentence: error.message });
  } catch {
    return new GatewayRefusedError({
      httpStatus: status,
      refusal: 'unreadable',
      sentence: `The gateway answered with status ${status} and no sentence.`,
    });
  }
}
