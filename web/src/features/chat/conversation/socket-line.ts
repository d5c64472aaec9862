import { CHAT_RECONNECT_MS } from '@krapao/contract/constants';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import type { ChatJoinRequest, JoinReply } from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { logFailure } from '../../../api/log-failure.ts';
import type { ChatAdmission } from './customer.ts';

/** `lost`: being looked for again. `refused`: there is one, but it isn't let into the room. */
export type LineState = 'opening' | 'joined' | 'lost' | 'refused';

/** The socket of a conversation. */
export type SocketLine = {
  /** A broken connection may look open for a while and misses messages: a new one catches up. */
  renew: () => void;
  close: () => void;
};

type Hearer = {
  onState: (state: LineState) => void;
  /** A new message, more than once perhaps. */
  onMessage: (message: ChatMessage) => void;
};

/** Time-outs of connecting, and of the acknowledgement of a join. */
const OPEN_MS = 10_000;
const JOIN_MS = 10_000;
/** A refusal that means later, not never. */
const BUSY = 'REQUEST_LIMIT';

/** Joins the customer's room and stays in it; looks every five seconds whether it still is. */
export function openSocketLine({ customer, config }: ChatAdmission, { onState, onMessage }: Hearer): SocketLine {
  let socket: Socket | undefined;
  let isClosed = false;
  let isJoined = false;
  let isAsking = false;

  const join = (): void => {
    if (!socket?.connected || isAsking) return;
    isAsking = true;
    const request: ChatJoinRequest = { room: `${config.PREFIX}${customer.id}`, ...customer.proof };
    socket.timeout(JOIN_MS).emit('join', request, (late: Error | null, reply?: JoinReply) => {
      isAsking = false;
      if (isClosed || late || !reply) return;
      isJoined = reply.joined;
      if (reply.joined) onState('joined');
      else onState(reply.message === BUSY ? 'lost' : 'refused');
    });
  };
  const leave = (): void => {
    isAsking = false;
    isJoined = false;
    if (!isClosed) onState('lost');
  };
  const open = async (): Promise<void> => {
    const { io } = await import('socket.io-client');
    if (isClosed || socket) return;
    // A line of its own beside the member's, for it has another rhythm and another end.
    socket = io({ transports: ['websocket', 'polling'], reconnection: false, forceNew: true, timeout: OPEN_MS });
    socket.on('connect', join);
    socket.on('disconnect', leave);
    socket.on('connect_error', leave);
    socket.on('messaging', onMessage);
    if (import.meta.env.DEV) (await import('../../../api/contract-check.ts')).checkSocket(socket);
  };
  const tryOpening = (): void =>
    void open().catch((failure: unknown) => {
      logFailure('chat socket not opened', failure);
      leave();
    });
  const check = (): void => {
    if (!socket) tryOpening();
    else if (!socket.connected) socket.connect();
    else if (!isJoined) join();
  };
  tryOpening();
  const timer = setInterval(check, CHAT_RECONNECT_MS);
  return {
    renew: () => {
      if (socket) socket.disconnect().connect();
      else tryOpening();
    },
    close: () => {
      isClosed = true;
      clearInterval(timer);
      socket?.disconnect();
    },
  };
}
