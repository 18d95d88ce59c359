// Finds the addresses of a host and checks all of them, or refuses the host. The caller must connect to these addresses: a second look-up could answer differently, and the owner of the name decides what it answers.

import { isIP } from 'node:net';
import { isPublicAddress } from '../../protocol/public-address.ts';
import { shownAddress } from '../../protocol/shown-url.ts';
import { WebAddressError, WebFetchError } from '../errors.ts';
import { hostOf } from './check-url.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a name. Rejects when it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface HostRules {
  readonly resolveName: ResolveName;
  /** Hosts, or `host:port`, that the operator lets through wherever they lead. */
  readonly allowHosts: readonly string[];
  /** The addresses of this machine. Its services may trust connections from there. */
  readonly ownAddresses: () => readonly string[];
}

export async function resolveHost(url: URL, rules: HostRules, signal: AbortSignal): Promise<readonly HostAddress[]> {
  const host = hostOf(url);
  const found = isIP(host) === 0 ? await lookUp(host, url, rules, signal) : [host];
  const addresses = found.flatMap((address): readonly HostAddress[] => {
    const family = isIP(address);
    return family === 4 || family === 6 ? [{ address, family }] : [];
  });
  if (addresses.length === 0) throw new WebFetchError({ url: shownAddress(url), problem: 'its host has no address' });
  if (isAllowed(url, rules.allowHosts)) return addresses;
  const own = new Set(rules.ownAddresses());
  // One private address among public ones is enough, because any of them may be tried.
  const isTrap = ({ address }: HostAddress) => !isPublicAddress(address) || own.has(address);
  if (addresses.length < found.length || addresses.some(isTrap)) throw new WebAddressError({ host });
  return addresses;
}

async function lookUp(
  host: string,
  url: URL,
  { resolveName }: HostRules,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = resolveName(host).catch((error) => {
    throw new WebFetchError({ url: shownAddress(url), problem: 'its host is not known' }, { cause: error });
  });
  return Promise.race([answer, rejectAt(signal)]);
}

/** The system's look-up cannot be stopped, so its result is ignored. */
function rejectAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function isAllowed(url: URL, allowHosts: readonly string[]): boolean {
  const host = hostOf(url);
  const port = url.port || DEFAULT_PORTS[url.protocol];
  return allowHosts.some((entry) => {
    const allowed = parseAllowedHost(entry);
    return allowed?.host === host && (allowed.port === undefined || allowed.port === port);
  });
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Brought into the spelling of `hostOf`. An entry that is no host allows nothing. */
function parseAllowedHost(entry: string): { readonly host: string; readonly port: string | undefined } | undefined {
  const text = entry.trim();
  const [, written = '', port] = isIP(text) === 6 ? [text, `[${text}]`] : (/^(.*?)(?::(\d+))?$/s.exec(text) ?? []);
  // Nothing but a host: a path, a user or a question would mean more than is compared.
  if (!/^[^\s/\\?#@]+$/.test(written) || !URL.canParse(`http://${written}`)) return undefined;
  return { host: hostOf(new URL(`http://${written}`)), port };
}
