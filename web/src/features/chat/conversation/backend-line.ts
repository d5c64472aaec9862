import { CHAT_BACKEND_RECONNECT_MS } from '@krapao/contract/constants';
import type { Socket } from 'socket.io-client';
import { call } from '../../../api/call.ts';
import { logFailure } from '../../../api/log-failure.ts';
import type { ChatAdmission, ChatConfig } from './customer.ts';

type Backend = NonNullable<ChatConfig['backend']>;

type Hearer = {
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
export function openBackendLine({ customer, config }: ChatAdmission, hearer: Hearer): () => void {
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
