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

export type JoinReply = { joined: true } | { joined: false; message: string };

/** A movement of a member's money, or the outcome of one that was under way. */
export type MemberEvent = {
  /** Grows with every event of the member; a decimal text because it may pass 2^53. */
  sequence: string;
  kind: 'deposit' | 'withdraw' | 'transfer' | 'play' | 'bonus';
  state: 'PROCESSING' | 'SUCCESS' | 'FAILED';
  reference: string;
  /** Signed change of what is free in the wallet, as on the wire. */
  amount: number;
  at: string;
};

export const memberRoom = (memberId: string): string => `member:${memberId}`;
