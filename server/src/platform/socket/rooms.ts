import { type JoinReply, SESSION_ENDED, type SessionEnded } from '@krapao/contract/events';
import type { Server, Socket } from 'socket.io';
import { z } from 'zod';
import type { AddressRewriterForHost } from '../http/requested-host.ts';
import type { Member } from '../http/caller.ts';
import { type JobLog, startPeriodicJob } from '../jobs/job.ts';
import { type SocketSender, createSocketSender } from './socket.ts';
import { Refusal } from '../errors.ts';
import { createSemaphore } from '../jobs/concurrency.ts';

/** The subscription of one connection to a room. */
export type RoomSubscription = {
  /** Called when the connection has joined. */
  start?(): unknown;
  /** Called when nothing more is sent to the connection. */
  leave(): void;
};

/** An admitted connection. */
export type Admission<S extends RoomSubscription> = {
  /** Token of the session; the subscription ends with it. */
  token?: string;
  subscribe(sender: SocketSender): S;
};

/** Finds the member of a token; throws the refusal that an API call with it would get. */
export type AuthenticateToken = (token: string) => Promise<Member>;

/** Handles one kind of room. */
export type RoomHandler<S extends RoomSubscription> = {
  /** Prefix of its room names. */
  prefix: string;
  /** Whether a request to join one of its rooms is granted; throws a Refusal when it isn't. */
  admit(request: unknown, authenticate: AuthenticateToken): Promise<Admission<S>>;
};

/** The subscriptions to the rooms of a keeper. */
export type RoomSubscribers<S extends RoomSubscription> = {
  in(room: string): Iterable<S>;
  /** Ends every connection; the apps reconnect automatically. */
  dropAll(): void;
};

export type Rooms = {
  keep<S extends RoomSubscription>(keeper: RoomHandler<S>): RoomSubscribers<S>;
  stop(): Promise<void>;
};

/**
 * Every node checks the sessions of its sockets this often: a session that ends on any node is signalled within this
 * time.
 */
const SESSION_CHECK_MS = 1_000;
/** Sessions checked at a time; together they are one query. */
const SESSIONS_AT_ONCE = 256;
const SOCKETS_MAX = 10_000;
/** When all clients reconnect, at most this many joins run concurrently. */
const JOINS_AT_ONCE = 16;
const JOINS_WAITING_MAX = 2_000;
const JOIN_TIMEOUT_MS = 5_000;
/** Join requests of one connection; the app sends one for each kind of room, and others when its token changes. */
const JOINS_MAX = 10;
/** Connections in one room, which belongs to one person; one more closes the oldest. */
const PER_ROOM_MAX = 10;

type Taken = { room: string; token: string | undefined; sender: SocketSender; subscription: RoomSubscription };
/** A keeper and the connections in its rooms, oldest first. */
type Kept = { keeper: RoomHandler<RoomSubscription>; taken: Map<string, Set<Taken>> };

const named = z.object({ room: z.string().max(128) });

export type RoomsDeps = {
  sockets: Server;
  authenticate: AuthenticateToken;
  addressRewriterFor: AddressRewriterForHost;
  log: JobLog;
};

/**
 * The rooms of the socket. A connection joins with `join` and the room's name, at most one room of each kind; a
 * connection that has joined none after a few seconds is closed.
 */
export function openRooms({ sockets, authenticate, addressRewriterFor, log }: RoomsDeps): Rooms {
  const kept: Kept[] = [];
  const gate = createSemaphore(JOINS_AT_ONCE, JOINS_WAITING_MAX, () => {
    throw new Refusal('REQUEST_LIMIT');
  });
  sockets.use((_socket, next) => {
    const isFull = sockets.engine.clientsCount > SOCKETS_MAX;
    next(isFull ? new Error('REQUEST_LIMIT') : undefined);
  });
  const admit = (raw: unknown): Promise<Admitted | { refused: string }> => gate(() => admitTo(kept, raw, authenticate));
  sockets.on('connection', (socket: Socket) => {
    serve(socket, createSocketSender(socket, addressRewriterFor), (raw) =>
      admit(raw).catch((error: unknown) => {
        if (error instanceof Refusal) return { refused: error.code };
        log.error({ err: error }, 'a socket could not join');
        return { refused: 'INTERNAL_SERVER_ERROR' };
      }),
    );
  });
  const sessionCheck = startPeriodicJob({
    name: 'check the sessions of sockets',
    everyMs: SESSION_CHECK_MS,
    log,
    run: () => endEnded(kept, authenticate),
  });
  return {
    keep<S extends RoomSubscription>(keeper: RoomHandler<S>): RoomSubscribers<S> {
      const own: Kept = { keeper, taken: new Map() };
      kept.push(own);
      return {
        in: (room) => [...(own.taken.get(room) ?? [])].map(({ subscription }) => subscription as S),
        dropAll: () => {
          for (const { sender } of allOf(own)) sender.drop();
        },
      };
    },
    stop: () => sessionCheck.stop(),
  };
}

