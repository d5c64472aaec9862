import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Where a call comes from. */
export type Caller = {
  /** Always an IP address; IPv4 in dotted form. */
  address: string;
  /**
   * What rate limits count by: the address, or the /64 network of an IPv6 address, because one household has all of it.
   */
  group: string;
};

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The address that a request comes from. A forwarded value that is no address is ignored; then the proxy itself is the
 * caller.
 */
export function callerOf(request: FastifyRequest): Caller {
  const told = plain(request.ip);
  const address = isIP(told) > 0 ? told : plain(request.socket.remoteAddress ?? '0.0.0.0');
  return { address, group: isIP(address) === 6 ? networkOf(address) : address };
}

const plain = (address: string): string => MAPPED.exec(address)?.[1] ?? (address.split('%')[0] as string);

/** First four of the eight groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
