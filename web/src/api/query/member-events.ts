import {
  type JoinReply,
  type JoinRequest,
  type MemberEvent,
  memberRoom,
  SESSION_ENDED,
  type SessionEnded,
} from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { onReconnect } from '../../shell/connection.ts';
import { ApiFailure, failureHandler } from '../errors.ts';
import { invalidate } from './query.ts';
import { storedToken } from '../session.ts';

/** Scopes to refetch after a money event of a kind. Every kind changes the wallet and the statement. */
const wordsOf: Readonly<Record<MemberEvent['kind'], readonly string[]>> = {
  // A deposit earns coins and changes the preview of cancelling a bonus.
  deposit: ['wallet', 'statement', 'qrcode', 'bonus', 'spinwheel'],
  withdraw: ['wallet', 'statement'],
  transfer: ['wallet', 'statement'],
  // Conditions depend on wins and losses.
  play: ['wallet', 'statement', 'bonus', 'refund'],
  // Not `promotion`: its terms don't change, and each request counts as a guess.
  bonus: ['wallet', 'statement', 'bonus', 'refund', 'invite', 'spinwheel'],
};

type Listener = (event: MemberEvent) => void;
const listeners = new Set<Listener>();
let socket: Socket | undefined;
let member: { id: string; since: string } | undefined;

/** Subscribes to the member's events, in addition to the invalidation that they cause. */
export function onMemberEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sequences are decimal texts: the longer is the later, then by digits. */
const isLater = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length;

/** Joining the room, in ms: time-out of the acknowledgement, and the pause before a retry. */
const JOIN_MS = 10_000;
const AGAIN_MS = 5_000;
/** A refusal to retry later. */
const BUSY = 'REQUEST_LIMIT';

let isAsking = false;
let isJoined = false;
/** Token of the last join. */
let joinedWith: string | undefined;

function join(): void {
  const token = storedToken();
  if (!socket?.connected || !member || !token || isAsking) return;
  isAsking = true;
  joinedWith = token;
  const request: JoinRequest = { room: memberRoom(member.id), token, since: member.since };
  socket.timeout(JOIN_MS).emit('join', request, (late: Error | null, reply?: JoinReply) => {
    isAsking = false;
    if (late || !reply) return;
    isJoined = reply.joined;
    // Refused: loading the wallet gives the reason, and leaves to /login if the session is over.
    if (!reply.joined && reply.message !== BUSY) void invalidate('wallet');
  });
}

// Two concurrent movements may arrive in either order: each is new, and only the resume position never goes back.
function hear(event: MemberEvent): void {
  if (!member) return;
  if (isLater(event.sequence, member.since)) member.since = event.sequence;
  void invalidate(...wordsOf[event.kind]);
  for (const listener of listeners) listener(event);
}

/** Connects and joins if necessary; undefined while no connection is needed. */
let look: (() => void) | undefined;

/**
 * Sets whose events to follow and from which sequence (`profile._id` and `eventSequence` of `GET /api/wallet`). Call it
 * with each wallet; the socket joins once and resumes after the last received event. A later wallet does not skip
 * events: they still have to be announced.
 */
export function subscribeMember(id: string, eventSequence: string): void {
  if (member?.id === id) return;
  member = { id, since: eventSequence };
  isJoined = false;
  look?.();
}

const REST_MS = 1_000;

/**
 * Opens the member's socket once the page is idle (its library is large) and the member is known (the server closes
 * sockets that join nothing). Checks every few seconds that it is still joined: a socket that the server has closed or
 * refused does not reconnect automatically.
 * @returns stop function
 */
export function startMemberEvents(): () => void {
  let isOver = false;
  let isOpening = false;
  const open = async (): Promise<void> => {
    if (isOpening) return;
    isOpening = true;
    try {
      const { io } = await import('socket.io-client');
      if (isOver) return;
      socket = io({ transports: ['websocket', 'polling'], reconnectionDelay: 1_000, reconnectionDelayMax: 5_000 });
      socket.on('connect', join);
      socket.on('disconnect', () => {
        isJoined = false;
      });
      socket.on('event', hear);
      socket.on(SESSION_ENDED, ({ message }: SessionEnded) => {
        if (joinedWith) void failureHandler?.onSessionEnded(new ApiFailure(message, 401), joinedWith);
      });
      if (import.meta.env.DEV) (await import('../contract-check.ts')).checkSocket(socket);
    } catch {
      // The connection was lost while its library was loading.
    } finally {
      isOpening = false;
    }
  };
  const check = (): void => {
    if (!member) return;
    if (!socket) void open();
    else if (!socket.active) socket.connect();
    else if (!isJoined) join();
  };
  // A broken connection may look open for a while and misses events: a new one catches up.
  const renew = (): void => {
    if (socket) socket.disconnect().connect();
    else check();
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  const rest = setTimeout(() => {
    look = check;
    check();
    timer = setInterval(check, AGAIN_MS);
  }, REST_MS);
  const unsubscribe = onReconnect(renew);
  return () => {
    isOver = true;
    clearTimeout(rest);
    clearInterval(timer);
    unsubscribe();
    socket?.disconnect();
    socket = undefined;
    member = undefined;
    look = undefined;
  };
}
