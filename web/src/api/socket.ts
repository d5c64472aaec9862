import { io, type ManagerOptions, type Socket } from 'socket.io-client';

/** Some networks accept a WebSocket but forward none of its data. The first attempt has this timeout in ms. */
const FIRST_TIMEOUT_MS = 4_000;

type SocketOptions = Partial<ManagerOptions> & {
  forceNew?: boolean;
  /** Timeout in ms of the attempts after the first failed one. */
  timeout: number;
};

/**
 * Opens a socket of this server: by WebSocket, and by long polling where the network refuses WebSockets. After an
 * attempt that failed the other transport comes first; polling is upgraded as soon as a WebSocket works.
 */
export function openSocket({ timeout, ...options }: SocketOptions): Socket {
  let transports = ['websocket', 'polling'];
  const socket = io({ ...options, transports, tryAllTransports: true, timeout: FIRST_TIMEOUT_MS });
  const manager = socket.io;
  // A WebSocket that opens works only if data passes both ways: then the server replies to the request to connect.
  let isOpen = false;
  let isAnswered = false;
  const useOtherTransport = (): void => {
    transports = transports.toReversed();
    manager.opts.transports = transports;
    manager.timeout(timeout);
  };
  manager.on('open', () => {
    isOpen = true;
    manager.engine.once('message', () => (isAnswered = true));
  });
  manager.on('error', () => isOpen || useOtherTransport());
  manager.on('close', () => {
    if (isOpen && !isAnswered) useOtherTransport();
    isOpen = false;
    isAnswered = false;
  });
  return socket;
}
