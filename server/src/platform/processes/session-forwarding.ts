import cluster from 'node:cluster';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { newToken } from '../ids.ts';

/** Environment variable with the folder of the sockets between API processes. */
export const SOCKET_FOLDER = 'API_SOCKETS';

/** URL of a Socket.IO session. The session id begins with the number of its process. */
const SESSION_URL = /^\/socket\.io\/\?(?:.*&)?sid=(\d+)\./;

export const newSessionId = (): string => `${cluster.worker?.id ?? 0}.${newToken()}`;

/**
 * Forwards Socket.IO polling requests to the process of their session. Such a session consists of many requests, on
 * connections that any API process may accept. A websocket session stays in its first process. Call it when all
 * listeners are attached.
 * @param folder of the sockets between the processes; private to this user
 * @returns a function that stops the forwarding
 */
export function forwardSessions(server: Server, folder: string): () => void {
  const ownWorkerId = String(cluster.worker?.id);
  const socketPath = (id: string): string => join(folder, `${id}.sock`);
  const innerServer = createServer();
  for (const event of ['request', 'upgrade'] as const) {
    const listeners = server.listeners(event);
    const callListeners = (...args: unknown[]): void => {
      for (const listener of listeners) Reflect.apply(listener, server, args);
    };
    server.removeAllListeners(event);
    innerServer.on(event, callListeners);
    server.on(event, (message: IncomingMessage, ...eventArgs: unknown[]) => {
      const [, id] = SESSION_URL.exec(message.url ?? '') ?? [];
      if (id === undefined || id === ownWorkerId) callListeners(message, ...eventArgs);
      else if (event === 'request') forwardRequest(socketPath(id), message, eventArgs[0] as ServerResponse);
      else forwardUpgrade(socketPath(id), message, eventArgs[0] as Duplex, eventArgs[1] as Buffer);
    });
  }
  innerServer.listen({ path: socketPath(ownWorkerId), exclusive: true });
  return () => {
    innerServer.close();
    innerServer.closeAllConnections();
  };
}

function forwardRequest(path: string, message: IncomingMessage, response: ServerResponse): void {
  const { method, url } = message;
  // A separate connection, which this side closes: the other side would close it while the end of the body is being
  // written.
  const headers = { ...message.headers, connection: 'keep-alive' };
  const forwardedRequest = request({ socketPath: path, method, path: url, headers, agent: false }, (reply) => {
    const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = reply.headers;
    response.writeHead(reply.statusCode ?? 502, headers);
    reply.pipe(response);
  });
  // The process has ended, and the session with it: the client opens another session.
  forwardedRequest.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(400).end();
  });
  response.once('close', () => forwardedRequest.destroy());
  message.pipe(forwardedRequest);
}

function forwardUpgrade(path: string, message: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method = '', url = '', httpVersion, rawHeaders } = message;
  const innerSocket = connect(path, () => {
    const headerLines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    innerSocket.write(`${method} ${url} HTTP/${httpVersion}\r\n${headerLines}\r\n`);
    innerSocket.write(head);
    innerSocket.pipe(socket).pipe(innerSocket);
  });
  for (const [fromSocket, toSocket] of [
    [innerSocket, socket],
    [socket, innerSocket],
  ] as const) {
    fromSocket.on('error', () => toSocket.destroy());
    fromSocket.once('close', () => toSocket.destroy());
  }
}
