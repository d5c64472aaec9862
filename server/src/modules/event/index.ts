import { type MemberEvent, memberRoom } from '@krapao/contract/events';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import { Refusal } from '../../platform/errors.ts';
import type { RoomHandler, Rooms } from '../../platform/socket/rooms.ts';
import { isOwnRoom, joinRequest, Follower } from './follower.ts';

export type EventDeps = {
  rooms: Pick<Rooms, 'register'>;
  ledger: Pick<Ledger, 'eventsSince' | 'lastEvent' | 'onBatch'>;
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** Money events of members over the socket, in order and without gaps. */
export function eventModule(deps: EventDeps): { stop(): Promise<void> } {
  const rooms = deps.rooms.register(memberRoomHandler(deps));
  const unsubscribe = deps.ledger.onBatch((events) => {
    for (const event of events) {
      for (const follower of rooms.in(memberRoom(event.memberId))) follower.notify(event);
    }
  });
  return { stop: async () => unsubscribe() };
}

/** Admits members to their own room, with a token. Emits `event` for each money event after `since`. */
function memberRoomHandler({ ledger, log }: EventDeps): RoomHandler<Follower> {
  const onError = (error: unknown): void => log.error({ err: error }, 'money events not sent to a socket');
  return {
    prefix: memberRoom(''),
    async admit(raw, authenticate) {
      const request = joinRequest.safeParse(raw);
      if (!request.success) throw new Refusal('NO_DATA');
      const { room, token, since: lastReceived } = request.data;
      const { id: memberId } = await authenticate(token);
      if (!isOwnRoom(room, memberId)) throw new Refusal('INVALID_USER_3');
      const since = lastReceived === undefined ? await ledger.lastEvent(memberId) : BigInt(lastReceived);
      return {
        token,
        subscribe(sender) {
          const eventSender = { ...sender, send: (event: MemberEvent) => sender.emit('event', event) };
          return new Follower({ memberId, since, ledger, sender: eventSender, onError });
        },
      };
    },
  };
}
