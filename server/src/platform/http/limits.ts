import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type NetworkMatcher, networkPrefix, parseIpAddress } from './caller-address.ts';
import { tokenOf } from './caller.ts';
import type { UploadLanes } from './upload-admission.ts';

/** Limits of client timing and of connections. */
export type HttpLimits = {
  /** Timeout of the head of a request, and then of its body, in ms. Uploads have a separate timeout. */
  requestTimeoutMs: number;
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

/** A mobile network has hundreds of customers behind one address. */
export const HTTP_LIMITS: HttpLimits = {
  requestTimeoutMs: 30_000,
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

type AddressConnections = {
  open: Set<Socket>;
  /** Open ones without a request, the longest idle first. */
  idle: Set<Socket>;
  /** Open ones that send the body of a request without a session. */
  sending: Set<Socket>;
};

/**
 * Limits the connections of one address, so that one machine can't occupy all. Trusted proxies are not limited.
 * Above the limit the longest idle connection is closed, else the longest sending one, else the new one.
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
      idle: new Set(),
      sending: new Set(),
    };
    if (addressConnections.open.size >= limits.connectionsPerAddress && !closeLongest(addressConnections))
      return void socket.destroy();
    connectionsByAddress.set(key, addressConnections);
    connectionsBySocket.set(socket, addressConnections);
    addressConnections.open.add(socket);
    addressConnections.idle.add(socket);
    socket.once('close', () => {
      addressConnections.open.delete(socket);
      addressConnections.idle.delete(socket);
      addressConnections.sending.delete(socket);
      if (addressConnections.open.size === 0 && connectionsByAddress.get(key) === addressConnections)
        connectionsByAddress.delete(key);
    });
  });
  server.on('request', (request: FastifyRequest['raw'], response: FastifyReply['raw']) => {
    const { socket } = request;
    const addressConnections = connectionsBySocket.get(socket);
    if (!addressConnections) return;
    addressConnections.idle.delete(socket);
    if (!request.complete && !isIssuedToken(tokenOf(request.headers.authorization) ?? '')) {
      addressConnections.sending.add(socket);
      request.once('end', () => addressConnections.sending.delete(socket));
    }
    response.once('close', () => {
      addressConnections.sending.delete(socket);
      if (addressConnections.open.has(socket)) addressConnections.idle.add(socket);
    });
  });
  // An upgraded connection (websocket) is busy until it ends.
  server.on('upgrade', ({ socket }: FastifyRequest['raw']) => connectionsBySocket.get(socket)?.idle.delete(socket));
}

/** Closes a connection for a new one. @returns false if all are busy */
function closeLongest({ open, idle, sending }: AddressConnections): boolean {
  const [longest] = idle.size > 0 ? idle : sending;
  if (!longest) return false;
  for (const connections of [open, idle, sending]) connections.delete(longest);
  longest.destroy();
  return true;
}

/**
 * Closes connections whose request body is not complete in time. Uploads have a separate timeout.
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
