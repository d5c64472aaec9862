import type { FastifyInstance } from 'fastify';
import type { Holder } from '../bank/accounts.ts';
import type { Server } from '../control/serve.ts';
import type { Currency } from '../money.ts';
import type { Code, Codes, Payer } from './codes.ts';
import type { Desk } from './desk.ts';

/** What a callback says of a code; a forged one says what isn't so. Amount in satang or hundredths of a kip. */
export type Claim = { code: Code; amount: number; transactionNumber: string; at: number };

/** How the callbacks of a gateway are sent, and how long it goes on trying. */
export type CallbackHabit = {
  url: string;
  /** Milliseconds to wait after each attempt that was not taken; after the last one it gives up. */
  retryMs: readonly number[];
  bodyOf(claim: Claim): string;
  /** Headers of one attempt. `isForged`: sent by somebody who knows the address and no secret. */
  headersOf(body: string, attempt: { at: number; isForged: boolean }): Record<string, string>;
  isTaken(status: number, text: string): boolean;
};

/** How a gateway finds out what a payment is for when the payment itself doesn't say. */
export type Finder = {
  /**
   * Books money that came; inside the transaction that took it from the payer.
   * @returns the code to call back about: paid, or noted as not clear; undefined when nobody knows whose it is
   */
  book(payment: { codes: Codes; amount: number; payer: Payer; at: number }): Code | undefined;
  /** What it holds beside payments of codes, and what it will keep of those. Hundredths of the currency. */
  totals(): { unmatched: number; fee: number };
};

/** What makes one gateway another than the next. Everything else is the same for all and stands beside this file. */
export type Gateway = {
  /** Of addresses, faults and totals. */
  name: string;
  currency: Currency;
  /** Where the money goes, as it stands on a payer's slip. */
  payee: Holder;
  /** The call that issues a code, and the others, by the names of its protocol. */
  calls: { issue: string; others: readonly string[] };
  /** The gateway's own number of a code; an order may bring one instead. */
  numberOf(id: number): string;
  /** The text that a code's QR encodes. Must be another one for every code. */
  payloadOf(code: { number: string; reference: string; id: number; amount: number; expiresAt: number }): string;
  transactionNumberOf(id: number, at: number): string;
  callback: CallbackHabit;
  /** Only of a gateway that has no references and must find out whom a payment is for. */
  finder?: Finder;
  routes(app: FastifyInstance, at: { desk: Desk; server: Server }): void;
};
