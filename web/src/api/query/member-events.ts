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

/** What to ask again when money of a kind has moved. Every kind is in the statement and changes the wallet. */
const wordsOf: Readonly<Record<MemberEvent['kind'], readonly string[]>> = {
  // A deposit earns coins, and moves what giving a bonus up would leave.
  deposit: ['wallet', 'statement', 'qrcode', 'bonus', 'spinwheel'],
  withdraw: ['wallet', 'statement'],
  transfer: ['wallet', 'statement'],
  // Conditions follow what is won and lost.
  play: ['wallet', 'statement', 'bonus', 'refund'],
  // What a code gives stays as it is, and asking for it counts as a guess.
  bonus: ['wallet', 'statement', 'bonus', 'refund', 'invite', 'spinwheel'],
};

type Listener = (event: MemberEvent) => void;
const listeners = new Set<Listener>();
let socket: Socket | undefined;
let member: { id: string; since: string } | undefined;

/** Subscribes to the member's events, besides the invalidation that they cause. */
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
/** A refusal that means later, not never. */
const BUSY = 'REQUEST_LIMIT';

let isAsking = false;
let isJoined = false;
/** The token that the room was last joined with. */
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

/** Connects and joins where that is missing; undefined while no connection is wanted. */
let look: (() => void) | undefined;

/**
 * Says whose events to follow and from where, as `GET /api/wallet` told (`profile._id`, `eventSequence`). Call it with
 * each wallet; the socket joins once, goes on from the last event that was heard, and resumes there after a break. A
 * later wallet doesn't move it forward: its contents are still to be announced.
 */
export function subscribeMember(id: string, eventSequence: string): void {
  if (member?.id === id) return;
  member = { id, since: eventSequence };
  isJoined = false;
  look?.();
}

const REST_MS = 1_000;

/**
 * Opens the member's socket once the page has come to rest, for its library is not worth waiting for, and the member is
 * known, for the server keeps no line that joins nothing. Looks every few seconds whether it is still joined: a line that
 * the server has ended or refused doesn't come back by itself.
 * @returns ends it
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
