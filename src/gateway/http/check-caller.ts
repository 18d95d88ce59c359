// Decides which callers may use the gateway at all, before any token is checked. A page of another site can make a
// browser send requests here, under a host name of its own choosing; the names in `Host` and `Origin` reveal this.

import { isIP } from 'node:net';
import { HostRefusedError, OriginRefusedError } from '../errors.ts';
import { isLoopbackHost, withoutBrackets } from './bind-address.ts';

export interface CallerRules {
  /** Allowed host names besides loopback and plain addresses, without ports. */
  readonly allowedHosts: readonly string[];
  /** Allowed origins besides the gateway's own; `*` allows every one. */
  readonly allowedOrigins: readonly string[];
}

/** An attacker can make a name point to this machine, but not an address, so only names are refused. */
export function checkHost(host: string, rules: CallerRules): void {
  const name = hostName(host);
  if (name !== undefined) {
    if (isLoopbackHost(name) || isIP(withoutBrackets(name)) !== 0) return;
    if (rules.allowedHosts.some((allowed) => allowed.toLowerCase() === name)) return;
    if (rules.allowedOrigins.some((origin) => parseOrigin(origin)?.hostname === name)) return;
  }
  throw new HostRefusedError({ host });
}

/** A request without an origin does not come from a page. `host` is the one that the request was sent to. */
export function checkOrigin(origin: string | undefined, host: string, rules: CallerRules): void {
  if (origin === undefined || isOwnOrigin(origin, host) || isAllowedOrigin(origin, rules)) return;
  throw new OriginRefusedError({ origin });
}

export function isAllowedOrigin(origin: string, { allowedOrigins }: CallerRules): boolean {
  const asked = parseOrigin(origin)?.origin;
  return allowedOrigins.some(
    (allowed) => allowed === '*' || (asked !== undefined && parseOrigin(allowed)?.origin === asked),
  );
}

function isOwnOrigin(origin: string, host: string): boolean {
  const parsed = parseOrigin(origin);
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.host === host.toLowerCase();
}

function hostName(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname.toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}

function parseOrigin(origin: string): URL | undefined {
  try {
    return new URL(origin);
  } catch {
    return undefined;
  }
}
