import type { FastifyInstance } from 'fastify';
import { Server } from 'socket.io';
import { newSessionId } from '../processes/session-forwarding.ts';

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
