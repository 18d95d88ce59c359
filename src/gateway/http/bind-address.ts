// The address on which the gateway listens. It is loopback unless the operator says otherwise; an address that other
// machines can reach needs a token.

import { isIP } from 'node:net';
import { BindAddressInvalidError, BindWithoutTokenError } from '../errors.ts';

/** Used when neither the command line nor the configuration names a port. */
export const DEFAULT_PORT = 18_790;

/** Accepts `loopback`, `lan` (every address of the machine), `auto`, `localhost` and IP addresses. */
export function resolveBindAddress(bind: string | undefined, token: string | undefined): string {
  const host = toAddress(bind ?? 'loopback');
  if (!isLoopbackHost(host) && !token) throw new BindWithoutTokenError({ address: host });
  return host;
}

/** True for the names and addresses that only this machine can reach. */
export function isLoopbackHost(host: string): boolean {
  const name = withoutBrackets(host).toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  const mapped = name.replace(/^::ffff:/, '');
  return isIP(mapped) === 4 && mapped.startsWith('127.');
}

/** `http://host:port` in a form that a person or a client on this machine can open. */
export function formatUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`;
}

export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function toAddress(bind: string): string {
  const word = withoutBrackets(bind.trim());
  if (['loopback', 'auto', 'localhost'].includes(word.toLowerCase())) return '127.0.0.1';
  if (word.toLowerCase() === 'lan') return '0.0.0.0';
  if (isIP(word) === 0) throw new BindAddressInvalidError({ bind });
  return word;
}
