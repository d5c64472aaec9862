import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { CHAT_ROOM_PREFIX, chatRoom, GUEST_ID } from '@krapao/contract/events';
import { z } from 'zod';
import { Refusal } from '../../platform/errors.ts';
import type { AuthenticateToken, RoomHandler, RoomSubscription } from '../../platform/socket/rooms.ts';
import type { SocketSender } from '../../platform/socket/socket.ts';
import { type ChatDeps, withRewrittenUrls } from './chat.ts';
import { isSecretlessVisitor, isVisitorSecretValid } from './visitor.ts';

/** A connection subscribed to the room of a conversation. */
export type ChatSubscriber = RoomSubscription & {
  deliver(message: ChatMessage): void;
  /** Ends the connection; the app reconnects and reads the history. */
  drop(): void;
};

const joinRequest = z.object({
  room: z.string(),
  token: z.string().min(1).max(512).nullish(),
  guestSecret: z.string().min(1).max(128).nullish(),
});

/**
 * Maximum number of queued messages of a connection. A slower connection is closed, and its client reads the history.
 */
const BACKLOG_MAX = 100;

/**
 * Admits customers to the room of their own conversation: a member by token, a visitor by secret. A visitor without an
 * issued secret is admitted by guest-id.
 * @param isReceiving whether this process receives messages
 */
export function chatRoomHandler(
  deps: Pick<ChatDeps, 'database'>,
  isReceiving: () => Promise<boolean>,
): RoomHandler<ChatSubscriber> {
  return {
    prefix: CHAT_ROOM_PREFIX,
    async admit(raw, authenticate) {
      const request = joinRequest.safeParse(raw);
      if (!request.success) throw new Refusal('NO_DATA');
      const { room, guestSecret } = request.data;
      const token = request.data.token ?? undefined;
      if (token !== undefined) await assertMemberOwnsRoom(room, token, authenticate);
      else await assertVisitorOwnsRoom(deps, room, guestSecret ?? undefined);
      // The app retries in a few seconds.
      if (!(await isReceiving())) throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY' });
      return { ...(token === undefined ? {} : { token }), subscribe: createSubscriber };
    },
  };
}

async function assertMemberOwnsRoom(room: string, token: string, authenticate: AuthenticateToken): Promise<void> {
  const { id } = await authenticate(token);
  if (room !== chatRoom(id)) throw new Refusal('INVALID_USER_3');
}

async function assertVisitorOwnsRoom(
  { database }: Pick<ChatDeps, 'database'>,
  room: string,
  secret: string | undefined,
): Promise<void> {
  const guestId = room.slice(CHAT_ROOM_PREFIX.length);
  const isAuthenticated = (): Promise<boolean> =>
    secret === undefined ? isSecretlessVisitor(database, guestId) : isVisitorSecretValid(database, { guestId, secret });
  // A member's room is refused for visitors with any secret; the reply is the same.
  const ownsRoom = GUEST_ID.test(guestId) && (await isAuthenticated());
  if (!ownsRoom) throw new Refusal('KEY_INVALID');
}

function createSubscriber(sender: SocketSender): ChatSubscriber {
  return {
    deliver: (message) => {
      if (sender.backlog() >= BACKLOG_MAX) return sender.drop();
      sender.emit('messaging', withRewrittenUrls(message, sender.rewriteAddress));
    },
    drop: () => sender.drop(),
    leave: () => {},
  };
}
