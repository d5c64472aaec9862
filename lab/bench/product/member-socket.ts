import { type MemberEvent, memberRoom } from '@krapao/contract/events';

const JOINED_WITHIN_MS = 30_000;

// Packets of Engine.IO 4 and, after their 4, of Socket.IO 5.
const OPEN = '0';
const PING = '2';
const PONG = '3';
const CONNECT = '40';
const EVENT = '42';
const JOIN_ID = 1;
const JOIN_ACKNOWLEDGED = `43${JOIN_ID}`;

type Waiting = { kind: MemberEvent['kind']; settle: (event: MemberEvent) => void };

/**
 * The socket of a member whose app is open, by websocket alone. A small client of our own: that of the product takes more
 * CPU than the server that is measured.
 */
export class MemberSocket {
  readonly #socket: WebSocket;
  #waiting: Waiting | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Resolves when the member's room is joined. */
  static async open(address: string, memberId: string, token: string): Promise<MemberSocket> {
    const socket = new WebSocket(`${address.replace(/^http/, 'ws')}/socket.io/?EIO=4&transport=websocket`);
    const own = new MemberSocket(socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error('a socket could not join')), JOINED_WITHIN_MS);
    socket.addEventListener('error', () => reject(new Error('a socket failed')));
    socket.addEventListener('message', ({ data }) => {
      const packet = String(data);
      if (packet.startsWith(OPEN)) socket.send(CONNECT);
      else if (packet === PING) socket.send(PONG);
      else if (packet.startsWith(CONNECT)) {
        socket.send(`${EVENT}${JOIN_ID}${JSON.stringify(['join', { room: memberRoom(memberId), token }])}`);
      } else if (packet.startsWith(JOIN_ACKNOWLEDGED)) {
        if (packet.includes('"joined":true')) resolve();
        else reject(new Error(`a socket was refused: ${packet}`));
      } else if (packet.startsWith(EVENT)) own.#receive(packet.slice(EVENT.length));
    });
    await promise;
    clearTimeout(timer);
    return own;
  }

  /** The next final event of a kind; to be called before what causes it. */
  outcome(kind: MemberEvent['kind'], patienceMs: number): { event: Promise<MemberEvent>; cancel: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<MemberEvent>();
    const timer = setTimeout(() => reject(new Error(`no ${kind} event within ${patienceMs} ms`)), patienceMs);
    const cancel = (): void => {
      clearTimeout(timer);
      this.#waiting = undefined;
    };
    this.#waiting = {
      kind,
      settle: (event) => {
        cancel();
        resolve(event);
      },
    };
    return { event: promise, cancel };
  }

  close(): void {
    this.#socket.close();
  }

  #receive(text: string): void {
    const [name, event] = JSON.parse(text) as [string, MemberEvent];
    if (name !== 'event' || event.state === 'PROCESSING' || event.kind !== this.#waiting?.kind) return;
    this.#waiting.settle(event);
  }
}
