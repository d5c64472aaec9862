import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { chatRoom, type JoinReply } from '@krapao/contract/events';
import { io, type Socket } from 'socket.io-client';
import { waitUntil } from '../event/member-socket.ts';
import type { ChatCustomer } from './chat-fixtures.ts';

export type ChatListener = {
  socket: Socket;
  /** Every packet received, in order. */
  messages: ChatMessage[];
  replies: JoinReply[];
};

const BUSY_PAUSE_MS = 200;

/** Connects like the app, and joins after every connection, again if the server was busy. Websocket only. */
export function openChatListener(
  url: string,
  customer: Pick<ChatCustomer, 'id' | 'proof'>,
  joinOptions: object = {},
): ChatListener {
  const socket = io(url, {
    transports: ['websocket'],
    reconnectionDelay: 50,
    reconnectionDelayMax: 100,
    forceNew: true,
  });
  const listener: ChatListener = { socket, messages: [], replies: [] };
  socket.on('messaging', (message: ChatMessage) => listener.messages.push(message));
  const joinRoom = (): void => {
    const request = { room: chatRoom(customer.id), ...customer.proof, ...joinOptions };
    socket.emit('join', request, (reply: JoinReply) => {
      // The server does not receive messages yet, or no longer.
      if (!reply.joined && reply.message === 'REQUEST_LIMIT')
        return void setTimeout(() => socket.connected && joinRoom(), BUSY_PAUSE_MS);
      listener.replies.push(reply);
    });
  };
  socket.on('connect', joinRoom);
  return listener;
}

export const waitForJoins = (listener: ChatListener, times = 1): Promise<void> =>
  waitUntil(
    () => listener.replies.length >= times,
    () => 'no answer to join',
  );

export const waitForMessages = (listener: ChatListener, count: number): Promise<void> =>
  waitUntil(
    () => listener.messages.length >= count,
    () => `${listener.messages.length} of ${count} messages`,
  );