type Admitted = { kept: Kept; room: string; admission: Admission<RoomSubscription> };

async function admitTo(kept: readonly Kept[], raw: unknown, authenticate: AuthenticateToken): Promise<Admitted> {
  const request = named.safeParse(raw);
  if (!request.success) throw new Refusal('NO_DATA');
  const { room } = request.data;
  const own = kept.find(({ keeper }) => room.startsWith(keeper.prefix));
  if (!own) throw new Refusal('INVALID_USER_3');
  return { kept: own, room, admission: await own.keeper.admit(raw, authenticate) };
}

function serve(
  socket: Socket,
  sender: SocketSender,
  admit: (raw: unknown) => Promise<Admitted | { refused: string }>,
): void {
  const own = new Map<Kept, Taken>();
  let joins = 0;
  const timer = setTimeout(() => socket.disconnect(true), JOIN_TIMEOUT_MS);
  socket.once('disconnect', () => {
    clearTimeout(timer);
    for (const [kept, taken] of own) free(kept, taken);
  });
  socket.on('join', (raw: unknown, acknowledge: unknown) => {
    joins += 1;
    if (joins > JOINS_MAX) return void socket.disconnect(true);
    void admit(raw).then((admitted) => {
      const isRefused = 'refused' in admitted;
      if (typeof acknowledge === 'function') acknowledge(replyOf(isRefused ? admitted.refused : undefined));
      if (isRefused || !socket.connected) return;
      clearTimeout(timer);
      const before = own.get(admitted.kept);
      if (before) free(admitted.kept, before);
      own.set(admitted.kept, take(admitted, sender));
    });
  });
}

const replyOf = (refused: string | undefined): JoinReply =>
  refused === undefined ? { joined: true } : { joined: false, message: refused };

function take({ kept, room, admission }: Admitted, sender: SocketSender): Taken {
  const taken: Taken = { room, token: admission.token, sender, subscription: admission.subscribe(sender) };
  const others = kept.taken.get(room) ?? new Set();
  kept.taken.set(room, others.add(taken));
  taken.subscription.start?.();
  const [oldest] = others;
  if (others.size > PER_ROOM_MAX && oldest) sendAway(kept, oldest);
  return taken;
}

function free({ taken }: Kept, one: Taken): void {
  const others = taken.get(one.room);
  others?.delete(one);
  if (others?.size === 0) taken.delete(one.room);
  one.subscription.leave();
}

function sendAway(kept: Kept, taken: Taken): void {
  free(kept, taken);
  taken.sender.sendAway();
}

const allOf = ({ taken }: Kept): Taken[] => [...taken.values()].flatMap((some) => [...some]);

/** Notifies and closes the connections of ended sessions. A database failure closes none. */
async function endEnded(kept: readonly Kept[], authenticate: AuthenticateToken): Promise<void> {
  const all = kept.flatMap((own) => allOf(own).map((taken) => ({ own, taken })));
  const tokens = [...new Set(all.map(({ taken }) => taken.token))].filter((token) => token !== undefined);
  const check = (token: string): Promise<unknown> =>
    authenticate(token).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      const ended: SessionEnded = { message: error.code };
      for (const { own, taken } of all) {
        if (taken.token !== token) continue;
        taken.sender.emit(SESSION_ENDED, ended);
        sendAway(own, taken);
      }
    });
  for (let first = 0; first < tokens.length; first += SESSIONS_AT_ONCE)
    await Promise.all(tokens.slice(first, first + SESSIONS_AT_ONCE).map(check));
}
