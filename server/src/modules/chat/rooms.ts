import { CHAT_ROOM_PREFIX, chatRoom, GUEST_ID } from '@krapao/contract/events';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { z } from 'zod';
import type { SocketSender } from '../../platform/socket/socket.ts';
import { Refusal } from '../../platform/errors.ts';
import type { AuthenticateToken, RoomHandler, RoomSubscription } from '../../platform/socket/rooms.ts';
import { type ChatDeps, withRewrittenUrls } from './chat.ts';
import { isSecretlessGuest, isSecretOf } from './visitor.ts';

/** One connection in the room of a conversation. */
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

/** Most messages queued for a connection; one that does not read is closed, and its client reads the history. */
const BACKLOG_MAX = 100;

/**
 * A customer joins the room of their own conversation: a member with their token, a visitor with their secret, or with
 * the guest-id alone when it was never given one.
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
      if (token !== undefined) await assertMembers(room, token, authenticate);
      else await assertVisitors(deps, room, guestSecret ?? undefined);
      // The app tries again in a few seconds.
      if (!(await isReceiving())) throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY' });
      return { ...(token === undefined ? {} : { token }), subscribe: listenerOf };
    },
  };
}

async function assertMembers(room: string, token: string, authenticate: AuthenticateToken): Promise<void> {
  const { id } = await authenticate(token);
  if (room !== chatRoom(id)) throw new Refusal('INVALID_USER_3');
}

async function assertVisitors(
  { database }: Pick<ChatDeps, 'database'>,
  room: string,
  secret: string | undefined,
): Promise<void> {
  const guestId = room.slice(CHAT_ROOM_PREFIX.length);
  const isProved = (): Promise<boolean> =>
    secret === undefined ? isSecretlessGuest(database, guestId) : isSecretOf(database, { guestId, secret });
  // A member's room is no visitor's, whatever secret comes with it; the answer is the same.
  const isRight = GUEST_ID.test(guestId) && (await isProved());
  if (!isRight) throw new Refusal('KEY_INVALID');
}

function listenerOf(sender: SocketSender): ChatSubscriber {
  return {
    deliver: (message) => {
      if (sender.backlog() >= BACKLOG_MAX) return sender.drop();
      sender.emit('messaging', withRewrittenUrls(message, sender.rewriteAddress));
    },
    drop: () => sender.drop(),
    leave: () => {},
  };
}
