// Fetches an address that came from outside, and refuses those that lead into private networks: by the address that the
// connection is made to, so that a name cannot answer differently the second time, and again for every redirect.

import { lookup as lookupHost } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { isPublicAddress } from '../../protocol/public-address.ts';

export interface SsrFPolicy {
  readonly allowPrivateNetwork?: boolean | undefined;
  readonly dangerouslyAllowPrivateNetwork?: boolean | undefined;
  /** Names whose addresses are not looked at. */
  readonly allowedHostnames?: readonly string[] | undefined;
  /** When there are any, only these are fetched; `*.example.com` stands for everything below it. */
  readonly hostnameAllowlist?: readonly string[] | undefined;
}

export interface GuardedFetch {
  readonly url: string;
  readonly init?: RequestInit | undefined;
  readonly maxRedirects?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly requireHttps?: boolean | undefined;
  readonly policy?: SsrFPolicy | undefined;
}

export interface GuardedResponse {
  readonly response: Response;
  readonly finalUrl: string;
  /** Call it when the response is read, or not wanted any more. */
  readonly release: () => Promise<void>;
}

export class SsrFBlockedError extends Error {
  override readonly name = 'SsrFBlockedError';
}

export async function fetchWithSsrFGuard(asked: GuardedFetch): Promise<GuardedResponse> {
  const { maxRedirects = 3, timeoutMs, signal, init = {} } = asked;
  const abort = new AbortController();
  const stop = () => abort.abort(signal?.reason);
  const timer = timeoutMs
    ? setTimeout(() => abort.abort(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs)
    : undefined;
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const settle = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  };
  try {
    let request = new Request(asked.url, { ...init, signal: abort.signal });
    const body = request.body === null ? undefined : Buffer.from(await request.clone().arrayBuffer());
    for (let redirects = 0; ; redirects++) {
      const url = checkedUrl(request.url, asked);
      const isFirstOrigin = url.origin === new URL(asked.url).origin;
      const { response, close } = await send(
        request,
        isFirstOrigin ? body : undefined,
        asked.policy ?? {},
        abort.signal,
      );
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        const release = async () => {
          settle();
          close();
        };
        return { response, finalUrl: url.href, release };
      }
      close();
      if (redirects >= maxRedirects) throw new Error(`There are more than ${maxRedirects} redirects.`);
      request = redirected(request, new URL(location, url), response.status);
    }
  } catch (error) {
    settle();
    throw abort.signal.aborted ? (abort.signal.reason ?? error) : error;
  }
}

export function isPrivateIpAddress(address: string): boolean {
  // A resolver that answers for both families at once writes IPv4 addresses with this prefix.
  return !isPublicAddress(address.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, ''));
}

/** By what the text says; a name that leads into a private network shows only when it is looked up. */
export function isBlockedHostnameOrIp(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(name) !== 0) return isPrivateIpAddress(name);
  return name === 'localhost' || /\.(localhost|local|internal)$/.test(name);
}

function checkedUrl(text: string, { requireHttps, policy = {} }: GuardedFetch): URL {
  const url = new URL(text);
  if (url.protocol !== 'https:' && (requireHttps || url.protocol !== 'http:')) {
    throw new SsrFBlockedError(`${url.protocol}// addresses are not fetched here.`);
  }
  const host = url.hostname;
  const { hostnameAllowlist } = policy;
  if (hostnameAllowlist?.length && !hostnameAllowlist.some((pattern) => matchesHost(pattern, host))) {
    throw new SsrFBlockedError(`${host} is not among the hosts that may be fetched.`);
  }
  if (!allowsPrivate(policy, host) && isBlockedHostnameOrIp(host))
    throw new SsrFBlockedError(`${host} is a private address.`);
  return url;
}

function allowsPrivate(policy: SsrFPolicy, host: string): boolean {
  const isAllowed = policy.allowPrivateNetwork === true || policy.dangerouslyAllowPrivateNetwork === true;
  return isAllowed || (policy.allowedHostnames ?? []).some((name) => name.toLowerCase() === host.toLowerCase());
}

function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase();
  return wanted.startsWith('*.') ? host.toLowerCase().endsWith(wanted.slice(1)) : host.toLowerCase() === wanted;
}

/** Another origin gets neither the body nor what only the first one may know. */
function redirected(request: Request, url: URL, status: number): Request {
  const isSameOrigin = url.origin === new URL(request.url).origin;
  const headers = new Headers(request.headers);
  if (!isSameOrigin) for (const name of ['authorization', 'cookie', 'proxy-authorization']) headers.delete(name);
  const keepsMethod = isSameOrigin && (status === 307 || status === 308);
  const method = keepsMethod || request.method === 'HEAD' ? request.method : 'GET';
  if (!keepsMethod) for (const name of ['content-type', 'content-length']) headers.delete(name);
  return new Request(url, { method, headers, signal: request.signal });
}

function send(
  request: Request,
  body: Buffer | undefined,
  policy: SsrFPolicy,
  signal: AbortSignal,
): Promise<{ response: Response; close: () => void }> {
  const url = new URL(request.url);
  const lookup = allowsPrivate(policy, url.hostname) ? undefined : lookupPublic;
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  const method = request.method;
  const headers = Object.fromEntries(request.headers);
  return new Promise((resolve, reject) => {
    const outgoing = start(url, { method, headers, signal, agent: false, ...(lookup && { lookup }) }, (incoming) => {
      const { statusCode: status = 500, statusMessage: statusText = '' } = incoming;
      const hasBody = method !== 'HEAD' && ![101, 204, 205, 304].includes(status);
      const received = new Headers();
      for (const [name, value] of Object.entries(incoming.headers)) {
        for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) received.append(name, each);
      }
      const stream = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
      if (!hasBody) incoming.resume();
      const response = new Response(stream, { status, statusText, headers: received });
      resolve({ response, close: () => void incoming.destroy() });
    });
    outgoing.on('error', reject);
    outgoing.end(request.method === 'GET' || request.method === 'HEAD' ? undefined : body);
  });
}

/** The connection goes to one of the addresses that were looked at, or nowhere. */
const lookupPublic: LookupFunction = (host, options, callback) => {
  lookupHost(host, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isPrivateIpAddress(address))) {
      return callback(new SsrFBlockedError(`${host} leads to a private address.`), '', 0);
    }
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};
