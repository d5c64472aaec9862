import type { Socket } from 'socket.io';
import { askedHost, type TellAddresses, type Told } from './http/asked-host.ts';

/** Where what a connection is told goes. */
export type Outlet = {
  emit(event: string, body: unknown): void;
  /** Tells addresses as the other side can open them. */
  told: Told;
  /** How many messages wait because the other side doesn't read. */
  backlog(): number;
  /** Settles when nothing waits any more; rejects when that takes too long. */
  drained(): Promise<void>;
  /** Ends the connection: the app comes back by itself and joins again. */
  drop(): void;
  /** Ends it for good: the app must connect again by its own decision. */
  sendAway(): void;
};

const DRAIN_PATIENCE_MS = 15_000;

/** The outlet of a connection; one for all that it has joined. */
export function outletOf(socket: Socket, tellAddresses: TellAddresses): Outlet {
  const { conn } = socket;
  const { host, origin = 'http:' } = socket.handshake.headers;
  // Messages since the connection last handed everything on: while the other side doesn't read, it keeps them.
  let backlog = 0;
  conn.on('drain', () => (backlog = 0));
  return {
    emit: (event, body) => {
      backlog += 1;
      socket.emit(event, body);
    },
    // A browser's origin is the host that it asked (see socket.ts), and tells what a proxy may have taken away: https.
    told: tellAddresses(askedHost(origin.startsWith('https:') ? 'https' : 'http', host)),
    backlog: () => backlog,
    // A client whose connection ends comes back by itself; one that is sent away stays away.
    drop: () => conn.close(true),
    sendAway: () => void socket.disconnect(true),
    drained: () =>
      new Promise<void>((resolve, reject) => {
        if (backlog === 0) return resolve();
        const end = (error?: Error): void => {
          clearTimeout(patience);
          conn.off('drain', onDrain);
          conn.off('close', onClose);
          if (error) reject(error);
          else resolve();
        };
        const onDrain = (): void => end();
        const onClose = (): void => end(new Error('the connection ended'));
        const patience = setTimeout(() => end(new Error('the other side does not read')), DRAIN_PATIENCE_MS);
        conn.once('drain', onDrain);
        conn.once('close', onClose);
      }),
  };
}
