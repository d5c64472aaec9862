import type { Currency, Minor } from '@krapao/contract/money';

/** What a code is asked for with. */
export type CodeOrder = {
  /** Our own reference, unique for ever and stored before the call: 15 of `[A-Z0-9]`. */
  reference: string;
  amount: Minor;
  /** The member's own bank account, for a gateway that wants to know its payers; read when it is asked for. */
  payer: () => Promise<PayerAccount | undefined>;
};

/** The registered account that a member pays from. */
export type PayerAccount = { bankCode: string; accountNo: string; accountName: string };

/** How a code is named afterwards. A gateway that gave a number of its own may need that one too. */
export type CodeName = { reference: string; gatewayReference: string | null };

/** A code that is asked about: `amount` is what its creation was told. */
export type AskedCode = CodeName & { amount: Minor };

/** A code that can be shown: its text has been read and asks for `payAmount`, which is fair for what was asked. */
export type ShownCode = {
  gatewayReference: string;
  payload: string;
  /** What the code really asks. See {@link isFairPayAmount}. */
  payAmount: Minor;
  expiresAt: Date;
};

/** A gateway that tells payments apart by their amount may change it, by less than one baht. */
const JITTER_LIMIT = 100n;

/** Whether a gateway may ask for `payAmount` when it was told `amount`. Kip have no parts, so theirs must be equal. */
export function isFairPayAmount(currency: Currency, amount: Minor, payAmount: Minor): boolean {
  if (currency === 'LAK') return payAmount === amount;
  const difference = payAmount - amount;
  return payAmount > 0n && difference < JITTER_LIMIT && difference > -JITTER_LIMIT;
}

export type CreateOutcome =
  | ({ outcome: 'created' } & ShownCode)
  /** Proven: there is no code. */
  | { outcome: 'refused'; reason: string }
  /** There may be a code, and someone may pay it: ask later. */
  | { outcome: 'unknown'; reason: string };

/** Money that really came, as the gateway answers when it is asked. */
export type Payment = {
  /** The gateway's own number of the payment: unique, and what makes a credit happen once. */
  transactionNumber: string;
  amount: Minor;
  currency: Currency;
  paidAt: Date;
  /** Masked by the gateway. */
  payer: { bankCode: string; accountNo: string; name: string };
};

export type Inquiry =
  | { status: 'WAITING'; code: ShownCode | undefined }
  | { status: 'PAID'; payment: Payment }
  /** Paid, but in a way that can't be credited by itself (another currency, an amount that is none). */
  | { status: 'UNUSABLE'; reason: string; evidence: string }
  /** Money came, and the gateway keeps it back until people there have looked; it may still become PAID. */
  | { status: 'ON_HOLD'; reason: string; evidence: string }
  | { status: 'CANCELLED' | 'EXPIRED' | 'NOT_FOUND' }
  /** Timeout, 5xx or garbage: nothing is known. */
  | { status: 'UNKNOWN'; reason: string };

/** Money that a gateway holds and knows no code of ours for. `id`: its own number of the payment. */
export type UnmatchedPayment = { id: string; amount: Minor; at: Date; payer: Payment['payer'] };

export type CancelOutcome = 'CANCELLED' | 'ALREADY_PAID' | 'EXPIRED' | 'NOT_FOUND' | 'UNKNOWN';

/** What came to the callback address, raw. */
export type CallbackCall = {
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
};

export type CallbackReading =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  /** A claim about a code. Whatever it says of money is not looked at: the gateway is asked. */
  | { reading: 'CLAIM'; reference: string };

/**
 * A payment gateway that makes QR codes. Nothing here throws for what the outside does: an answer that never came, or
 * that nobody can read, is an outcome too.
 */
export type Gateway = {
  /** The `bankCode` of the wire. */
  code: string;
  /** Last part of the callback path, and of the house account's name. */
  name: string;
  currency: Currency;
  /** A create call has certainly ended, one way or the other, after this long. */
  patienceMs: number;
  create(order: CodeOrder): Promise<CreateOutcome>;
  inquire(code: AskedCode): Promise<Inquiry>;
  /** At a gateway that can't cancel: see `cancelByInquiry`. */
  cancel(code: AskedCode): Promise<CancelOutcome>;
  /** What it holds and found no code for; a text says why it didn't tell. Left out: it tells payments by their code. */
  unmatched?(): Promise<UnmatchedPayment[] | string>;
  readCallback(call: CallbackCall): CallbackReading;
  /** What the gateway wants to hear when its callback has been taken. */
  callbackReply: unknown;
};
