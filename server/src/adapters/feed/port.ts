import type { Currency, Minor } from '@krapao/contract/money';
import type { BankCallback } from '../bank-client.ts';

/** A raw callback: signatures are over bytes. */
export type PushCall = BankCallback;

/** Money received on one of our accounts. */
export type FeedEntry = {
  /** Three-digit number of the sending bank, or WALLET_APP. */
  sendingBank: string;
  /** That bank's reference, case-sensitive; unique together with the bank. */
  transRef: string;
  amount: Minor;
  currency: Currency;
  /** As far as it is visible; '' otherwise. */
  sender: { account: string; name: string };
  /** First reference of a bill payment. */
  reference1: string | null;
  sentAt: Date;
  /** The raw line, shown to an operator when it can't be stored. */
  evidence: string;
};

export type FeedPage =
  /**
   * `lines`: money received. `unreadable`: raw lines that can't be parsed. `cursor`: position of the next read; undefined
   * when it can't be stored.
   */
  | { page: 'READ'; lines: FeedEntry[]; unreadable: string[]; cursor: string | undefined; hasMore: boolean }
  /** No answer, or one that isn't a page: nothing is known, and the cursor stays. */
  | { page: 'UNKNOWN'; reason: string };

/** One of our accounts that can be read, line by line. Nothing here throws on failures of the outside. */
export type Feed = {
  /** Name of its house account in the ledger. */
  name: string;
  currency: Currency;
  /** Upper bound of the duration of a read. */
  patienceMs: number;
  /** @param cursor '' for the first page · @param limit maximum lines of the page */
  read(cursor: string, limit: number): Promise<FeedPage>;
};

/** A push only triggers a read. `feed` undefined: it names none of our accounts. */
export type PushReading =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  | { reading: 'PUSH'; feed: string | undefined };

/** A sender of pushes. */
export type FeedPusher = {
  /** Last part of the callback path. */
  path: string;
  readPush(call: PushCall): Promise<PushReading>;
  /** The answer that the sender expects. */
  reply: unknown;
};
