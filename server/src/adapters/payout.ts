import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import { type Currency, type Minor, parseDecimal, toDecimal } from '@krapao/contract/money';
import { type BankCallback, type BankConfig, callBank, verifyCallback } from './bank-client.ts';
import { z } from 'zod';
import type { Clock } from '../platform/time.ts';
import { parseJson } from '../platform/json.ts';
import { optionalText, outsideText } from './outside-text.ts';

/** An order to pay out. The same reference always has the same order. */
export type PayoutOrder = {
  /** Ours, 1–40 of `[A-Za-z0-9_-]`: the bank pays each reference once, however often it is sent. */
  reference: string;
  amount: Minor;
  currency: Currency;
  to: { bankCode: string; accountNo: string; accountName: string };
};

export type PayoutSendResult =
  /** The bank has accepted it and processes it. */
  | { outcome: 'accepted' }
  /** Proven: it had and will have no effect. `note`: the bank's code, for operators. */
  | { outcome: 'refused'; reason: WithdrawReason; note: string }
  /** It may have been accepted, or may still be. */
  | { outcome: 'unknown'; note: string };

export type PayoutInquiry =
  | { status: 'ACCEPTED' }
  | { status: 'PAID'; transRef: string }
  | { status: 'FAILED'; reason: WithdrawReason; note: string }
  /** Not accepted so far: a call in flight may still arrive. */
  | { status: 'NOT_FOUND' }
  | { status: 'UNKNOWN'; note: string };

export type PayoutCallback =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  /** A claim about a payout. Its content is ignored: an inquiry to the bank decides. */
  | { reading: 'CLAIM'; reference: string };

/**
 * A bank that pays members out. Nothing here throws on failures of the outside: a missing or malformed answer is an
 * outcome, because each leads to a different step with the member's money.
 */
export type PayoutBank = {
  /** Timeout of one call. */
  timeoutMs: number;
  /** The account that payouts of a currency are paid from, as `CODE-NUMBER`; undefined when there is none. */
  accountOf(currency: Currency): string | undefined;
  send(order: PayoutOrder): Promise<PayoutSendResult>;
  inquire(order: PayoutOrder): Promise<PayoutInquiry>;
  readCallback(call: BankCallback): PayoutCallback;
};

const ACCEPTED_STATUS = 202;
const OK_STATUS = 200;
const NOT_FOUND_STATUS = 404;

/** The bank's code of each currency. */
const CURRENCY: Readonly<Record<Currency, string>> = { BAHT: 'THB', LAK: 'LAK' };

/** Immediate refusals of the bank, by HTTP status and code. Any other answer proves nothing. */
const REFUSALS: Readonly<Record<string, WithdrawReason>> = {
  '422 unknown_account': 'ACCOUNT_UNKNOWN',
  '422 closed': 'ACCOUNT_CLOSED',
  '422 name_mismatch': 'NAME_MISMATCH',
  '422 insufficient_funds': 'BANK_REFUSED',
  '422 limit_exceeded': 'BANK_REFUSED',
  '422 currency_mismatch': 'BANK_REFUSED',
  '422 declined': 'BANK_REFUSED',
  '403 not_your_account': 'BANK_REFUSED',
};
/** Why an accepted payout was returned. */
const FAILURES: Readonly<Record<string, WithdrawReason>> = {
  receiver_bank_rejected: 'RECEIVER_REFUSED',
  account_closed: 'ACCOUNT_CLOSED',
};

const refused = z.object({ error: outsideText(64) });
const accepted = z.object({ reference: outsideText(64), status: z.literal('ACCEPTED') });
const claim = z.object({ event: z.literal('payout'), reference: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/) });
const found = z.object({
  reference: outsideText(64),
  status: z.enum(['ACCEPTED', 'PAID', 'FAILED']),
  to: z.object({ bankCode: outsideText(32), accountNo: outsideText(64) }),
  amount: outsideText(40),
  currency: outsideText(8),
  reason: optionalText(64),
  transRef: optionalText(64),
});

