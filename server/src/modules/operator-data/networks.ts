import { isIP } from 'node:net';

const IPV6_GROUPS = 8;
const GROUP_BITS = 16n;

/**
 * A canonical text of a network in CIDR form, equal for all spellings of it.
 * @returns undefined if it is no network, or has bits set after its prefix
 */
export function networkKey(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  if (family === 0 || rest.length > 0 || address.includes('%')) return undefined;
  if (prefix === undefined || !/^(?:0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bits) return undefined;
  const value = family === 6 ? ipv6Value(address) : ipv4Value(address);
  const hostBits = BigInt(bits - Number(prefix));
  return (value >> hostBits) << hostBits === value ? `${family}:${value}/${prefix}` : undefined;
}

const ipv4Value = (address: string): bigint =>
  address.split('.').reduce((value, octet) => (value << 8n) + BigInt(octet), 0n);

function ipv6Value(address: string): bigint {
  const lastColon = address.lastIndexOf(':');
  const tail = address.slice(lastColon + 1);
  // The last 32 bits may be an IPv4 address.
  const hexAddress = tail.includes('.')
    ? `${address.slice(0, lastColon + 1)}${(ipv4Value(tail) >> GROUP_BITS).toString(16)}:${(ipv4Value(tail) & 0xffffn).toString(16)}`
    : address;
  const [head = '', end] = hexAddress.split('::');
  const headGroups = head.split(':').filter(Boolean);
  const endGroups = (end ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: IPV6_GROUPS - headGroups.length - endGroups.length }, () => '0');
  return [...headGroups, ...zeros, ...endGroups].reduce(
    (value, group) => (value << GROUP_BITS) + BigInt(`0x${group}`),
    0n,
  );
}
