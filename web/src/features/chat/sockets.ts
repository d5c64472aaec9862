import { CHAT_RECONNECT_MS, CHAT_BACKEND_RECONNECT_MS } from '@krapao/contract/constants';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import type { ChatJoinRequest, JoinReply } from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { call } from '../../api/call.ts';
import { logFailure } from '../../api/errors.ts';
import type { ChatAdmission, ChatConfig } from './customer.ts';

/** `lost`: reconnecting. `refused`: connected, but the server refused the join. */
export type ConnectionState = 'opening' | 'joined' | 'lost' | 'refused';

export type ChatSocket = {
  /**
   * Replaces the connection: a broken one can seem open while it misses messages. The new one receives the missed
   * messages.
   */
  reconnect: () => void;
  close: () => void;
};

type ChatSocketListener = {
  onState: (state: ConnectionState) => void;
  /** Called for each new message; a message may be reported twice. */
  onMessage: (message: ChatMessage) => void;
};

/** Timeouts of connecting and of a join's acknowledgement, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;
const JOIN_TIMEOUT_MS = 10_000;
/** Message of a refusal that may be retried later. */
const BUSY_MESSAGE = 'REQUEST_LIMIT';

/** Opens the chat socket, joins the customer's room, and rejoins if necessary; checks every five seconds. */
export function connectChatSocket(
  { customer, config }: ChatAdmission,
  { onState, onMessage }: ChatSocketListener,
): ChatSocket {
  let socket: Socket | undefined;
  let isClosed = false;
  let isJoined = false;
  let isJoining = false;

  const joinRoom = (): void => {
    if (!socket?.connected || isJoining) return;
    isJoining = true;
    const request: ChatJoinRequest = { room: `${config.PREFIX}${customer.id}`, ...customer.proof };
    socket.timeout(JOIN_TIMEOUT_MS).emit('join', request, (timeoutError: Error | null, reply?: JoinReply) => {
      isJoining = false;
      if (isClosed || timeoutError || !reply) return;
      isJoined = reply.joined;
      if (reply.joined) onState('joined');
      else onState(reply.message === BUSY_MESSAGE ? 'lost' : 'refused');
    });
  };
  const onDisconnect = (): void => {
    isJoining = false;
    isJoined = false;
    if (!isClosed) onState('lost');
  };
  const open = async (): Promise<void> => {
    const { openSocket } = await import('../../api/socket.ts');
    if (isClosed || socket) return;
    // Separate from the member's event socket, which has other events and another lifetime.
    socket = openSocket({ reconnection: false, forceNew: true, timeout: CONNECT_TIMEOUT_MS });
    socket.on('connect', joinRoom);
    socket.on('disconnect', onDisconnect);
    socket.on('connect_error', onDisconnect);
    socket.on('messaging', onMessage);
    if (import.meta.env.DEV) (await import('../../api/contract-check.ts')).checkSocket(socket);
  };
  const tryOpenSocket = (): void =>
    void open().catch((failure: unknown) => {
      logFailure('chat socket not opened', failure);
      onDisconnect();
    });
  const checkConnection = (): void => {
    if (!socket) tryOpenSocket();
    else if (!socket.connected) socket.connect();
    else if (!isJoined) joinRoom();
  };
  tryOpenSocket();
  const timer = setInterval(checkConnection, CHAT_RECONNECT_MS);
  return {
    reconnect: () => {
      if (socket) socket.disconnect().connect();
      else tryOpenSocket();
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
  /** A new message exists. The message is loaded from this server, because the packet's content is not validated. */
  onMessage: () => void;
};

/** Minimum interval in ms between requests for a new ticket after a refusal. A ticket is valid for half a day. */
const TICKET_RENEWAL_MS = 60_000;

/**
 * Socket of the chat backend: reports typing and new messages of support. The socket is optional, so its failures are
 * only logged.
 * @returns close function
 */
export function connectBackendSocket({ customer, config }: ChatAdmission, listener: BackendSocketListener): () => void {
  let backend: Backend | null = config.backend;
  let socket: Socket | undefined;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const joinBackendRoom = (): void => {
    if (!backend) return;
    const { ticket } = backend;
    const room = roomOf(ticket) ?? `${config.PREFIX}${customer.id}`;
    socket?.emit('join', { room, ticket }, (reply?: { joined: boolean }) => {
      if (reply?.joined || isClosed) return;
      clearTimeout(timer);
      timer = setTimeout(() => void renewTicket(), TICKET_RENEWAL_MS);
    });
  };
  const renewTicket = async (): Promise<void> => {
    try {
      ({ backend } = await call('GET /api/chat/config', { quiet: true, authorization: customer.authorization }));
      if (socket?.connected && !isClosed) joinBackendRoom();
    } catch (failure) {
      logFailure('no ticket for the chat backend', failure);
    }
  };
  const openBackendSocket = async (): Promise<void> => {
    if (!backend) return;
    const { io } = await import('socket.io-client');
    if (isClosed) return;
    // Constant delay: by default the library shortens delays by up to 50 %.
    const reconnectOptions = {
      reconnectionDelay: CHAT_BACKEND_RECONNECT_MS,
      reconnectionDelayMax: CHAT_BACKEND_RECONNECT_MS,
      randomizationFactor: 0,
    };
    socket = io(backend.url, {
      transports: ['websocket'],
      forceNew: true,
      reconnectionAttempts: Infinity,
      ...reconnectOptions,
    });
    socket.on('connect', joinBackendRoom);
    socket.on('typing', () => listener.onTyping());
    socket.on('messaging', () => listener.onMessage());
  };
  openBackendSocket().catch((failure: unknown) => logFailure('socket of the chat backend not opened', failure));
  return () => {
    isClosed = true;
    clearTimeout(timer);
    socket?.disconnect();
  };
}

/** Name of the room in a ticket, whose content is readable; undefined if it can't be decoded. */
function roomOf(ticket: string): string | undefined {
  try {
    const [, claims = ''] = ticket.split('.');
    const { room } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { room?: unknown };
    return typeof room === 'string' ? room : undefined;
  } catch {
    return undefined;
  }
}
