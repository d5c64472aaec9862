import { BlockList, isIP, SocketAddress } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Longer than any address with zone, brackets and port; bounds the parsing. */
const TEXT_MAX = 100;
const BRACKETED_ADDRESS = /^\[([^\]]*)\](?::\d{1,5})?$/;
const PORT_SUFFIX = /:\d{1,5}$/;
const ZONE_SUFFIX = /%.*$/;
const IPV4_MAPPED_PREFIX = /^::ffff:(?=\d+\.)/;

/**
 * Parses an IP address as proxies write it: with a port, brackets, a zone or spaces, which are removed.
 * @returns IPv4 in dotted form, also for IPv6 that maps IPv4; IPv6 in its canonical form (RFC 5952); undefined for
 *   anything else, such as `unknown` and the obfuscated identifiers of RFC 7239
 */
export function parseIpAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > TEXT_MAX) return undefined;
  const trimmed = text.trim();
  const host = BRACKETED_ADDRESS.exec(trimmed)?.[1] ?? trimmed;
  // Tries the whole text first: an IPv6 address may end like a port.
  const address = [host, host.replace(PORT_SUFFIX, '')]
    .map((candidate) => candidate.replace(ZONE_SUFFIX, ''))
    .find((text) => isIP(text) !== 0);
  if (address === undefined) return undefined;
  if (isIP(address) === 4) return address;
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(IPV4_MAPPED_PREFIX, '');
}

/**
 * The network that rate limits count by: the address itself for IPv4, the /64 for IPv6, which belongs to one household.
 * @param address in the form of `parseIpAddress`
 */
export function networkPrefix(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const leadingGroups = head === '' ? [] : head.split(':');
  const trailingGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: 8 - leadingGroups.length - trailingGroups.length }, () => '0');
  return `${[...leadingGroups, ...zeros, ...trailingGroups].slice(0, 4).join(':')}::/64`;
}

const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address, in any form of `parseIpAddress`, is in a set of networks. */
export type NetworkMatcher = (address: string | undefined) => boolean;

/**
 * Parses a comma-separated list of addresses, networks (`10.0.0.0/8`, `10.0.0.0/255.0.0.0`) and the names `loopback`,
 * `linklocal`, `uniquelocal`. Empty elements are skipped.
 * @returns undefined when an element is none of these, or would match every address
 */
export function parseNetworks(list: string): NetworkMatcher | undefined {
  const networks = new BlockList();
  const elements = list.split(',').map((element) => element.trim());
  for (const element of elements
    .filter((listed) => listed !== '')
    .flatMap((element) => NAMED_NETWORKS[element.toLowerCase()] ?? [element])) {
    const network = parseNetwork(element);
    if (!network) return undefined;
    networks.addSubnet(network.address, network.bits, network.family);
  }
  return (text) => {
    const address = parseIpAddress(text);
    return address !== undefined && networks.check(address, familyOf(address));
  };
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const MAPPED_BITS = 96;

function parseNetwork(text: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [addressText = '', prefix, ...rest] = text.split('/');
  const address = parseIpAddress(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  const family = familyOf(address);
  const bitsMax = family === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return { address, bits: bitsMax, family };
  // The prefix of a mapped network includes the 96 bits before the IPv4 address.
  const isMapped = family === 'ipv4' && /:.*:/.test(addressText);
  const bits = prefixLength(prefix, family) - (isMapped ? MAPPED_BITS : 0);
  return bits >= 1 && bits <= bitsMax ? { address, bits, family } : undefined;
}

/** Prefix length of a number or an IPv4 mask such as `255.0.0.0`; else NaN. */
function prefixLength(prefix: string, family: 'ipv4' | 'ipv6'): number {
  if (/^\d{1,3}$/.test(prefix)) return Number(prefix);
  if (family === 'ipv6' || isIP(prefix) !== 4) return Number.NaN;
  const bits = prefix
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('');
  return /^1+0*$/.test(bits) ? bits.replaceAll('0', '').length : Number.NaN;
}

/** Origin of a call. */
export type Caller = {
  /** Always an IP address in the form of `parseIpAddress`. */
  address: string;
  /** Key of rate limits: the network of the address, see `networkPrefix`. */
  group: string;
};

/** Address of a connection that was closed before its address was read. */
const UNKNOWN_ADDRESS = '0.0.0.0';

/**
 * The caller's address: the last entry of X-Forwarded-For that is not a trusted proxy. An entry that is no address
 * makes its proxy the caller.
 */
export function callerAddress(request: FastifyRequest): Caller {
  // Ordered from the socket to the first untrusted hop.
  return lastCaller(request.ips ?? [request.ip]);
}

function lastCaller(hops: readonly (string | undefined)[]): Caller {
  const address = hops.map(parseIpAddress).findLast((candidate) => candidate !== undefined) ?? UNKNOWN_ADDRESS;
  return { address, group: networkPrefix(address) };
}

/** The caller's network of a request that the framework does not serve, by the rule of {@link callerAddress}. */
export function handshakeNetwork({ socket, headers }: FastifyRequest['raw'], isTrustedProxy: NetworkMatcher): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const hops = [socket.remoteAddress, ...(forwarded[0] === '' ? [] : forwarded.toReversed())];
  const untrusted = hops.findIndex((hop) => !isTrustedProxy(hop));
  return lastCaller(untrusted === -1 ? hops : hops.slice(0, untrusted + 1)).group;
}
