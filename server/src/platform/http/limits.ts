import type { UploadLanes } from './upload-admission.ts';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tokenOf } from './caller.ts';
import { type NetworkMatcher, networkPrefix, parseIpAddress } from './caller-address.ts';

/** Limits of client timing and of connections. */
export type HttpLimits = {
  /** Timeout of the head of a request, and then of its body, in ms. Uploads have a separate timeout. */
  requestPatienceMs: number;
  /** Window in which an upload has to deliver 16 kB, in ms. */
  uploadWindowMs: number;
  /** Concurrent uploads: slips and chat files together. */
  uploads: UploadLanes;
  /** Maximum number of connections. */
  connectionsMax: number;
  /** Maximum number of connections per address; unlimited for a trusted proxy. */
  connectionsPerAddress: number;
};

/** Average event loop delay, in ms, past which calls are refused with Retry-After. */
export const EVENT_LOOP_DELAY_MAX_MS = 1_000;

const MEGABYTE = 1024 * 1024;

/** A mobile network has hundreds of customers behind one address; see limitConnections. */
export const HTTP_LIMITS: HttpLimits = {
  requestPatienceMs: 30_000,
  uploadWindowMs: 15_000,
  // The byte limits bound memory; a slot itself costs next to nothing.
  uploads: { member: { slots: 48, bytes: 160 * MEGABYTE }, visitor: { slots: 12, bytes: 40 * MEGABYTE } },
  connectionsMax: 10_000,
  connectionsPerAddress: 1_000,
};

/** The share of one process in limits for all processes together. */
export function perProcessLimits(limits: HttpLimits, processes: number): HttpLimits {
  const perProcess = (total: number): number => Math.ceil(total / processes);
  const { member, visitor } = limits.uploads;
  const lane = ({ slots, bytes }: typeof member) => ({ slots: perProcess(slots), bytes: perProcess(bytes) });
  return {
    ...limits,
    uploads: { member: lane(member), visitor: lane(visitor) },
    connectionsMax: perProcess(limits.connectionsMax),
    connectionsPerAddress: perProcess(limits.connectionsPerAddress),
  };
}

/**
 * Connections of one address. Idle connections are also in `waiting`, the longest idle first; those that send the body
 * of a request without a session are in `receiving`.
 */
type AddressConnections = { open: Set<Socket>; waiting: Set<Socket>; receiving: Set<Socket> };

/**
 * Keeps one machine from occupying all connections with requests that never end. One address may belong to many users
 * whose browsers keep idle connections. Above the limit the longest idle connection is closed, or else the one that has
 * longest been sending a request without a session; when all are busy, the new one is closed before any read. Trusted
 * proxies carry many callers and are not counted.
 */
export function limitConnections(
  server: FastifyInstance['server'],
  limits: Pick<HttpLimits, 'connectionsMax' | 'connectionsPerAddress'>,
  { isTrustedProxy, isIssuedToken }: { isTrustedProxy: NetworkMatcher; isIssuedToken: (token: string) => boolean },
): void {
  server.maxConnections = limits.connectionsMax;
  const connectionsByAddress = new Map<string, AddressConnections>();
  const connectionsBySocket = new WeakMap<Socket, AddressConnections>();
  server.on('connection', (socket: Socket) => {
    const address = parseIpAddress(socket.remoteAddress);
    if (address === undefined || isTrustedProxy(address)) return;
    const key = networkPrefix(address);
    const addressConnections = connectionsByAddress.get(key) ?? {
      open: new Set(),
      waiting: new Set(),
      receiving: new Set(),
    };
    if (addressConnections.open.size >= limits.connectionsPerAddress && !makeRoom(addressConnections))
      return void socket.destroy();
    connectionsByAddress.set(key, addressConnections);
    connectionsBySocket.set(socket, addressConnections);
    addressConnections.open.add(socket);
    addressConnections.waiting.add(socket);
    socket.once('close', () => {
      addressConnections.open.delete(socket);
      addressConnections.waiting.delete(socket);
      addressConnections.receiving.delete(socket);
      if (addressConnections.open.size === 0 && connectionsByAddress.get(key) === addressConnections)
        connectionsByAddress.delete(key);
    });
  });
  server.on('request', (request: FastifyRequest['raw'], response: FastifyReply['raw']) => {
    const { socket } = request;
    const addressConnections = connectionsBySocket.get(socket);
    if (!addressConnections) return;
    addressConnections.waiting.delete(socket);
    if (!request.complete && !isIssuedToken(tokenOf(request.headers.authorization) ?? '')) {
      addressConnections.receiving.add(socket);
      request.once('end', () => addressConnections.receiving.delete(socket));
    }
    response.once('close', () => {
      addressConnections.receiving.delete(socket);
      if (addressConnections.open.has(socket)) addressConnections.waiting.add(socket);
    });
  });
  // An upgraded connection (websocket) is busy until it ends.
  server.on('upgrade', ({ socket }: FastifyRequest['raw']) => connectionsBySocket.get(socket)?.waiting.delete(socket));
}

function makeRoom({ open, waiting, receiving }: AddressConnections): boolean {
  const [longest] = waiting.size > 0 ? waiting : receiving;
  if (!longest) return false;
  for (const connections of [open, waiting, receiving]) connections.delete(longest);
  longest.destroy();
  return true;
}

/**
 * Closes connections whose request body is not complete in time. Uploads have a separate timeout, so the server's
 * global timeout is as long as the longest upload.
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
