// Distinguishes addresses of the open internet from all others. An address counts as private unless it is known to be
// public: of IPv6 only the range that is assigned to hosts is public, and an address that contains an IPv4 address is
// also judged by that one.

import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Takes an address as the system writes it, without brackets. Any other text is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE.check(address, 'ipv4');
  // Only addresses that are not public need a zone.
  if (!isIPv6(address) || address.includes('%')) return false;
  return HANDED_OUT.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6');
}

/** Ranges that lead to this machine, to its neighbours or to no host, with the length of their prefix in bits. */
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

const PRIVATE = new BlockList();
for (const [base, bits] of PRIVATE_IPV4) {
  PRIVATE.addSubnet(base, bits, 'ipv4');
  // A network without IPv4 reaches the rest of the internet through this range.
  PRIVATE.addSubnet(`64:ff9b::${base}`, 96 + bits, 'ipv6');
  // A 6to4 address contains the address of the router that unpacks it.
  PRIVATE.addSubnet(`2002:${inGroups(base)}::`, 16 + bits, 'ipv6');
}
PRIVATE.addSubnet('2001::', 23, 'ipv6'); // protocols of the internet itself, Teredo among them
PRIVATE.addSubnet('2001:db8::', 32, 'ipv6'); // documentation
PRIVATE.addSubnet('3fff::', 20, 'ipv6'); // documentation

/**
 * This range has no loopback, link-local, unique local or multicast address, and no IPv4 address in another spelling.
 */
const HANDED_OUT = new BlockList();
HANDED_OUT.addSubnet('2000::', 3, 'ipv6');
HANDED_OUT.addSubnet('64:ff9b::', 96, 'ipv6');

/** The four bytes of an IPv4 address as two groups of an IPv6 address. */
function inGroups(base: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = base.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(':');
}
