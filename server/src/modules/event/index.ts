import { type MemberEvent, memberRoom } from '@krapao/contract/events';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import { Refusal } from '../../platform/errors.ts';
import type { RoomHandler, Rooms } from '../../platform/socket/rooms.ts';
import { isOwnRoom, joinRequest, Follower } from './follower.ts';

export type EventDeps = {
  rooms: Pick<Rooms, 'keep'>;
  ledger: Pick<Ledger, 'eventsSince' | 'lastEvent' | 'onBatch'>;
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** The member's socket: a member who joins their own room receives their money events, in order and without gaps. */
export function eventModule(deps: EventDeps): { stop(): Promise<void> } {
  const rooms = deps.rooms.keep(memberKeeper(deps));
  const endFeed = deps.ledger.onBatch((events) => {
    for (const event of events) {
      for (const follower of rooms.in(memberRoom(event.memberId))) follower.notify(event);
    }
  });
  return { stop: async () => endFeed() };
}

/** A member joins their own room with their token; `event` comes for each money event after the last that they have seen. */
function memberKeeper({ ledger, log }: EventDeps): RoomHandler<Follower> {
  const onTrouble = (error: unknown): void => log.error({ err: error }, 'a socket lost its events');
  return {
    prefix: memberRoom(''),
    async admit(raw, authenticate) {
      const request = joinRequest.safeParse(raw);
      if (!request.success) throw new Refusal('NO_DATA');
      const { room, token, since: seen } = request.data;
      const { id: memberId } = await authenticate(token);
      if (!isOwnRoom(room, memberId)) throw new Refusal('INVALID_USER_3');
      const since = seen === undefined ? await ledger.lastEvent(memberId) : BigInt(seen);
      return {
        token,
        subscribe(sender) {
          const eventSender = { ...sender, send: (event: MemberEvent) => sender.emit('event', event) };
          return new Follower({ memberId, since, ledger, sender: eventSender, onTrouble });
        },
      };
    },
  };
}
