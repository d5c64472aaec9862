import type { FastifyInstance } from 'fastify';
import type { Holder } from '../bank/accounts.ts';
import type { Server } from '../control/serve.ts';
import type { Currency } from '../money.ts';
import type { Habit } from '../push/deliveries.ts';
import type { Code, Codes, Payer } from './codes.ts';
import type { Desk } from './desk.ts';

/** Content of a callback about a code; false in a forged one. Amount in satang or hundredths of a kip. */
export type Claim = { code: Code; amount: number; transactionNumber: string; at: number };

/** Format and retry schedule of a gateway's callbacks. */
export type CallbackHabit = Habit & {
  url: string;
  /** Back-off in milliseconds after each failed attempt; after the last one it gives up. */
  retryMs: readonly number[];
  bodyOf(claim: Claim): string;
};

/** How a gateway matches payments that carry no reference. */
export type Finder = {
  /**
   * Books received money; inside the transaction that took it from the payer.
   * @returns the code to call back about: paid, or marked as unclear; undefined when it matches none
   */
  book(payment: { codes: Codes; amount: number; payer: Payer; at: number }): Code | undefined;
  /** Money held in addition to payments of codes, and the fee on those. Hundredths of the currency. */
  totals(): { unmatched: number; fee: number };
};

/** What is specific to one gateway. Everything shared is in the other files of this folder. */
export type Gateway = {
  /** Name in addresses, faults and totals. */
  name: string;
  currency: Currency;
  /** Receiver of the money, as shown on a payer's slip. */
  payee: Holder;
  /** The call that issues a code, and the others, by the names of its protocol. */
  calls: { issue: string; others: readonly string[] };
  /** The gateway's own number of a code; an order may bring one instead. */
  numberOf(id: number): string;
  /** The text that a code's QR encodes. Unique per code. */
  payloadOf(code: { number: string; reference: string; id: number; amount: number; expiresAt: number }): string;
  transactionNumberOf(id: number, at: number): string;
  callback: CallbackHabit;
  /** Only for a gateway whose payments carry no reference. */
  finder?: Finder;
  routes(app: FastifyInstance, at: { desk: Desk; server: Server }): void;
};
