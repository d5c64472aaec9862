import type { RawBody } from '../../platform/json.ts';
import type { Currency, Minor } from '@krapao/contract/money';
import { z } from 'zod';
import type { Clock } from '../../platform/time.ts';

/** An order of a code. */
export type QrOrder = {
  /** Our own reference, unique for ever and stored before the call: 15 of `[A-Z0-9]`. */
  reference: string;
  amount: Minor;
  /** The member's own bank account, for a gateway that needs the payer; read on demand. */
  payer: () => Promise<PayerAccount | undefined>;
};

/** The registered account that a member pays from. */
export type PayerAccount = { bankCode: string; accountNo: string; accountName: string };

/** Identifies a code afterwards. A gateway with its own numbers may need that number too. */
export type CodeName = { reference: string; gatewayReference: string | null };

/** A code of an inquiry: `amount` is the amount of its order. */
export type InquiredQr = CodeName & { amount: Minor };

/**
 * A code that can be shown: its text has been parsed and asks for `payAmount`, which is fair for the requested amount.
 */
export type IssuedQr = {
  gatewayReference: string;
  payload: string;
  /** The amount of the code. See {@link isAcceptablePayAmount}. */
  payAmount: Minor;
  expiresAt: Date;
};

/** A gateway that distinguishes payments by their amount may change it, by less than one baht. */
const JITTER_LIMIT = 100n;

/**
 * Whether a gateway may ask for `payAmount` when `amount` was requested. Kip have no fractions, so both must be equal.
 */
export function isAcceptablePayAmount(currency: Currency, amount: Minor, payAmount: Minor): boolean {
  if (currency === 'LAK') return payAmount === amount;
  const difference = payAmount - amount;
  return payAmount > 0n && difference < JITTER_LIMIT && difference > -JITTER_LIMIT;
}

export type CreateOutcome =
  | ({ outcome: 'created' } & IssuedQr)
  /** Proven: there is no code. */
  | { outcome: 'refused'; reason: string }
  /** There may be a code, and it may be paid: inquire later. */
  | { outcome: 'unknown'; reason: string };

/** Received money, from the gateway's answer to an inquiry. */
export type Payment = {
  /** The gateway's own number of the payment: unique, and the idempotency key of the credit. */
  transactionNumber: string;
  amount: Minor;
  currency: Currency;
  paidAt: Date;
  /** Masked by the gateway. */
  payer: { bankCode: string; accountNo: string; name: string };
};

export type Inquiry =
  | { status: 'WAITING'; code: IssuedQr | undefined }
  | { status: 'PAID'; payment: Payment }
  /** Paid, but not automatically creditable (another currency, an invalid amount). */
  | { status: 'UNUSABLE'; reason: string; evidence: string }
  /** Money received, but held for review or reported without a usable number; it may still become PAID. */
  | { status: 'ON_HOLD'; reason: string; evidence: string }
  | { status: 'CANCELLED' | 'EXPIRED' | 'NOT_FOUND' }
  /** Timeout, 5xx or malformed answer: nothing is known. */
  | { status: 'UNKNOWN'; reason: string };

/** Money that a gateway holds without a matching code. `id`: the gateway's number of the payment. */
export type UnmatchedPayment = { id: string; amount: Minor; at: Date; payer: Payment['payer'] };

/** Payments at a gateway without a matching code. `unreadable`: raw payments that can't be parsed. */
export type UnmatchedPayments = { payments: UnmatchedPayment[]; unreadable: string[] };

export type CancelOutcome = 'CANCELLED' | 'ALREADY_PAID' | 'EXPIRED' | 'NOT_FOUND' | 'UNKNOWN';

/** A raw callback. */
export type CallbackCall = {
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: RawBody;
};

export type CallbackReading =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  /** A claim about a code. Its amounts are ignored: an inquiry to the gateway decides. */
  | { reading: 'CLAIM'; reference: string };

/**
 * A payment gateway that issues QR codes. Nothing here throws on failures of the outside: a missing or malformed answer
 * is an outcome too.
 */
export type Gateway = {
  /** The `bankCode` of the wire. */
  code: string;
  /** Last part of the callback path, and of the house account's name. */
  name: string;
  currency: Currency;
  /** Upper bound of the duration of a create call. */
  patienceMs: number;
  create(order: QrOrder): Promise<CreateOutcome>;
  inquire(code: InquiredQr): Promise<Inquiry>;
  /** At a gateway that can't cancel: see `cancelByInquiry`. */
  cancel(code: InquiredQr): Promise<CancelOutcome>;
  /**
   * Payments that it could not match to a code; a text says why the query failed. Left out: payments are always matched
   * by code.
   */
  unmatched?(): Promise<UnmatchedPayments | string>;
  readCallback(call: CallbackCall): CallbackReading;
  /** The answer that acknowledges a callback. */
  callbackReply: unknown;
};

export const timeoutMs = z.int().positive().max(60_000);
/** Secret part of the address of a callback, where the gateway signs nothing. */
export const callbackKey = z.string().min(16);

/** A gateway as its folder declares it: what is agreed with it, and how it is opened with that. */
export type GatewayDefinition<Settings extends z.ZodType> = {
  /** Its part of the outside file. Optional where the product is complete without the gateway. */
  settings: Settings;
  /** @returns nothing without an agreement: such a gateway isn't offered */
  open(agreed: unknown, clock: Clock): Gateway | undefined;
};

/** Declares a gateway. Its name is the name that `vendors.ts` exports it by. */
export function defineGateway<Settings extends z.ZodType<object | undefined>>(
  settings: Settings,
  open: (agreed: NonNullable<z.output<Settings>>, clock: Clock) => Gateway,
): GatewayDefinition<Settings> {
  return {
    settings,
    open(agreed, clock) {
      const read = settings.parse(agreed);
      return read ? open(read, clock) : undefined;
    },
  };
}
