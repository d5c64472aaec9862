import type { FastifyRequest } from 'fastify';
import { networkPrefix, parseIpAddress } from './ip-address.ts';

/** Where a call comes from. */
export type Caller = {
  /** Always an IP address in the form of `parseIpAddress`. */
  address: string;
  /** What rate limits count by: the network of the address, see `networkOf`. */
  group: string;
};

/** Of a connection that is gone before its address is asked for. */
const UNKNOWN = '0.0.0.0';

/**
 * The caller's address: the last entry of X-Forwarded-For that is not a trusted proxy. If it is not an address, the proxy
 * that reported it is the caller.
 */
export function callerAddress(request: FastifyRequest): Caller {
  // Ordered from the socket to the first untrusted hop.
  const hops = request.ips ?? [request.ip];
  const address = hops.map(parseIpAddress).findLast((one) => one !== undefined) ?? UNKNOWN;
  return { address, group: networkPrefix(address) };
}
