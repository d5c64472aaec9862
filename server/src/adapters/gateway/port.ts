import type { Currency, Minor } from '@krapao/contract/money';
import type { z } from 'zod';
import type { RawBody } from '../../platform/json.ts';
import type { Clock } from '../../platform/time.ts';
import type { Probe } from '../probe.ts';

/** An order of a QR code. */
export type QrOrder = {
  /** Our reference, never reused and stored before the call: 15 of `[A-Z0-9]`. */
  reference: string;
  amount: Minor;
  /** The member's bank account, for a gateway that needs the payer; read on demand. */
  payer: () => Promise<PayerAccount | undefined>;
};

/** The registered account from which a member pays. */
export type PayerAccount = { bankCode: string; accountNo: string; accountName: string };

/** Identifies a code in later calls. A gateway with its own numbers may need that number too. */
export type CodeName = { reference: string; gatewayReference: string | null };

/** A code to inquire about. `amount`: amount of its order. */
export type InquiredQr = CodeName & { amount: Minor };

/**
 * An issued code that can be shown: its text is valid and requests `payAmount`, which is acceptable for the ordered
 * amount.
 */
export type IssuedQr = {
  gatewayReference: string;
  payload: string;
  /** Amount of the code. See {@link isAcceptablePayAmount}. */
  payAmount: Minor;
  expiresAt: Date;
};

/** Maximum change by a gateway that distinguishes payments by their amount: less than one baht. */
const JITTER_LIMIT = 100n;

/**
 * Whether a gateway may request `payAmount` when `amount` was ordered. Kip have no fractions, so both must be equal.
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
  /** There may be a payable code: inquire later. */
  | { outcome: 'unknown'; reason: string };

/** A received payment, from the gateway's reply to an inquiry. */
export type Payment = {
  /** The gateway's unique number of the payment, which is the idempotency key of the credit. */
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
  /** Money received, but held for review or reported without a usable number; may still become PAID. */
  | { status: 'ON_HOLD'; reason: string; evidence: string }
  | { status: 'CANCELLED' | 'EXPIRED' | 'NOT_FOUND' }
  /** Timeout, 5xx or malformed reply: nothing is known. */
  | { status: 'UNKNOWN'; reason: string };

/** Money that a gateway received without a matching code. `id`: the gateway's number of the payment. */
export type UnmatchedPayment = { id: string; amount: Minor; at: Date; payer: Payment['payer'] };

/** Payments without a matching code. `unreadable`: raw payments that can't be parsed. */
export type UnmatchedPayments = { payments: UnmatchedPayment[]; unreadable: string[] };

export type CancelOutcome = 'CANCELLED' | 'ALREADY_PAID' | 'EXPIRED' | 'NOT_FOUND' | 'UNKNOWN';

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
 * A payment gateway that issues QR codes. Failures of the counterparty, such as a missing or malformed reply, are
 * outcomes and never throw.
 */
export type Gateway = {
  /** The `bankCode` of the wire. */
  code: string;
  /** Last segment of the callback path, and of the house account's name. */
  name: string;
  currency: Currency;
  /** Maximum duration of a create call, in ms. */
  patienceMs: number;
  create(order: QrOrder): Promise<CreateOutcome>;
  inquire(code: InquiredQr): Promise<Inquiry>;
  /** For a gateway without cancellation see `cancelByInquiry`. */
  cancel(code: InquiredQr): Promise<CancelOutcome>;
  /**
   * Payments without a matching code; a string is the reason of a failed query. Undefined: the gateway always matches
   * payments by code.
   */
  unmatched?(): Promise<UnmatchedPayments | string>;
  /** Without it `krapao doctor --calls` can't prove the gateway. See `probeByInquiry`. */
  probe?: Probe;
  readCallback(call: CallbackCall): CallbackReading;
  /** Reply that acknowledges a callback. */
  callbackReply: unknown;
};

export { apiUrl, callbackKey, callbackUrl, issued, keyedGateway, section, timeoutMs } from '../outside-fields.ts';

/** A gateway declaration: the schema of its settings, and how to open it. */
export type GatewayDefinition<Settings extends z.ZodType> = {
  /** Its section of the outside file. Optional where the product is complete without the gateway. */
  settings: Settings;
  /** @returns undefined without settings: the gateway isn't offered */
  open(agreed: unknown, clock: Clock): Gateway | undefined;
};

/** Declares a gateway. `vendors.ts` exports it under its name. */
export function defineGateway<Settings extends z.ZodType<object | undefined>>(
  settings: Settings,
  open: (agreedSettings: NonNullable<z.output<Settings>>, clock: Clock) => Gateway,
): GatewayDefinition<Settings> {
  return {
    settings,
    open(agreement, clock) {
      const read = settings.parse(agreement);
      return read ? open(read, clock) : undefined;
    },
  };
}