/** Pays out through the API of the bank, from our first account of each currency. */
export function bankPayout(settings: BankConfig, clock: Clock): PayoutBank {
  const call = callBank(settings, clock);
  const accountOf = (currency: Currency) => settings.accounts.find((account) => account.currency === currency);
  return {
    timeoutMs: settings.timeoutMs,
    accountOf: (currency) => {
      const account = accountOf(currency);
      return account && `${account.bankCode}-${account.accountNo}`;
    },
    async send({ reference, amount, currency, to }) {
      const from = accountOf(currency);
      if (!from) return { outcome: 'refused', reason: 'BANK_REFUSED', note: `no account for ${currency}` };
      const { bankCode, accountNo } = from;
      const order = {
        reference,
        from: { bankCode, accountNo },
        to,
        amount: toDecimal(amount),
        currency: CURRENCY[currency],
      };
      return readSent(reference, await call('POST', '/payouts', order));
    },
    async inquire(order) {
      return readFound(order, await call('GET', `/payouts/${encodeURIComponent(order.reference)}`));
    },
    readCallback: (callback) => readCallback(settings.callbackSecret, clock, callback),
  };
}

type Answer = Awaited<ReturnType<ReturnType<typeof callBank>>>;

function readSent(reference: string, answer: Answer): PayoutSendResult {
  // An unsent order is not a refusal of the bank: the same order is sent again, under the same reference.
  if (answer.outcome !== 'answered') return { outcome: 'unknown', note: answer.note };
  const { status, body } = answer;
  const yes = accepted.safeParse(body);
  if (status === ACCEPTED_STATUS && yes.success && yes.data.reference === reference) return { outcome: 'accepted' };
  const no = refused.safeParse(body);
  const refusalKey = no.success ? `${status} ${no.data.error}` : `HTTP ${status}`;
  const reason = REFUSALS[refusalKey];
  return reason ? { outcome: 'refused', reason, note: refusalKey } : { outcome: 'unknown', note: refusalKey };
}

function readFound(order: PayoutOrder, answer: Answer): PayoutInquiry {
  if (answer.outcome !== 'answered') return { status: 'UNKNOWN', note: answer.note };
  const { status, body } = answer;
  const no = refused.safeParse(body);
  if (no.success) {
    const isAbsent = status === NOT_FOUND_STATUS && no.data.error === 'not_found';
    return isAbsent ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', note: `${status} ${no.data.error}` };
  }
  const reported = found.safeParse(body);
  if (status !== OK_STATUS || !reported.success) return { status: 'UNKNOWN', note: `HTTP ${status}, not a payout` };
  if (!isOurs(order, reported.data)) return { status: 'UNKNOWN', note: 'the bank reports another payout' };
  switch (reported.data.status) {
    case 'ACCEPTED':
      return { status: 'ACCEPTED' };
    case 'PAID':
      return { status: 'PAID', transRef: reported.data.transRef };
    case 'FAILED': {
      const note = reported.data.reason || 'no reason callback';
      return { status: 'FAILED', reason: FAILURES[note] ?? 'BANK_REFUSED', note };
    }
  }
}

function isOurs({ reference, amount, currency, to }: PayoutOrder, reported: z.output<typeof found>): boolean {
  return (
    reported.reference === reference &&
    parseDecimal(reported.amount) === amount &&
    reported.currency === CURRENCY[currency] &&
    reported.to.bankCode === to.bankCode &&
    reported.to.accountNo === to.accountNo
  );
}

function readCallback(secret: string, clock: Clock, callback: BankCallback): PayoutCallback {
  const verdict = verifyCallback(secret, clock, callback);
  if (verdict !== 'VALID') return { reading: verdict };
  const reported = claim.safeParse(parseJson(callback.body));
  return reported.success ? { reading: 'CLAIM', reference: reported.data.reference } : { reading: 'MALFORMED' };
}
