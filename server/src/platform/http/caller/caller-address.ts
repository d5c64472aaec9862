import type { FastifyRequest } from 'fastify';
import { networkOf, parseIpAddress } from './ip-address.ts';

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
 * The address that a request comes from: the last one of X-Forwarded-For that is no trusted proxy. Where it is not an
 * address, the proxy that reported it is the caller.
 */
export function callerOf(request: FastifyRequest): Caller {
  // From the socket to the first hop that is not trusted.
  const hops = request.ips ?? [request.ip];
  const address = hops.map(parseIpAddress).findLast((one) => one !== undefined) ?? UNKNOWN;
  return { address, group: networkOf(address) };
}
