import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { networkOf } from './network-of.ts';

/** Where a call comes from. */
export type Caller = {
  /** Always an IP address; IPv4 in dotted form. */
  address: string;
  /**
   * What rate limits count by: the address, or the /64 network of an IPv6 address, because one household has all of it.
   */
  group: string;
};

/** Of a connection that is gone before its address is asked for. */
const UNKNOWN = '0.0.0.0';
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The address that a request comes from. A forwarded value that is no address is ignored; then the proxy itself is the
 * caller.
 */
export function callerOf(request: FastifyRequest): Caller {
  const given = plain(request.ip);
  const address = isIP(given) > 0 ? given : plain(request.socket.remoteAddress);
  return { address, group: networkOf(address) };
}

/** Undefined, though the framework's type excludes it, when the caller has reset the connection meanwhile. */
function plain(address: string | undefined): string {
  const known = address ?? UNKNOWN;
  return MAPPED.exec(known)?.[1] ?? (known.split('%')[0] as string);
}
