import { connect, type Socket } from 'node:net';

export type RawConnection = {
  socket: Socket;
  /** Text received so far. */
  receivedText(): string;
  /** Resolves with all received text, once the connection has closed. */
  closedWithText: Promise<string>;
};

/** Opens a connection without an HTTP client: bytes are sent unchanged. */
export function openRawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let receivedText = '';
  socket.on('data', (chunk) => (receivedText += chunk.toString()));
  socket.on('error', () => {});
  const closedReply = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(receivedText));
  });
  return { socket, receivedText: () => receivedText, closedWithText: closedReply };
}

/** Sends a piece periodically while the connection is open. */
export function writeSlowly(socket: Socket, piece: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => socket.writable && socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}
