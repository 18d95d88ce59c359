// Compares tokens and counts the wrong ones. Both sides are hashed before they are compared, so that the duration
// reveals nothing about either. An address that sends too many wrong tokens is refused for a while; loopback addresses
// are shared by every program of the machine, so there the right token of the gateway still works, and its operator is
// not shut out. A guard for callers who are not the operator spares no address.

import { hash, timingSafeEqual } from 'node:crypto';
import { TokenAttemptsError, TokenMissingError, TokenWrongError } from '../errors.ts';
import { isLoopbackHost } from './bind-address.ts';

export class TokenGuard {
  readonly #digest: Buffer;
  readonly #now: () => number;
  readonly #refusal: TokenRefusal;
  readonly #sparesLoopback: boolean;
  readonly #failures = new Map<string, Failures>();

  constructor(
    token: string,
    now: () => number,
    { refusal = refuseGatewayToken(false), sparesLoopback = true }: TokenGuardOptions = {},
  ) {
    this.#digest = digestOf(token);
    this.#now = now;
    this.#refusal = refusal;
    this.#sparesLoopback = sparesLoopback;
  }

  /** Throws unless this is the right token. A missing token is a mistake and not an attack, so it is not counted. */
  check(token: string | undefined, address: string): void {
    if (token === undefined || token === '') throw this.#refusal('missing');
    const failures = this.#current(address);
    const isBlocked = failures !== undefined && failures.count >= MAX_FAILURES;
    if (isBlocked && !(this.#sparesLoopback && isLoopbackHost(address))) throw this.#attemptsError(failures);
    if (timingSafeEqual(digestOf(token), this.#digest)) return;
    if (isBlocked) throw this.#attemptsError(failures);
    this.#count(address, failures);
    throw this.#refusal('wrong');
  }

  #current(address: string): Failures | undefined {
    const failures = this.#failures.get(address);
    if (failures && this.#now() < failures.since + WINDOW_MS) return failures;
    this.#failures.delete(address);
    return undefined;
  }

  #count(address: string, failures: Failures | undefined): void {
    if (failures) {
      failures.count++;
      return;
    }
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MAX_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(address, { count: 1, since: this.#now() });
  }

  #attemptsError({ since }: Failures): TokenAttemptsError {
    return new TokenAttemptsError({
      retryAfterSeconds: Math.max(1, Math.ceil((since + WINDOW_MS - this.#now()) / 1_000)),
    });
  }
}

export interface TokenGuardOptions {
  readonly refusal?: TokenRefusal | undefined;
  readonly sparesLoopback?: boolean | undefined;
}

/** What a caller is told whose token is missing or wrong. It depends on what the token is for. */
export type TokenRefusal = (fault: 'missing' | 'wrong') => Error;

/** A token that is wrong is answered with the place of the right one: the configuration, or the file of the gateway. */
export function refuseGatewayToken(isConfigured: boolean): TokenRefusal {
  return (fault) => (fault === 'missing' ? new TokenMissingError() : new TokenWrongError({ isConfigured }));
}

interface Failures {
  count: number;
  readonly since: number;
}

const MAX_FAILURES = 10;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * The token of a request. It is never in the address, because addresses are stored in logs and histories. A browser
 * cannot set headers on a WebSocket, so there the token may also be a subprotocol, encoded because subprotocols allow
 * few characters.
 */
export function tokenOf(headers: Headers, isSocket: boolean): string | undefined {
  const bearer = bearerOf(headers.get('authorization') ?? undefined);
  if (bearer !== undefined || !isSocket) return bearer;
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((each) => each.trim());
  const encoded = protocols.find((each) => each.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString('utf8');
}

/** The token in the header `authorization`. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** The prefix of the token in base64url. The server answers with the protocol `atrium`. */
export const TOKEN_PROTOCOL = 'atrium.token.';
export const SOCKET_PROTOCOL = 'atrium';
