import { CHAT_RECONNECT_MS, CHAT_BACKEND_RECONNECT_MS } from '@krapao/contract/constants';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import type { ChatJoinRequest, JoinReply } from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { logFailure } from '../../api/errors.ts';
import type { ChatAdmission, ChatConfig } from './customer.ts';
import { call } from '../../api/call.ts';

/** `lost`: reconnecting. `refused`: connected, but not admitted to the room. */
export type ConnectionState = 'opening' | 'joined' | 'lost' | 'refused';

export type ChatSocket = {
  /** A broken connection may look open for a while and misses messages: a new one catches up. */
  renew: () => void;
  close: () => void;
};

type ChatSocketListener = {
  onState: (state: ConnectionState) => void;
  /** A new message; may be repeated. */
  onMessage: (message: ChatMessage) => void;
};

/** Time-outs of connecting and of a join's acknowledgement. */
const OPEN_MS = 10_000;
const JOIN_MS = 10_000;
/** A refusal to retry later. */
const BUSY = 'REQUEST_LIMIT';

/** Joins the customer's room and stays joined; checks every five seconds. */
export function connectChatSocket(
  { customer, config }: ChatAdmission,
  { onState, onMessage }: ChatSocketListener,
): ChatSocket {
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
    // A socket of its own beside the member's: other events, another lifetime.
    socket = io({ transports: ['websocket', 'polling'], reconnection: false, forceNew: true, timeout: OPEN_MS });
    socket.on('connect', join);
    socket.on('disconnect', leave);
    socket.on('connect_error', leave);
    socket.on('messaging', onMessage);
    if (import.meta.env.DEV) (await import('../../api/contract-check.ts')).checkSocket(socket);
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

type Backend = NonNullable<ChatConfig['backend']>;

type BackendSocketListener = {
  /** Support is typing. */
  onTyping: () => void;
  /** A message exists. Its content is loaded from this server: the packet is not validated. */
  onMessage: () => void;
};

/** A ticket lasts half a day; a refused one is renewed at most this often. */
const NEW_TICKET_MS = 60_000;

/**
 * Socket of the chat backend: reports typing and new messages of support. Optional: its failures are not reported.
 * @returns close function
 */
export function connectBackendSocket({ customer, config }: ChatAdmission, hearer: BackendSocketListener): () => void {
  let backend: Backend | null = config.backend;
  let socket: Socket | undefined;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const join = (): void => {
    if (!backend) return;
    const { ticket } = backend;
    const room = roomOf(ticket) ?? `${config.PREFIX}${customer.id}`;
    socket?.emit('join', { room, ticket }, (reply?: { joined: boolean }) => {
      if (reply?.joined || isClosed) return;
      clearTimeout(timer);
      timer = setTimeout(() => void renew(), NEW_TICKET_MS);
    });
  };
  const renew = async (): Promise<void> => {
    try {
      ({ backend } = await call('GET /api/chat/config', { quiet: true, authorization: customer.authorization }));
      if (socket?.connected && !isClosed) join();
    } catch (failure) {
      logFailure('no ticket for the chat backend', failure);
    }
  };
  const open = async (): Promise<void> => {
    if (!backend) return;
    const { io } = await import('socket.io-client');
    if (isClosed) return;
    // A constant delay: by default it would be up to 50 % shorter.
    const delay = {
      reconnectionDelay: CHAT_BACKEND_RECONNECT_MS,
      reconnectionDelayMax: CHAT_BACKEND_RECONNECT_MS,
      randomizationFactor: 0,
    };
    socket = io(backend.url, { transports: ['websocket'], forceNew: true, reconnectionAttempts: Infinity, ...delay });
    socket.on('connect', join);
    socket.on('typing', () => hearer.onTyping());
    socket.on('messaging', () => hearer.onMessage());
  };
  open().catch((failure: unknown) => logFailure('socket of the chat backend not opened', failure));
  return () => {
    isClosed = true;
    clearTimeout(timer);
    socket?.disconnect();
  };
}

/** Room of a ticket, which its holder can read from it. */
function roomOf(ticket: string): string | undefined {
  try {
    const [, claims = ''] = ticket.split('.');
    const { room } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { room?: unknown };
    return typeof room === 'string' ? room : undefined;
  } catch {
    return undefined;
  }
}
