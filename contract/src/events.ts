import type { z } from 'zod';
import type { joinReply, memberEvent, sessionEnded } from './event-shapes.ts';

/**
 * What the member's socket carries (Socket.IO, default path). The app sends `join` and is acknowledged; the server then
 * sends `event` for each money event of the member after `since`, in order, and goes on with new ones as they happen.
 */
export type JoinRequest = {
  /** `member:` and the member's id. */
  room: string;
  token: string;
  /** Sequence of the last event seen, as `GET /api/wallet` or the last event told it. */
  since?: string;
};

export type JoinReply = z.output<typeof joinReply>;

export type MemberEvent = z.output<typeof memberEvent>;

/**
 * Sent before the server closes a socket whose session has ended: logged out, superseded by a change of password, expired
 * or deactivated, on whatever device.
 */
export const SESSION_ENDED = 'session-ended';

export type SessionEnded = z.output<typeof sessionEnded>;

export const memberRoom = (memberId: string): string => `member:${memberId}`;

/**
 * The chat's part of the same socket: `join` with a {@link ChatJoinRequest}, acknowledged as above; then `messaging` with
 * each new message of the conversation (a `ChatMessage`). What was missed while there was no socket is in the history.
 */
export type ChatJoinRequest =
  | { room: string; token: string }
  | { room: string; guestSecret: string }
  /** A visitor whose guest-id was never given a secret. */
  | { room: string };

/** What a conversation's room begins with; `GET /api/chat/config` tells it as PREFIX. */
export const CHAT_ROOM_PREFIX = 'chat:';

/** @param customerId the member's id or the visitor's guest-id */
export const chatRoom = (customerId: string): string => `${CHAT_ROOM_PREFIX}${customerId}`;

/** Made by the client: 128 random bits as 32 hex digits, or a random UUID. */
export const GUEST_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/;
