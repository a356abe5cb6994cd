import { BlockList, isIP } from 'node:net';

/** What is behind the user's own door: loopback, private, link-local, shared, reserved and multicast addresses. */
const INSIDE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  INSIDE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // Teredo and other protocols, documentation, and 6to4, which carries an IPv4 address inside it.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  INSIDE.addSubnet(network, prefix, 'ipv6');

/** All other IPv6 is loopback, local, translated from IPv4 in one of many ways, or given to nobody. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');

/** A host of a URL that is an address and no name. */
export function isAddress(host: string): boolean {
  return isIP(withoutBrackets(host)) !== 0;
}

/** Whether an address belongs to this machine or to a network behind it, or to nobody. */
export function isInside(address: string): boolean {
  if (isIP(address) !== 6) return INSIDE.check(address, 'ipv4');
  return !GLOBAL.check(address, 'ipv6') || INSIDE.check(address, 'ipv6');
}

/** Whether a request to this host stays on this machine by what the host is called. */
export function isLoopback(host: string): boolean {
  const name = withoutBrackets(host);
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true;
  return isIP(name) === 4 && name.startsWith('127.');
}

export function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}
