import { type JoinReply, type JoinRequest, type MemberEvent, memberRoom, SESSION_ENDED } from '@krapao/contract/events';
import type { Socket } from 'socket.io-client';
import { onReconnect } from '../../browser/connection.ts';
import { createListeners } from '../../browser/listeners.ts';
import { failureHandler } from '../errors.ts';
import { storedToken } from '../session.ts';
import { invalidate } from './query.ts';

/** Query scopes to refetch after an event, by kind. Every kind changes the wallet and the statement. */
const scopesByKind: Readonly<Record<MemberEvent['kind'], readonly string[]>> = {
  // A deposit also adds coins and changes the amounts shown before cancelling a bonus.
  deposit: ['wallet', 'statement', 'qrcode', 'bonus', 'spinwheel'],
  withdraw: ['wallet', 'statement'],
  transfer: ['wallet', 'statement'],
  // Progress of conditions depends on wins and losses.
  play: ['wallet', 'statement', 'bonus', 'refund'],
  // Without `promotion`: its terms don't change, and each of its requests counts as a guess.
  bonus: ['wallet', 'statement', 'bonus', 'refund', 'invite', 'spinwheel'],
};

const memberEvents = createListeners<MemberEvent>();
let socket: Socket | undefined;
let member: { id: string; since: string } | undefined;

/** Subscribes to the member's events. The invalidation of queries does not need a subscription. */
export const onMemberEvent = memberEvents.subscribe;

/** Compares two sequences, which are decimal texts: the longer is later, otherwise the digits decide. */
const isLater = (sequence: string, earlierSequence: string): boolean =>
  sequence.length === earlierSequence.length ? sequence > earlierSequence : sequence.length > earlierSequence.length;

/** Timeouts of connecting and of a join's acknowledgement, and interval of the connection check, in ms. */
const CONNECT_TIMEOUT_MS = 20_000;
const JOIN_TIMEOUT_MS = 10_000;
const JOIN_RETRY_MS = 5_000;
/** Message of a refusal that may be retried later. */
const BUSY_MESSAGE = 'REQUEST_LIMIT';

let isJoining = false;
let isJoined = false;
/** Token with which the room was last joined. */
let joinedToken: string | undefined;

function joinRoom(): void {
  const token = storedToken();
  if (!socket?.connected || !member || !token || isJoining) return;
  isJoining = true;
  joinedToken = token;
  const request: JoinRequest = { room: memberRoom(member.id), token, since: member.since };
  socket.timeout(JOIN_TIMEOUT_MS).emit('join', request, (timeoutError: Error | null, reply?: JoinReply) => {
    isJoining = false;
    if (timeoutError || !reply) return;
    isJoined = reply.joined;
    // After a refusal, loading the wallet reveals the reason; an ended session leads to /login.
    if (!reply.joined && reply.message !== BUSY_MESSAGE) void invalidate('wallet');
  });
}

// Events of concurrent movements can arrive in any order. Each is handled, but the resume position only increases.
function handleEvent(event: MemberEvent): void {
  if (!member) return;
  if (isLater(event.sequence, member.since)) member.since = event.sequence;
  void invalidate(...scopesByKind[event.kind]);
  memberEvents.notify(event);
}

/** Connects the socket or joins the room if necessary; undefined before the socket may connect. */
let connectIfNeeded: (() => void) | undefined;

/**
 * Sets the member and the sequence after which events are needed (`profile._id` and `eventSequence` of `GET
 * /api/wallet`). Called with each loaded wallet. The socket joins once and resumes after the last received event. A
 * later wallet does not change the resume position, because events between are still announced.
 */
export function subscribeMember(id: string, eventSequence: string): void {
  if (member?.id === id) return;
  member = { id, since: eventSequence };
  isJoined = false;
  connectIfNeeded?.();
}

const IDLE_DELAY_MS = 1_000;

/**
 * Opens the member's event socket. Waits until the page is idle, because the socket library is large. Waits until the
 * member is known, because the server closes sockets that join no room. Checks the connection every few seconds: a
 * socket that the server has closed or refused does not reconnect automatically.
 * @returns function that closes the socket
 */
export function startMemberEvents(): () => void {
  let isStopped = false;
  let isOpening = false;
  const open = async (): Promise<void> => {
    if (isOpening) return;
    isOpening = true;
    try {
      const { openSocket } = await import('../socket.ts');
      if (isStopped) return;
      socket = openSocket({ timeout: CONNECT_TIMEOUT_MS, reconnectionDelay: 1_000, reconnectionDelayMax: 5_000 });
      socket.on('connect', joinRoom);
      socket.on('disconnect', () => {
        isJoined = false;
      });
      socket.on('event', handleEvent);
      socket.on(SESSION_ENDED, () => {
        if (joinedToken) failureHandler?.onSessionEnded(joinedToken);
      });
      if (import.meta.env.DEV) (await import('../contract-check.ts')).checkSocket(socket);
    } catch {
      // The connection was lost while the socket library was loading.
    } finally {
      isOpening = false;
    }
  };
  const checkConnection = (): void => {
    if (!member) return;
    if (!socket) void open();
    else if (!socket.active) socket.connect();
    else if (!isJoined) joinRoom();
  };
  // After a reconnection the old connection may seem open while it misses events. A new connection receives the missed
  // events.
  const reconnect = (): void => {
    if (socket) socket.disconnect().connect();
    else checkConnection();
  };
  let timer: ReturnType<typeof setInterval> | undefined;
  const startTimer = setTimeout(() => {
    connectIfNeeded = checkConnection;
    checkConnection();
    timer = setInterval(checkConnection, JOIN_RETRY_MS);
  }, IDLE_DELAY_MS);
  const unsubscribe = onReconnect(reconnect);
  return () => {
    isStopped = true;
    clearTimeout(startTimer);
    clearInterval(timer);
    unsubscribe();
    socket?.disconnect();
    socket = undefined;
    member = undefined;
    connectIfNeeded = undefined;
  };
}
