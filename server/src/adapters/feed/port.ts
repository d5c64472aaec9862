import type { Currency, Minor } from '@krapao/contract/money';
import type { BankCallback } from '../bank-client.ts';
import { failedProbe, PROVEN, type Probe, type ProbeOutcome } from '../probe.ts';

/** A raw callback, because signatures cover bytes. */
export type PushCall = BankCallback;

/** Money received on an operator account. */
export type FeedEntry = {
  /** Three-digit number of the sending bank, or WALLET_APP. */
  sendingBank: string;
  /** Reference of the sending bank, case-sensitive; unique together with the bank. */
  transRef: string;
  amount: Minor;
  currency: Currency;
  /** Visible digits and name of the sender; '' when hidden. */
  sender: { account: string; name: string };
  /** First reference of a bill payment. */
  reference1: string | null;
  sentAt: Date;
  /** The raw line, for an operator when the line can't be stored. */
  evidence: string;
};

export type FeedPage =
  /**
   * `lines`: money received. `unreadable`: raw lines that can't be parsed. `cursor`: position of the next read;
   * undefined when it can't be stored.
   */
  | { page: 'READ'; lines: FeedEntry[]; unreadable: string[]; cursor: string | undefined; hasMore: boolean }
  /** No valid page: nothing is known, and the cursor stays. */
  | { page: 'UNKNOWN'; reason: string };

/** The feed of one operator account. Failures of the counterparty are outcomes and never throw. */
export type Feed = {
  /** Name of its house account in the ledger. */
  name: string;
  currency: Currency;
  /** Maximum duration of a read, in ms. */
  patienceMs: number;
  /** @param cursor '' for the first page · @param limit maximum lines of the page */
  read(cursor: string, limit: number): Promise<FeedPage>;
  /** Reads one line from the beginning; the cursor stays. */
  probe?: Probe;
};

/** Probes a feed by its oldest line. */
export async function probeByReading(read: Feed['read']): Promise<ProbeOutcome> {
  const page = await read('', 1);
  return page.page === 'READ' ? PROVEN : failedProbe(page.reason);
}

/** A push only triggers a read. `feed` undefined: the push names no operator account. */
export type PushReading =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  | { reading: 'PUSH'; feed: string | undefined };

/** A sender of pushes. */
export type FeedPusher = {
  /** Last segment of the callback path. */
  path: string;
  readPush(call: PushCall): Promise<PushReading>;
  /** Reply that the sender expects. */
  reply: unknown;
};
