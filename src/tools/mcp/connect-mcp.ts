// One connection to one server: begun, asked for its tools, asked to run one, and ended. The protocol's library is loaded
// here and only here, with the first connection, because it is heavy. It is used for the exchange of messages; what
// servers send is read by `listed-tool.ts` and `read-call-result.ts`, which trust nothing.
//
// Errors: connecting rejects with McpStartError, or with the signal's reason. A call rejects with McpCallLostError when the
// server went away before it answered, with McpCallTimeoutError when it took too long, with McpNotReachedError when it
// did not get the call, and with the server's own words when it refused.

import { McpStartError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { HttpMcpTransport, McpServerSettings, McpTransport } from '../../protocol/mcp-server.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { VERSION } from '../../protocol/version.ts';
import { McpAnswerError, McpCallLostError, McpCallTimeoutError, McpNotReachedError } from '../errors.ts';
import { type Listing, ListingReader, MAX_TOOLS } from './listed-tool.ts';
import { MAX_MESSAGE_BYTES, StdioTransport } from './stdio-transport.ts';
import { watchFetch } from './watched-fetch.ts';

export interface McpConnection {
  list(signal: AbortSignal): Promise<Listing>;
  call(tool: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Resolves with the reason when the connection is over, whichever side ended it. */
  readonly closed: Promise<string>;
  /** Resolves when the process is gone, for a server that is one. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** A line that the server wrote for people. */
  readonly told: (line: string) => void;
  readonly onToolsChanged: () => void;
  readonly signal: AbortSignal;
}

/** The most pages that are read, because a server may never end its list. */
const MAX_PAGES = 64;
/** Longer than all our limits, so that the library's own limit never comes first. */
const LIBRARY_TIMEOUT_MS = 2 ** 31 - 1;
const GOODBYE_MS = 1_000;

export async function connectMcp(settings: McpServerSettings, options: ConnectOptions): Promise<McpConnection> {
  const { name, transport: place } = settings;
  const [{ Client }, { McpError, ResultSchema, ToolListChangedNotificationSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const client = new Client({ name: 'atrium', version: VERSION }, { capabilities: {} });
  client.setNotificationHandler(ToolListChangedNotificationSchema, options.onToolsChanged);
  // An error in a request rejects that request; an error outside of every request is not needed.
  client.onerror = () => undefined;
  const link =
    place.kind === 'http'
      ? await openHttpLink(place, () => void client.close())
      : openStdioLink(
          new StdioTransport({
            variables: options.variables,
            settings: place,
            told: (line) => options.told(withoutSecrets(line, place)),
          }),
        );
  let isClosed = false;
  const closed = new Promise<string>((resolve) => {
    client.onclose = () => {
      isClosed = true;
      resolve(link.ending());
    };
  });
  const ask = (method: string, params: JsonObject, outer: AbortSignal): Promise<JsonObject> =>
    untilAborted(
      outer,
      (signal) =>
        client.request({ method, params }, ResultSchema, {
          signal,
          timeout: LIBRARY_TIMEOUT_MS,
        }) as Promise<JsonObject>,
    );
  const reasonOf = (error: unknown) => describeError(error, place);
  const close = async () => {
    await link.goodbye();
    await client.close();
    await link.transport.close();
  };

  const connection: McpConnection = {
    closed,
    close,
    async list(signal) {
      if (!client.getServerCapabilities()?.tools) return { tools: [], remarks: ['It says that it has no tools.'] };
      const reader = new ListingReader();
      let cursor: string | undefined;
      try {
        for (let page = 0; page < MAX_PAGES && !reader.isFull; page++) {
          const answer = await ask('tools/list', cursor === undefined ? {} : { cursor }, signal);
          reader.add(Array.isArray(answer.tools) ? answer.tools.slice(0, MAX_TOOLS + 1) : []);
          cursor = typeof answer.nextCursor === 'string' ? answer.nextCursor : undefined;
          if (cursor === undefined) break;
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new McpStartError({ server: name, reason: (isClosed && link.ending()) || reasonOf(error) });
      }
      return reader.listing();
    },
    async call(tool, params, signal) {
      if (isClosed) throw new McpNotReachedError({ server: name, reason: 'it has gone' });
      const seconds = settings.timeoutMs / 1_000;
      const limit = timeLimit(
        settings.timeoutMs,
        () => new McpCallTimeoutError({ server: name, tool, seconds }),
        signal,
      );
      try {
        return await ask('tools/call', { name: tool, arguments: params }, limit.signal);
      } catch (error) {
        if (limit.signal.aborted) throw limit.signal.reason;
        if (isClosed)
          throw new McpCallLostError({ server: name, tool, reason: link.ending() || 'the connection was closed' });
        if (error instanceof McpError) throw new McpAnswerError({ server: name, reason: reasonOf(error) });
        if (!link.isUnreached(error)) throw new McpCallLostError({ server: name, tool, reason: reasonOf(error) });
        // The connection to a server that refuses is closed, so that the next call connects again.
        link.drop(reasonOf(error));
        throw new McpNotReachedError({ server: name, reason: reasonOf(error) });
      } finally {
        limit.clear();
      }
    },
  };

  try {
    await untilAborted(options.signal, (signal) =>
      client.connect(link.transport, { signal, timeout: LIBRARY_TIMEOUT_MS }),
    );
    return connection;
  } catch (error) {
    const reason = (isClosed && link.ending()) || reasonOf(error);
    await close();
    if (options.signal.aborted) throw options.signal.reason;
    throw new McpStartError({ server: name, reason });
  }
}

type LinkTransport = Parameters<
  InstanceType<typeof import('@modelcontextprotocol/sdk/client/index.js').Client>['connect']
>[0];

interface Link {
  readonly transport: LinkTransport;
  /** Why it is over; empty while that is not known. */
  ending(): string;
  /** Ends it for a reason. */
  drop(why: string): void;
  /** True for an error that says that the server did not take the request. */
  isUnreached(error: unknown): boolean;
  /** Tells the server that no further requests will come. */
  goodbye(): Promise<void>;
}

function openStdioLink(transport: StdioTransport): Link {
  return {
    transport,
    ending: () => transport.ending,
    drop: () => void transport.close(),
    isUnreached: () => false,
    goodbye: async () => {},
  };
}

async function openHttpLink({ url, headers }: HttpMcpTransport, close: () => void): Promise<Link> {
  const { StreamableHTTPClientTransport, StreamableHTTPError } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  let ending = '';
  const drop = (why: string) => {
    ending ||= why;
    close();
  };
  const watched = watchFetch({ maxBytes: MAX_MESSAGE_BYTES, onLost: drop });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: watched.fetch,
  });
  transport.onmessage = (message) => {
    if ('id' in message && !('method' in message)) watched.answered(message.id);
  };
  transport.onerror = ({ message }) => {
    if (message.startsWith('Maximum reconnection attempts')) drop('it cannot be reached any more');
  };
  return {
    transport: transport as LinkTransport,
    ending: () => ending,
    drop,
    // Nothing listens there, or the server refuses the request: it does not know this client, or not the session any more.
    isUnreached: (error) =>
      error instanceof StreamableHTTPError
        ? error.code !== undefined && error.code >= 400 && error.code < 500
        : ['ECONNREFUSED', 'ENOTFOUND'].includes(causeCodeOf(error) ?? ''),
    goodbye: async () => {
      const limit = timeLimit(GOODBYE_MS, () => new Error('no answer'));
      await untilAborted(limit.signal, () => transport.terminateSession()).catch(() => undefined);
      limit.clear();
    },
  };
}

/** The library keeps its listeners on a signal after its work is done, so each piece of work gets its own signal. */
async function untilAborted<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  outer.throwIfAborted();
  const own = new AbortController();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(outer.reason);
      own.abort(outer.reason);
    };
  });
  outer.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(own.signal), aborted]);
  } finally {
    outer.removeEventListener('abort', stop);
  }
}

