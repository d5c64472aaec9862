import type { UploadLanes } from './upload-admission.ts';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type NetworkMatcher, networkPrefix, parseIpAddress } from './caller-address.ts';
import { monotonicMs } from '../time.ts';

/** How long a client may take, and how many connections there may be. */
export type HttpLimits = {
  /** How long the head of a request may take, and then its body, in ms; uploads have their own timeout. */
  requestPatienceMs: number;
  /** An upload has to deliver 16 kB in each window of this many ms. */
  uploadWindowMs: number;
  /** Concurrent uploads, slips and chat files together. */
  uploads: UploadLanes;
  /** Maximum number of connections. */
  connectionsMax: number;
  /** Maximum number of connections per address; unlimited for a trusted proxy. */
  connectionsPerAddress: number;
};

/** Average event loop delay, in ms, past which calls are refused with Retry-After. */
export const EVENT_LOOP_DELAY_MAX_MS = 1_000;

const MEGABYTE = 1024 * 1024;

/** A mobile network has hundreds of its customers behind one address; see limitConnections. */
export const HTTP_LIMITS: HttpLimits = {
  requestPatienceMs: 30_000,
  uploadWindowMs: 15_000,
  // Memory is bounded by their bytes; a slot itself costs next to nothing.
  uploads: { member: { slots: 48, bytes: 160 * MEGABYTE }, visitor: { slots: 12, bytes: 40 * MEGABYTE } },
  connectionsMax: 10_000,
  connectionsPerAddress: 1_000,
};

/** The part of one of several processes in limits that hold for all together. */
export function perProcessLimits(limits: HttpLimits, processes: number): HttpLimits {
  const part = (all: number): number => Math.ceil(all / processes);
  const { member, visitor } = limits.uploads;
  const lane = ({ slots, bytes }: typeof member) => ({ slots: part(slots), bytes: part(bytes) });
  return {
    ...limits,
    uploads: { member: lane(member), visitor: lane(visitor) },
    connectionsMax: part(limits.connectionsMax),
    connectionsPerAddress: part(limits.connectionsPerAddress),
  };
}

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
    const key = networkPrefix(address);
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

/**
 * Closes connections whose request body is not complete in time. Uploads have their own timeout, so the server's global
 * timeout has to be as long as the longest of them.
 * @param ms from the head of a request to the last byte of its body
 */
export function useBodyTimeout(app: FastifyInstance, ms: number): void {
  app.addHook('onRequest', async (request) => {
    if (!hasBody(request) || request.routeOptions.config.endpoint?.upload === true) return;
    const { raw } = request;
    const timer = setTimeout(() => raw.socket.destroy(), ms);
    timer.unref();
    raw.once('close', () => clearTimeout(timer));
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const WINDOW_MS = 60_000;
/** Bound on memory: past it all counts restart, which lets through at most one extra window. */
const ADDRESSES_MAX = 50_000;

/**
 * Counts the requests of each network (`Caller.group`) in this process, so that one client can't exhaust the server
 * before anything costly runs. Limits that protect money and logins are counted in the database, for all nodes.
 * @returns seconds to wait when the network exceeds its limit; undefined otherwise
 */
export function floodGuard(perMinute: number): (network: string) => number | undefined {
  const hits = new Map<string, number>();
  let windowEnd = 0;
  return (network) => {
    const now = monotonicMs();
    if (now >= windowEnd || hits.size >= ADDRESSES_MAX) {
      hits.clear();
      windowEnd = now + WINDOW_MS;
    }
    const count = (hits.get(network) ?? 0) + 1;
    hits.set(network, count);
    return count > perMinute ? Math.ceil((windowEnd - now) / 1000) : undefined;
  };
}
