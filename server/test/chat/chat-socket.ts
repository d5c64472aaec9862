import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { chatRoom, type JoinReply } from '@krapao/contract/events';
import { io, type Socket } from 'socket.io-client';
import { until } from '../event/member-socket.ts';
import type { Talker } from './chat-world.ts';

export type ChatListener = {
  socket: Socket;
  /** Every packet received, in order. */
  messages: ChatMessage[];
  replies: JoinReply[];
};

const BUSY_PAUSE_MS = 200;

/** Connects as the app does, and joins after every connection, again where the server was busy. Websocket alone. */
export function listenAs(url: string, talker: Pick<Talker, 'id' | 'proof'>, joining: object = {}): ChatListener {
  const socket = io(url, {
    transports: ['websocket'],
    reconnectionDelay: 50,
    reconnectionDelayMax: 100,
    forceNew: true,
  });
  const listener: ChatListener = { socket, messages: [], replies: [] };
  socket.on('messaging', (message: ChatMessage) => listener.messages.push(message));
  const join = (): void => {
    const request = { room: chatRoom(talker.id), ...talker.proof, ...joining };
    socket.emit('join', request, (reply: JoinReply) => {
      // A server that doesn't receive messages yet, or no more.
      if (!reply.joined && reply.message === 'REQUEST_LIMIT')
        return void setTimeout(() => socket.connected && join(), BUSY_PAUSE_MS);
      listener.replies.push(reply);
    });
  };
  socket.on('connect', join);
  return listener;
}

export const untilJoined = (listener: ChatListener, times = 1): Promise<void> =>
  until(
    () => listener.replies.length >= times,
    () => 'no answer to join',
  );

export const untilTold = (listener: ChatListener, count: number): Promise<void> =>
  until(
    () => listener.messages.length >= count,
    () => `${listener.messages.length} of ${count} messages`,
  );
