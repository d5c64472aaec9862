import type { FastifyInstance } from 'fastify';
import type { Holder } from '../bank/accounts.ts';
import type { Server } from '../control/serve.ts';
import type { Currency } from '../money.ts';
import type { SendPolicy } from '../push/deliveries.ts';
import type { Code, Codes, Payer } from './codes.ts';
import type { GatewayService } from './gateway-service.ts';

/** Content of a callback about a code; untrue in a forged one. Amount in satang or hundredths of a kip. */
export type Claim = { code: Code; amount: number; transactionNumber: string; at: number };

/** Format and retry schedule of a gateway's callbacks. */
export type CallbackPolicy = SendPolicy & {
  url: string;
  /** Back-off in milliseconds after each failed attempt; the callback is dropped after the last one. */
  retryMs: readonly number[];
  bodyOf(claim: Claim): string;
};

/** Matches payments that carry no reference to codes. */
export type Finder = {
  /**
   * Books received money, inside the transaction that took it from the payer.
   * @returns the code of the callback: paid, or marked as unclear; undefined when no code matches
   */
  book(payment: { codes: Codes; amount: number; payer: Payer; at: number }): Code | undefined;
  /** Money held without a matching code, and the fees of matched payments. Hundredths of the currency. */
  totals(): { unmatched: number; fee: number };
};

/** The specifics of one gateway; the other files of this folder have the common behaviour. */
export type Gateway = {
  /** Name in URLs, faults and totals. */
  name: string;
  currency: Currency;
  /** Receiver of the money on a payer's slip. */
  payee: Holder;
  /** Calls as named in the protocol: the one that issues a code, and the others. */
  calls: { issue: string; others: readonly string[] };
  /** The gateway's number of a code; an order may supply a number instead. */
  numberOf(id: number): string;
  /** Text of the QR code, unique per code. */
  payloadOf(code: { number: string; reference: string; id: number; amount: number; expiresAt: number }): string;
  transactionNumberOf(id: number, at: number): string;
  callback: CallbackPolicy;
  /** Only for a gateway whose payments carry no reference. */
  finder?: Finder;
  routes(app: FastifyInstance, at: { gatewayService: GatewayService; server: Server }): void;
};
