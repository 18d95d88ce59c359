// Gets one page over http or https and follows its redirects, each of them judged like the first address. Nothing is
// sent but the address itself: no cookies, no credentials, no proxy of the environment. What comes back is bounded in
// bytes, before and after unpacking, while it streams.
//
// Errors: WebUrlError, WebAddressError and WebFetchError; the signal's reason once it fires. A status is no error.

import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { countOf } from '../../protocol/count-of.ts';
import { shownAddress } from '../../protocol/shown-url.ts';
import { WebFetchError, WebUrlError } from '../errors.ts';
import { checkUrl } from './check-url.ts';
import { type HostAddress, type HostRules, resolveHost } from './resolve-host.ts';

export interface FetchedPage {
  readonly url: URL;
  readonly status: number;
  /** The header as it came; empty when there was none. */
  readonly contentType: string;
  /** What the other side said, unpacked; empty where `wants` did not want it. */
  readonly body: Buffer;
  /** Bytes of the whole body as far as they are known: read or announced. */
  readonly bytes: number;
  /** True when the body went on behind the limit. */
  readonly isCut: boolean;
}

export interface FetchPageOptions extends HostRules {
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
  /** Looks at the type of the content; a body that is not wanted is not downloaded. */
  readonly wants: (contentType: string) => boolean;
}

const MAX_HEADER_BYTES = 32 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function fetchPage(address: string, options: FetchPageOptions): Promise<FetchedPage> {
  const { maxRedirects } = options;
  let url = checkUrl(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await send(url, await resolveHost(url, options, options.signal), options.signal);
    try {
      const { location } = response.headers;
      if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) {
        return await readPage(url, response, options);
      }
      url = redirectTarget(location, url);
    } finally {
      response.destroy();
    }
  }
  const times = maxRedirects === 0 ? ', and no redirect is followed' : ` more than ${countOf(maxRedirects, 'time')}`;
  throw new WebFetchError({ url: address, problem: `it was redirected${times}` });
}

/** The error does not repeat the target: it may be any text of a stranger, and would stand outside of the quotes. */
function redirectTarget(location: string, url: URL): URL {
  try {
    return checkUrl(location, url);
  } catch (error) {
    if (!(error instanceof WebUrlError)) throw error;
    throw new WebUrlError({ url: shownAddress(url), problem: `its redirect leads nowhere, because ${error.problem}` });
  }
}

function send(url: URL, addresses: readonly HostAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    // One connection of its own: none that another call left open, and none through a proxy.
    agent: false,
    lookup: handOver(addresses),
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    headers: {
      'user-agent': 'Atrium',
      accept: 'text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
      'accept-encoding': 'gzip, br',
    },
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(signal.aborted ? signal.reason : failureOf(url, error));
    const request =
      url.protocol === 'https:'
        ? requestSecurely(url, { ...options, rejectUnauthorized: true })
        : requestPlainly(url, options);
    request.on('response', resolve);
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail(new Error('the other side speaks another protocol'));
    });
    request.on('error', fail);
    request.on('close', () => fail(new Error('the connection was closed')));
    request.end();
  });
}

/** Gives the connection exactly the addresses that were judged, whatever name it asks for. */
function handOver(addresses: readonly HostAddress[]): NonNullable<RequestOptions['lookup']> {
  return (_name, { all }, answer) => {
    const [first] = addresses;
    // The answer comes later, as in a real look-up, because the caller has not set its listeners yet.
    process.nextTick(() => {
      if (all) answer(null, [...addresses]);
      else answer(null, first?.address ?? '', first?.family);
    });
  };
}

async function readPage(
  url: URL,
  response: IncomingMessage,
  { maxBytes, signal, wants }: FetchPageOptions,
): Promise<FetchedPage> {
  const { statusCode: status = 0, headers } = response;
  const contentType = headers['content-type'] ?? '';
  const announced = Number(headers['content-length']);
  if (!wants(contentType) && Number.isSafeInteger(announced)) {
    return { url, status, contentType, body: Buffer.alloc(0), bytes: announced, isCut: false };
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  try {
    for await (const chunk of unpack(url, response, maxBytes)) {
      const piece = (chunk as Buffer).subarray(0, maxBytes - bytes);
      bytes += piece.length;
      isCut = piece.length < (chunk as Buffer).length;
      if (wants(contentType)) chunks.push(piece);
      if (isCut) break;
    }
    // A body without an announced end looks whole when its connection is given up.
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : failureOf(url, error);
  }
  return { url, status, contentType, body: Buffer.concat(chunks), bytes, isCut };
}

/** Packed bytes are counted as well: a stream of empty blocks unpacks to nothing and never ends. */
function unpack(url: URL, response: IncomingMessage, maxBytes: number): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const unpacker = unpackerOf(encoding);
  if (!unpacker)
    throw new WebFetchError({
      url: shownAddress(url),
      problem: `it is packed as ${JSON.stringify(encoding.slice(0, 40))}`,
    });
  const limited = async function* (packed: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const chunk of packed) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new WebFetchError({ url: shownAddress(url), problem: `it is packed into more than ${maxBytes} bytes` });
      yield chunk;
    }
  };
  // Whatever goes wrong reaches the reader through the last stream.
  return pipeline(response, limited, unpacker, () => undefined);
}

/** A body that was cut off is unpacked as far as it goes. */
function unpackerOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case 'deflate':
      return createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

/** A helpful sentence. The system's own message may contain addresses and paths of this machine. */
function failureOf(url: URL, error: unknown): WebFetchError {
  if (error instanceof WebFetchError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const problem = PROBLEMS[code] ?? (isAboutCertificate(code) ? 'its certificate cannot be trusted' : undefined);
  return new WebFetchError(
    {
      url: shownAddress(url),
      problem: problem ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`),
    },
    {
      cause: error,
    },
  );
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side broke the connection off',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'its host does not answer',
  EPROTO: 'its host does not speak https there',
  HPE_HEADER_OVERFLOW: `its headers are larger than ${MAX_HEADER_BYTES} bytes`,
  Z_DATA_ERROR: 'its content cannot be unpacked',
  Z_BUF_ERROR: 'its content cannot be unpacked',
};

function isAboutCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_/.test(code);
}
