import { type MemberEvent, memberRoom } from '@krapao/contract/events';

const JOIN_TIMEOUT_MS = 30_000;

// Packet types of Engine.IO 4; those with two digits are Socket.IO 5 inside a message (4).
const OPEN_PACKET = '0';
const PING_PACKET = '2';
const PONG_PACKET = '3';
const CONNECT_PACKET = '40';
const EVENT_PACKET = '42';
const JOIN_ID = 1;
const JOIN_ACKNOWLEDGED = `43${JOIN_ID}`;

type EventWaiter = { kind: MemberEvent['kind']; settle: (event: MemberEvent) => void };

/**
 * Event socket of a member over WebSocket. A minimal client, because the product's client uses more CPU than the measured server.
 */
export class MemberSocket {
  readonly #socket: WebSocket;
  #waiter: EventWaiter | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Connects and joins the member's room. */
  static async open(address: string, memberId: string, token: string): Promise<MemberSocket> {
    const socket = new WebSocket(`${address.replace(/^http/, 'ws')}/socket.io/?EIO=4&transport=websocket`);
    const member = new MemberSocket(socket);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error('a socket could not join')), JOIN_TIMEOUT_MS);
    socket.addEventListener('error', () => reject(new Error('a socket failed')));
    socket.addEventListener('message', ({ data }) => {
      const packet = String(data);
      if (packet.startsWith(OPEN_PACKET)) socket.send(CONNECT_PACKET);
      else if (packet === PING_PACKET) socket.send(PONG_PACKET);
      else if (packet.startsWith(CONNECT_PACKET)) {
        socket.send(`${EVENT_PACKET}${JOIN_ID}${JSON.stringify(['join', { room: memberRoom(memberId), token }])}`);
      } else if (packet.startsWith(JOIN_ACKNOWLEDGED)) {
        if (packet.includes('"joined":true')) resolve();
        else reject(new Error(`a socket was refused: ${packet}`));
      } else if (packet.startsWith(EVENT_PACKET)) member.#receive(packet.slice(EVENT_PACKET.length));
    });
    await promise;
    clearTimeout(timer);
    return member;
  }

  /** The next final event of a kind; call it before its cause. */
  outcome(kind: MemberEvent['kind'], timeoutMs: number): { event: Promise<MemberEvent>; cancel: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<MemberEvent>();
    const timer = setTimeout(() => reject(new Error(`no ${kind} event within ${timeoutMs} ms`)), timeoutMs);
    const cancel = (): void => {
      clearTimeout(timer);
      this.#waiter = undefined;
    };
    this.#waiter = {
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
    if (name !== 'event' || event.state === 'PROCESSING' || event.kind !== this.#waiter?.kind) return;
    this.#waiter.settle(event);
  }
}
