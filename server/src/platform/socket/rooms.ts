import { type JoinReply, SESSION_ENDED, type SessionEnded } from '@krapao/contract/events';
import type { Server, Socket } from 'socket.io';
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import type { Member } from '../http/caller.ts';
import type { HostClaim, RewriteAddress } from '../http/requested-host.ts';
import { createSemaphore } from '../jobs/concurrency.ts';
import { type JobLog, startPeriodicJob } from '../jobs/job.ts';
import { type SocketSender, createSocketSender } from './socket.ts';
import { markJoined } from './unjoined.ts';

/** The subscription of one connection to a room. */
export type RoomSubscription = {
  /** Called when the connection has joined. */
  start?(): unknown;
  /** Called when the connection gets no more messages. */
  leave(): void;
};

/** An admitted connection. */
export type Admission<S extends RoomSubscription> = {
  /** Token of the session; the subscription ends with the session. */
  token?: string;
  subscribe(sender: SocketSender): S;
};

/** Finds the member of a token; throws the same refusal as an API call with the token. */
export type AuthenticateToken = (token: string) => Promise<Member>;

/** Handles one kind of room. */
export type RoomHandler<S extends RoomSubscription> = {
  /** Prefix of its room names. */
  prefix: string;
  /** Admits a request to join one of its rooms; throws a Refusal otherwise. */
  admit(request: unknown, authenticate: AuthenticateToken): Promise<Admission<S>>;
};

/** The subscriptions to the rooms of a handler. */
export type RoomSubscribers<S extends RoomSubscription> = {
  in(room: string): Iterable<S>;
  /** Ends every connection; the apps reconnect automatically. */
  dropAll(): void;
};

export type Rooms = {
  register<S extends RoomSubscription>(handler: RoomHandler<S>): RoomSubscribers<S>;
  stop(): Promise<void>;
};

/** Interval of the session checks of a node: bounds how late a session that ended on another node is signalled. */
const SESSION_CHECK_MS = 1_000;
/** Sessions per check batch; a batch is one query. */
const SESSIONS_AT_ONCE = 256;
const SOCKETS_MAX = 10_000;
/** Maximum concurrent joins, for the moment when all clients reconnect. */
const JOINS_AT_ONCE = 16;
const JOINS_WAITING_MAX = 2_000;
const JOIN_TIMEOUT_MS = 5_000;
/** Maximum join requests of one connection. The app sends one per kind of room, and more when its token changes. */
const JOINS_MAX = 10;
/** Maximum connections in one room, which belongs to one person; one more closes the oldest. */
const PER_ROOM_MAX = 10;

type Membership = { room: string; token: string | undefined; sender: SocketSender; subscription: RoomSubscription };
/** A handler and the memberships in its rooms, oldest first. */
type RegisteredHandler = { handler: RoomHandler<RoomSubscription>; membersByRoom: Map<string, Set<Membership>> };

const joinRequest = z.object({ room: z.string().max(128) });

export type RoomsDeps = {
  sockets: Server;
  authenticate: AuthenticateToken;
  addressRewriterOf: (claim: HostClaim) => RewriteAddress;
  log: JobLog;
};

/**
 * The rooms of the socket. A connection joins with `join` and the room's name, at most one room of each kind. A
 * connection without a room is closed after a few seconds.
 */
export function openRooms({ sockets, authenticate, addressRewriterOf, log }: RoomsDeps): Rooms {
  const handlers: RegisteredHandler[] = [];
  const joinQueue = createSemaphore(JOINS_AT_ONCE, JOINS_WAITING_MAX, () => {
    throw new Refusal('REQUEST_LIMIT');
  });
  sockets.use((_socket, next) => {
    const isFull = sockets.engine.clientsCount > SOCKETS_MAX;
    next(isFull ? new Error('REQUEST_LIMIT') : undefined);
  });
  const admitQueued = (raw: unknown): Promise<AdmittedJoin | { refused: string }> =>
    joinQueue(() => admitTo(handlers, raw, authenticate));
  sockets.on('connection', (socket: Socket) => {
    serveSocket(socket, createSocketSender(socket, addressRewriterOf), (raw) =>
      admitQueued(raw).catch((error: unknown) => {
        if (error instanceof Refusal) return { refused: error.code };
        log.error({ err: error }, 'socket join failed');
        return { refused: 'INTERNAL_SERVER_ERROR' };
      }),
    );
  });
  const sessionCheck = startPeriodicJob({
    name: 'check the sessions of sockets',
    everyMs: SESSION_CHECK_MS,
    log,
    run: () => endExpiredSessions(handlers, authenticate),
  });
  return {
    register<S extends RoomSubscription>(handler: RoomHandler<S>): RoomSubscribers<S> {
      const registered: RegisteredHandler = { handler, membersByRoom: new Map() };
      handlers.push(registered);
      return {
        in: (room) => [...(registered.membersByRoom.get(room) ?? [])].map(({ subscription }) => subscription as S),
        dropAll: () => {
          for (const { sender } of membershipsOf(registered)) sender.drop();
        },
      };
    },
    stop: () => sessionCheck.stop(),
  };
}