function causeCodeOf(error: unknown): string | undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** The library's messages begin with its own prefixes, and may quote secrets of what could not be sent. */
function describeError(error: unknown, place: McpTransport): string {
  const code = causeCodeOf(error) ?? '';
  const words = NETWORK_REASONS[code] ?? (code || innermostMessage(error));
  const plain = withoutSecrets(words, place)
    // The text is cut first, because the patterns below are slow for long texts.
    .slice(0, 1_000)
    .replace(/^(MCP error -?\d+: |Streamable HTTP error: )+/, '')
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim()
    .replace(/\.+$/, '');
  return plain.slice(0, 500) || 'it gave no reason';
}

/** The cause of "fetch failed" has the real reason. */
function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return innermostMessage(error.cause) || error.message;
}

const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  ENOTFOUND: 'its name is not known (ENOTFOUND)',
};

/** Shorter values may be ordinary words, and are not replaced. */
const MIN_SECRET_CHARS = 8;

function withoutSecrets(text: string, place: McpTransport): string {
  const kept =
    place.kind === 'stdio'
      ? Object.values(place.env)
      : [...Object.values(place.headers), ...new URL(place.url).searchParams.values()];
  return kept
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .reduce((told, secret) => told.replaceAll(secret, '[secret]'), text);
}
