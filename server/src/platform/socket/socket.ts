import type { FastifyInstance } from 'fastify';
import { Server, type Socket } from 'socket.io';
import { handshakeNetwork } from '../http/caller-address.ts';
import { type HostClaim, isRequestedOrigin, type RewriteAddress } from '../http/requested-host.ts';
import { newSessionId } from '../processes/session-forwarding.ts';
import { limitUnjoined } from './unjoined.ts';

const MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * Attaches a Socket.IO server at its default path. The modules define rooms and events. It closes before the HTTP
 * server, which would otherwise wait for its connections.
 * @param publicUrl own address, whose pages may connect also where a proxy changes the host
 * @param unjoinedMax connections of one network that have joined no room
 */
export function attachSockets(
  app: FastifyInstance,
  { publicUrl, unjoinedMax }: { publicUrl: string; unjoinedMax: number },
): Server {
  const { isTrustedProxy } = app;
  const ownOrigin = new URL(publicUrl).origin;
  const sockets = new Server(app.server, {
    serveClient: false,
    maxHttpBufferSize: MESSAGE_BYTES_MAX,
    connectTimeout: 10_000,
    pingInterval: 25_000,
    pingTimeout: 20_000,
    // Refuses pages of other sites: no CORS header, and the browser's Origin must be this host. Programs send no Origin;
    // browsers always do when they open a websocket.
    allowRequest: ({ headers, socket: { remoteAddress } }, decide) => {
      const { origin } = headers;
      const isOwn = origin === undefined || origin === ownOrigin;
      decide(null, isOwn || isRequestedOrigin({ headers, remoteAddress }, isTrustedProxy));
    },
  });
  sockets.engine.generateId = newSessionId;
  limitUnjoined(sockets, (request) => handshakeNetwork(request, isTrustedProxy), unjoinedMax);
  app.addHook('preClose', async () => {
    // Closes the connections, not the sockets: a client reconnects after a lost connection, but not after a disconnect
    // by the server.
    sockets.engine.close();
  });
  return sockets;
}

/** Sends events to one connection. */
export type SocketSender = {
  emit(event: string, body: unknown): void;
  /** Rewrites addresses so that this client can open them. */
  rewriteAddress: RewriteAddress;
  /** Messages queued because the client does not read. */
  backlog(): number;
  /** Resolves when the queue is empty; rejects after {@link DRAIN_TIMEOUT_MS}. */
  drained(): Promise<void>;
  /** Closes the connection; the client reconnects and joins again. */
  drop(): void;
  /** Disconnects permanently: the client does not reconnect. */
  sendAway(): void;
};

const DRAIN_TIMEOUT_MS = 15_000;

/** The sender of a connection, shared by all rooms that it has joined. */
export function createSocketSender(
  socket: Socket,
  addressRewriterOf: (claim: HostClaim) => RewriteAddress,
): SocketSender {
  const { conn: engineConnection } = socket;
  const { headers } = socket.handshake;
  // Messages since the last drain, which the connection queues while the client does not read.
  let backlog = 0;
  engineConnection.on('drain', () => (backlog = 0));
  return {
    emit: (event, body) => {
      backlog += 1;
      socket.emit(event, body);
    },
    rewriteAddress: addressRewriterOf({ headers, remoteAddress: engineConnection.remoteAddress }),
    backlog: () => backlog,
    // socket.io clients reconnect after a closed transport, not after a disconnect by the server.
    drop: () => engineConnection.close(true),
    sendAway: () => void socket.disconnect(true),
    drained: () =>
      new Promise<void>((resolve, reject) => {
        if (backlog === 0) return resolve();
        const settleDrain = (error?: Error): void => {
          clearTimeout(timer);
          engineConnection.off('drain', onDrain);
          engineConnection.off('close', onClose);
          if (error) reject(error);
          else resolve();
        };
        const onDrain = (): void => settleDrain();
        const onClose = (): void => settleDrain(new Error('the connection ended'));
        const timer = setTimeout(() => settleDrain(new Error('the client does not read')), DRAIN_TIMEOUT_MS);
        engineConnection.once('drain', onDrain);
        engineConnection.once('close', onClose);
      }),
  };
}
