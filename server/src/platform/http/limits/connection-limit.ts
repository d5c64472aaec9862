import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type NetworkMatcher, networkOf, parseIpAddress } from '../caller/ip-address.ts';
import type { HttpLimits } from './http-limits.ts';

/** Connections of one address; idle ones are also in `waiting`, the longest idle first. */
type Share = { open: Set<Socket>; waiting: Set<Socket> };

/**
 * Keeps one machine from taking every connection with requests that never end. One address may stand for many users
 * whose browsers keep idle connections: past the limit the connection that has been idle longest is closed for the next
 * one, and when all are busy the next is closed before anything is read from it. Trusted proxies carry many callers and
 * are not counted.
 */
export function limitConnections(
  server: FastifyInstance['server'],
  limits: Pick<HttpLimits, 'connectionsMax' | 'connectionsPerAddress'>,
  isTrustedProxy: NetworkMatcher,
): void {
  server.maxConnections = limits.connectionsMax;
  const shares = new Map<string, Share>();
  const shareOf = new WeakMap<Socket, Share>();
  server.on('connection', (socket: Socket) => {
    const address = parseIpAddress(socket.remoteAddress);
    if (address === undefined || isTrustedProxy(address)) return;
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
