import { CHAT_RECONNECT_MS, CHAT_BACKEND_RECONNECT_MS } from '@krapao/contract/constants';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import type { ChatJoinRequest, JoinReply } from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { logFailure } from '../../api/errors.ts';
import type { ChatAdmission, ChatConfig } from './customer.ts';
import { call } from '../../api/call.ts';

/** `lost`: being looked for again. `refused`: there is one, but it isn't let into the room. */
export type ConnectionState = 'opening' | 'joined' | 'lost' | 'refused';

/** The socket of a conversation. */
export type ChatSocket = {
  /** A broken connection may look open for a while and misses messages: a new one catches up. */
  renew: () => void;
  close: () => void;
};

type ChatSocketListener = {
  onState: (state: ConnectionState) => void;
  /** A new message, more than once perhaps. */
  onMessage: (message: ChatMessage) => void;
};

/** Time-outs of connecting, and of the acknowledgement of a join. */
const OPEN_MS = 10_000;
const JOIN_MS = 10_000;
/** A refusal that means later, not never. */
const BUSY = 'REQUEST_LIMIT';

/** Joins the customer's room and stays in it; looks every five seconds whether it still is. */
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
    // A line of its own beside the member's, for it has another rhythm and another end.
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
  /** A message exists. Its content comes from our own server: what arrives here is not validated. */
  onMessage: () => void;
};

/** A ticket lasts half a day; one that isn't taken is renewed, and not more often than this. */
const NEW_TICKET_MS = 60_000;

/**
 * The socket of the chat backend: tells that support is writing, and that it has written. The conversation does
 * without it, so that nothing is said when it is away.
 * @returns closes it
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
    // Always the same: by itself the delay would be up to half shorter.
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

/** The room that a ticket is for stands in it, readable for who holds it. */
function roomOf(ticket: string): string | undefined {
  try {
    const [, claims = ''] = ticket.split('.');
    const { room } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { room?: unknown };
    return typeof room === 'string' ? room : undefined;
  } catch {
    return undefined;
  }
}
