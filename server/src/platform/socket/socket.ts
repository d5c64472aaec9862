import type { FastifyInstance } from 'fastify';
import { Server, type Socket } from 'socket.io';
import { newSessionId } from '../processes/session-forwarding.ts';
import { requestedHost, type AddressRewriterForHost, type RewriteAddress } from '../http/requested-host.ts';

const MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * Attaches a Socket.IO server at its default path. The modules define rooms and events. It is closed before the HTTP
 * server, which would otherwise wait for its connections.
 */
export function attachSockets(app: FastifyInstance): Server {
  const sockets = new Server(app.server, {
    serveClient: false,
    maxHttpBufferSize: MESSAGE_BYTES_MAX,
    connectTimeout: 10_000,
    pingInterval: 25_000,
    pingTimeout: 20_000,
    // Pages of other sites get no answer: no CORS header, and the browser's Origin must be this host.
    allowRequest: (request, decide) => decide(null, isSameOrigin(request.headers.origin, request.headers.host)),
  });
  sockets.engine.generateId = newSessionId;
  app.addHook('preClose', async () => {
    // Closes the connections, not the sockets: a client that the server disconnects stays away, a client that lost its
    // connection reconnects.
    sockets.engine.close();
  });
  return sockets;
}

// Programs send no Origin, browsers always do when they open a websocket.
function isSameOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
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
export function createSocketSender(socket: Socket, addressRewriterFor: AddressRewriterForHost): SocketSender {
  const { conn } = socket;
  const { host, origin = 'http:' } = socket.handshake.headers;
  // Messages since the connection last drained: it queues them while the client does not read.
  let backlog = 0;
  conn.on('drain', () => (backlog = 0));
  return {
    emit: (event, body) => {
      backlog += 1;
      socket.emit(event, body);
    },
    // A browser's origin is the host that it asked (see socket.ts), and shows what a proxy may have removed: https.
    rewriteAddress: addressRewriterFor(requestedHost(origin.startsWith('https:') ? 'https' : 'http', host)),
    backlog: () => backlog,
    // socket.io clients reconnect after a closed transport, not after a disconnect by the server.
    drop: () => conn.close(true),
    sendAway: () => void socket.disconnect(true),
    drained: () =>
      new Promise<void>((resolve, reject) => {
        if (backlog === 0) return resolve();
        const end = (error?: Error): void => {
          clearTimeout(timer);
          conn.off('drain', onDrain);
          conn.off('close', onClose);
          if (error) reject(error);
          else resolve();
        };
        const onDrain = (): void => end();
        const onClose = (): void => end(new Error('the connection ended'));
        const timer = setTimeout(() => end(new Error('the client does not read')), DRAIN_TIMEOUT_MS);
        conn.once('drain', onDrain);
        conn.once('close', onClose);
      }),
  };
}
