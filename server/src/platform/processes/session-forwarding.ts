import cluster from 'node:cluster';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { newToken } from '../ids.ts';

/** Name of the variable with the folder of the sockets between API processes. */
export const SOCKET_FOLDER = 'API_SOCKETS';

/** Name of a session of a process: the number of the process comes first. */
const SESSION = /^\/socket\.io\/\?(?:.*&)?sid=(\d+)\./;

/** Names a new session. */
export const newSessionId = (): string => `${cluster.worker?.id ?? 0}.${newToken()}`;

/**
 * A Socket.IO session by polling is many requests, on connections that any API process may accept: those of another process's
 * session are forwarded to it. Sessions by websocket stay where they began. To be called when all listeners are attached.
 * @param folder of the sockets between the processes; private to this user
 * @returns stops it
 */
export function forwardSessions(server: Server, folder: string): () => void {
  const own = String(cluster.worker?.id);
  const at = (id: string): string => join(folder, `${id}.sock`);
  const inner = createServer();
  for (const event of ['request', 'upgrade'] as const) {
    const listeners = server.listeners(event);
    const accept = (...args: unknown[]): void => {
      for (const listener of listeners) Reflect.apply(listener, server, args);
    };
    server.removeAllListeners(event);
    inner.on(event, accept);
    server.on(event, (message: IncomingMessage, ...rest: unknown[]) => {
      const [, id] = SESSION.exec(message.url ?? '') ?? [];
      if (id === undefined || id === own) accept(message, ...rest);
      else if (event === 'request') forward(at(id), message, rest[0] as ServerResponse);
      else forwardUpgrade(at(id), message, rest[0] as Duplex, rest[1] as Buffer);
    });
  }
  inner.listen({ path: at(own), exclusive: true });
  return () => {
    inner.close();
    inner.closeAllConnections();
  };
}

function forward(path: string, message: IncomingMessage, response: ServerResponse): void {
  const { method, url } = message;
  // A connection of its own, which this side ends: the other side would close it while the last of the body is being written.
  const headers = { ...message.headers, connection: 'keep-alive' };
  const forwarded = request({ socketPath: path, method, path: url, headers, agent: false }, (reply) => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = reply.headers;
    response.writeHead(reply.statusCode ?? 502, headers);
    reply.pipe(response);
  });
  // The process is gone, and the session with it: the client opens another one.
  forwarded.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(400).end();
  });
  response.once('close', () => forwarded.destroy());
  message.pipe(forwarded);
}

function forwardUpgrade(path: string, message: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method = '', url = '', httpVersion, rawHeaders } = message;
  const inner = connect(path, () => {
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    inner.write(`${method} ${url} HTTP/${httpVersion}\r\n${lines}\r\n`);
    inner.write(head);
    inner.pipe(socket).pipe(inner);
  });
  for (const [one, other] of [
    [inner, socket],
    [socket, inner],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
}
