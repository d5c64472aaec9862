import { connect, type Socket } from 'node:net';

export type RawConnection = {
  socket: Socket;
  /** What has come back so far. */
  answer(): string;
  /** Resolves with everything that came back, once the connection has ended. */
  closed: Promise<string>;
};

/** A connection without an HTTP client: what is written goes out as it is. */
export function dial(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(answer));
  });
  return { socket, answer: () => answer, closed };
}

/** Sends a piece periodically while the connection is open. */
export function trickle(socket: Socket, piece: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => socket.writable && socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}
