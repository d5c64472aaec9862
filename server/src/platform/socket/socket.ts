import type { FastifyInstance } from 'fastify';
import { Server } from 'socket.io';

const MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * Attaches a Socket.IO server at its default path. What rooms and events mean belongs to the modules. It is closed
 * before the HTTP server, which would wait for its connections otherwise.
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
  app.addHook('preClose', async () => {
    // The connections, not the sockets: a client that was told to go stays away, one that lost its connection comes back.
    sockets.engine.close();
  });
  return sockets;
}

// Programs send no Origin, browsers always do when they open a websocket.
function isSameOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
