import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { chatRoom, type JoinReply } from '@krapao/contract/events';
import { io, type Socket } from 'socket.io-client';
import { until } from '../event/member-socket.ts';
import type { Talker } from './chat-world.ts';

export type ChatListener = {
  socket: Socket;
  /** Everything that was told, in the order that it came. */
  messages: ChatMessage[];
  replies: JoinReply[];
};

/** Connects as the app does, and joins after every connection. Websocket alone. */
export function listenAs(url: string, talker: Pick<Talker, 'id' | 'proof'>, joining: object = {}): ChatListener {
  const socket = io(url, {
    transports: ['websocket'],
    reconnectionDelay: 50,
    reconnectionDelayMax: 100,
    forceNew: true,
  });
  const listener: ChatListener = { socket, messages: [], replies: [] };
  socket.on('messaging', (message: ChatMessage) => listener.messages.push(message));
  socket.on('connect', () => {
    const request = { room: chatRoom(talker.id), ...talker.proof, ...joining };
    socket.emit('join', request, (reply: JoinReply) => listener.replies.push(reply));
  });
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
