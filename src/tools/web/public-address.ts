// Tells an address of the open internet from every other one. Whatever is not known to be public counts as private: for
// IPv6 only the range that is handed out to hosts is public, and an address that carries an IPv4 address inside is
// judged by that one too.

import { isIPv4, isIPv6 } from 'node:net';

/** Takes an address as the system writes it, without brackets. Anything else is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicIPv4(bytesOfIPv4(address));
  // A zone is only ever needed for addresses that are not public.
  return isIPv6(address) && !address.includes('%') && isPublicIPv6(groupsOfIPv6(address));
}

/** First bytes of ranges that lead to this machine, to its neighbours or to nobody, with their length in bits. */
const PRIVATE_IPV4: readonly (readonly [base: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // shared by the customers of a carrier
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a cloud's service to its own hosts, although the number looks public
  ['169.254.0.0', 16], // link-local, with the metadata services of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays into 6to4
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, with broadcast
];

function isPublicIPv4(bytes: readonly number[]): boolean {
  const number = numberOf(bytes);
  return PRIVATE_IPV4.every(([base, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(number / size) !== Math.floor(numberOf(bytesOfIPv4(base)) / size);
  });
}

function isPublicIPv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = groups;
  const startsWith = (...expected: readonly number[]) => expected.every((group, at) => groups[at] === group);
  // A network without IPv4 reaches the rest of the internet through this range.
  if (startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return isPublicIPv4(bytesOfGroups(groups.slice(6)));
  // Only this eighth of all addresses belongs to hosts on the internet: no loopback, link-local, unique local,
  // multicast, and no IPv4 address in another spelling.
  if (first >> 13 !== 1) return false;
  // 6to4 carries the address of the router that unpacks it.
  if (first === 0x2002) return isPublicIPv4(bytesOfGroups([second, third]));
  // Protocols of the internet itself, Teredo among them, and two ranges for documentation.
  const isProtocol = first === 0x2001 && second < 0x0200;
  const isDocumentation = (first === 0x2001 && second === 0x0db8) || (first === 0x3fff && second < 0x1000);
  return !isProtocol && !isDocumentation;
}

function bytesOfIPv4(address: string): readonly number[] {
  return address.split('.').map(Number);
}

function bytesOfGroups(groups: readonly number[]): readonly number[] {
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

function numberOf(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** The eight groups of an address that is known to be one. */
function groupsOfIPv6(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = groupsOfPart(head);
  if (tail === undefined) return before;
  const after = groupsOfPart(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsOfPart(part: string): readonly number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = bytesOfIPv4(group);
    return [(a << 8) | b, (c << 8) | d];
  });
}
