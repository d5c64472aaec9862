import { BlockList, isIP, type Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../caller/network-of.ts';
import type { HttpLimits } from './http-limits.ts';

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Connections of one address; idle ones are also in `waiting`, the longest idle first. */
type Share = { open: Set<Socket>; waiting: Set<Socket> };

/**
 * Keeps one machine from taking every connection with requests that never end. One address may stand for many users
 * whose browsers keep idle connections: past the limit the connection that has been idle longest is closed for the next
 * one, and when all are busy the next is closed before anything is read from it. Trusted proxies carry many callers and
 * are not counted.
 * @param trustedProxies addresses and networks, comma-separated, or names such as `loopback`
 */
export function limitConnections(
  server: FastifyInstance['server'],
  limits: Pick<HttpLimits, 'connectionsMax' | 'connectionsPerAddress'>,
  trustedProxies: string,
): void {
  server.maxConnections = limits.connectionsMax;
  const trusted = listOf(trustedProxies);
  const shares = new Map<string, Share>();
  const shareOf = new WeakMap<Socket, Share>();
  server.on('connection', (socket: Socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    if (isIP(address) === 0 || trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return;
    const key = networkOf(address);
    const share = shares.get(key) ?? { open: new Set(), waiting: new Set() };
    if (share.open.size >= limits.connectionsPerAddress && !makeRoom(share)) return void socket.destroy();
    shares.set(key, share);
    shareOf.set(socket, share);
    share.open.add(socket);
    share.waiting.add(socket);
    socket.once('close', () => {
      share.open.delete(socket);
      share.waiting.delete(socket);
      if (share.open.size === 0 && shares.get(key) === share) shares.delete(key);
    });
  });
  server.on('request', ({ socket }: FastifyRequest['raw'], response: FastifyReply['raw']) => {
    const share = shareOf.get(socket);
    share?.waiting.delete(socket);
    response.once('close', () => {
      if (share?.open.has(socket)) share.waiting.add(socket);
    });
  });
  // An upgraded connection (websocket) is busy until it ends.
  server.on('upgrade', ({ socket }: FastifyRequest['raw']) => shareOf.get(socket)?.waiting.delete(socket));
}

function makeRoom({ open, waiting }: Share): boolean {
  const [longest] = waiting;
  if (!longest) return false;
  open.delete(longest);
  waiting.delete(longest);
  longest.destroy();
  return true;
}

function listOf(trustedProxies: string): BlockList {
  const list = new BlockList();
  for (const one of trustedProxies.split(',').map((name) => name.trim())) {
    for (const network of NAMED[one] ?? [one]) {
      const [address = '', bits] = network.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (isIP(address) === 0) continue;
      if (bits === undefined) list.addAddress(address, family);
      else list.addSubnet(address, prefixOf(bits), family);
    }
  }
  return list;
}

/** The prefix length of a network, written as `8` or, as is also accepted for proxies, as `255.0.0.0`. */
function prefixOf(bits: string): number {
  if (!bits.includes('.')) return Number(bits);
  const ones = bits.split('.').map((part) => Number(part).toString(2).replaceAll('0', '').length);
  return ones.reduce((sum, count) => sum + count, 0);
}