type AdmittedJoin = { registered: RegisteredHandler; room: string; admission: Admission<RoomSubscription> };

async function admitTo(
  handlers: readonly RegisteredHandler[],
  raw: unknown,
  authenticate: AuthenticateToken,
): Promise<AdmittedJoin> {
  const request = joinRequest.safeParse(raw);
  if (!request.success) throw new Refusal('NO_DATA');
  const { room } = request.data;
  const registered = handlers.find(({ handler }) => room.startsWith(handler.prefix));
  if (!registered) throw new Refusal('INVALID_USER_3');
  return { registered, room, admission: await registered.handler.admit(raw, authenticate) };
}

function serveSocket(
  socket: Socket,
  sender: SocketSender,
  admit: (raw: unknown) => Promise<AdmittedJoin | { refused: string }>,
): void {
  const memberships = new Map<RegisteredHandler, Membership>();
  let joinCount = 0;
  const timer = setTimeout(() => socket.disconnect(true), JOIN_TIMEOUT_MS);
  socket.once('disconnect', () => {
    clearTimeout(timer);
    for (const [registered, membership] of memberships) removeMembership(registered, membership);
  });
  socket.on('join', (raw: unknown, acknowledge: unknown) => {
    joinCount += 1;
    if (joinCount > JOINS_MAX) return void socket.disconnect(true);
    void admit(raw).then((admitted) => {
      const isRefused = 'refused' in admitted;
      if (typeof acknowledge === 'function') acknowledge(joinReply(isRefused ? admitted.refused : undefined));
      if (isRefused || !socket.connected) return;
      clearTimeout(timer);
      markJoined(socket);
      const earlierMembership = memberships.get(admitted.registered);
      if (earlierMembership) removeMembership(admitted.registered, earlierMembership);
      memberships.set(admitted.registered, addMembership(admitted, sender));
    });
  });
}

const joinReply = (refused: string | undefined): JoinReply =>
  refused === undefined ? { joined: true } : { joined: false, message: refused };

function addMembership({ registered, room, admission }: AdmittedJoin, sender: SocketSender): Membership {
  const membership: Membership = { room, token: admission.token, sender, subscription: admission.subscribe(sender) };
  const roomMembers = registered.membersByRoom.get(room) ?? new Set();
  registered.membersByRoom.set(room, roomMembers.add(membership));
  membership.subscription.start?.();
  const [oldestMember] = roomMembers;
  if (roomMembers.size > PER_ROOM_MAX && oldestMember) sendAway(registered, oldestMember);
  return membership;
}

function removeMembership({ membersByRoom }: RegisteredHandler, membership: Membership): void {
  const roomMembers = membersByRoom.get(membership.room);
  roomMembers?.delete(membership);
  if (roomMembers?.size === 0) membersByRoom.delete(membership.room);
  membership.subscription.leave();
}

function sendAway(registered: RegisteredHandler, membership: Membership): void {
  removeMembership(registered, membership);
  membership.sender.sendAway();
}

const membershipsOf = ({ membersByRoom }: RegisteredHandler): Membership[] =>
  [...membersByRoom.values()].flatMap((roomMembers) => [...roomMembers]);

/** Notifies and closes the connections of ended sessions. A database failure closes none. */
async function endExpiredSessions(
  handlers: readonly RegisteredHandler[],
  authenticate: AuthenticateToken,
): Promise<void> {
  const memberships = handlers.flatMap((registered) =>
    membershipsOf(registered).map((membership) => ({ registered, membership })),
  );
  const tokens = [...new Set(memberships.map(({ membership }) => membership.token))].filter(
    (token) => token !== undefined,
  );
  const checkSession = (token: string): Promise<unknown> =>
    authenticate(token).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      const notification: SessionEnded = { message: error.code };
      for (const { registered, membership } of memberships) {
        if (membership.token !== token) continue;
        membership.sender.emit(SESSION_ENDED, notification);
        sendAway(registered, membership);
      }
    });
  for (let offset = 0; offset < tokens.length; offset += SESSIONS_AT_ONCE)
    await Promise.all(tokens.slice(offset, offset + SESSIONS_AT_ONCE).map(checkSession));
}
