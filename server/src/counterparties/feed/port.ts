import type { Currency, Minor } from '@krapao/contract/money';
import type { BankCallback } from '../bank-api/verify-callback.ts';

/** What came to a callback address of ours, raw: signatures are over bytes. */
export type PushCall = BankCallback;

/** Money that came to an account of ours. */
export type FeedLine = {
  /** Three-digit number of the bank that it left, or WALLET_APP. */
  sendingBank: string;
  /** That bank's reference, case-sensitive; unique together with the bank. */
  transRef: string;
  amount: Minor;
  currency: Currency;
  /** As far as it is shown; '' where it isn't. */
  sender: { account: string; name: string };
  /** First reference of a bill payment. */
  reference1: string | null;
  sentAt: Date;
};

export type FeedPage =
  /** `lines`: what came in. `unreadable`: lines that nobody can read, as they came. `cursor`: where to go on. */
  | { page: 'READ'; lines: FeedLine[]; unreadable: string[]; cursor: string; hasMore: boolean }
  /** No answer, or one that isn't a page: nothing is known, and the cursor stays. */
  | { page: 'UNKNOWN'; reason: string };

/** An account of ours that can be read, line by line. Nothing here throws for what the outside does. */
export type Feed = {
  /** Name of its house account in the ledger. */
  name: string;
  /** A reading has certainly ended after this long. */
  patienceMs: number;
  /** @param cursor '' for the very beginning · @param limit most lines of the page */
  read(cursor: string, limit: number): Promise<FeedPage>;
};

/** What a push is worth: nothing but a reason to read. `feed` undefined: it names none of our accounts. */
export type PushReading =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  | { reading: 'PUSH'; feed: string | undefined };

/** Who tells that there is something to read. */
export type FeedPusher = {
  /** Last part of the callback path. */
  path: string;
  readPush(call: PushCall): Promise<PushReading>;
  /** What the sender wants to hear. */
  reply: unknown;
};
