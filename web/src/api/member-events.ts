import { memberRoom, type JoinReply, type JoinRequest, type MemberEvent } from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { invalidate } from './query.ts';
import { storedToken } from './session.ts';

/** What to ask again when money of a kind has moved. Every kind is in the statement and changes the wallet. */
const wordsOf: Readonly<Record<MemberEvent['kind'], readonly string[]>> = {
  deposit: ['wallet', 'statement', 'qrcode'],
  withdraw: ['wallet', 'statement'],
  transfer: ['wallet', 'statement'],
  play: ['wallet', 'statement'],
  bonus: ['wallet', 'statement', 'bonus', 'refund', 'invite'],
};

type Listener = (event: MemberEvent) => void;
const listeners = new Set<Listener>();
let socket: Socket | undefined;
let member: { id: string; since: string } | undefined;

/** Hears the member's events besides the asking again, to say what happened. */
export function onMemberEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Sequences are decimal texts: the longer is the later, then by digits. */
const isLater = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length;

function join(): void {
  const token = storedToken();
  if (!socket?.connected || !member || !token) return;
  const request: JoinRequest = { room: memberRoom(member.id), token, since: member.since };
  // Not let in: asking for the wallet tells why, and leaves to /login if the session is over.
  socket.emit('join', request, ({ joined }: JoinReply) => void (joined || invalidate('wallet')));
}

// Two movements of the same moment may come in either order: each is news, and only the place to resume at never goes back.
function hear(event: MemberEvent): void {
  if (!member) return;
  if (isLater(event.sequence, member.since)) member.since = event.sequence;
  void invalidate(...wordsOf[event.kind]);
  for (const listener of listeners) listener(event);
}

/**
 * Says whose events to follow and from where, as `GET /api/wallet` told (`profile._id`, `eventSequence`). Call it with
 * each wallet; the socket joins once, goes on from the last event that was heard, and resumes there after a break. A
 * later wallet doesn't move it forward: what that one already contains is still to be told.
 */
export function followMember(id: string, eventSequence: string): void {
  if (member?.id === id) return;
  member = { id, since: eventSequence };
  join();
}

/**
 * Opens the member's socket once the page has come to rest; its library is not worth waiting for.
 * @returns ends it
 */
export function startMemberEvents(): () => void {
  let isOver = false;
  const open = async (): Promise<void> => {
    const { io } = await import('socket.io-client');
    if (isOver) return;
    socket = io({ transports: ['websocket', 'polling'], reconnectionDelay: 1_000, reconnectionDelayMax: 5_000 });
    socket.on('connect', join);
    socket.on('event', hear);
  };
  const timer = setTimeout(() => void open().catch(() => undefined), 1_000);
  return () => {
    isOver = true;
    clearTimeout(timer);
    socket?.disconnect();
    socket = undefined;
    member = undefined;
  };
}
