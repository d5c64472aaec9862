import type { FastifyRequest } from 'fastify';
import type { Server, Socket } from 'socket.io';

/** A connection of Engine.IO: a websocket, or a session of polling requests. */
type EngineConnection = Socket['conn'];

/** Network of the caller, see `networkPrefix`. */
type NetworkOf = (request: FastifyRequest['raw']) => string;

const releaseByConnection = new WeakMap<EngineConnection, () => void>();

/**
 * Bounds the connections of each network that have joined no room. One more closes the oldest, so that a client that
 * opens sockets and joins nothing can't keep others from connecting.
 */
export function limitUnjoined(sockets: Server, networkOf: NetworkOf, perNetworkMax: number): void {
  const unjoinedByNetwork = new Map<string, Set<EngineConnection>>();
  sockets.engine.on('connection', (connection: EngineConnection) => {
    const network = networkOf(connection.request);
    const unjoined = unjoinedByNetwork.get(network) ?? new Set();
    unjoinedByNetwork.set(network, unjoined.add(connection));
    const release = (): void => {
      releaseByConnection.delete(connection);
      unjoined.delete(connection);
      if (unjoined.size === 0 && unjoinedByNetwork.get(network) === unjoined) unjoinedByNetwork.delete(network);
    };
    releaseByConnection.set(connection, release);
    connection.once('close', release);
    const [oldest] = unjoined;
    if (unjoined.size <= perNetworkMax || !oldest) return;
    releaseByConnection.get(oldest)?.();
    terminate(oldest);
  });
}

/** Ends a connection without the closing handshake, which the client may never reply to. */
function terminate(connection: EngineConnection): void {
  const { socket } = connection.transport as { socket?: { terminate?(): void } };
  if (socket?.terminate) socket.terminate();
  else connection.close(true);
}

/** Takes a connection that has joined a room out of the bound. */
export const markJoined = ({ conn }: Socket): void => releaseByConnection.get(conn)?.();
