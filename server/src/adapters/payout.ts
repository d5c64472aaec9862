import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import { type Currency, CURRENCY_CODES, type Minor, parseDecimal, toDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { newReference } from '../platform/ids.ts';
import { parseJson } from '../platform/json.ts';
import type { Clock } from '../platform/time.ts';
import { type BankCallback, type BankConfig, callBank, findPayoutAccount, verifyCallback } from './bank-client.ts';
import { optionalText, outsideText } from './outside-text.ts';
import { failedProbe, PROVEN, type Probe } from './probe.ts';

/** A payout order. The same reference always has the same order. */
export type PayoutOrder = {
  /** Our reference, 1–40 of `[A-Za-z0-9_-]`. The bank pays each reference once, however often it is sent. */
  reference: string;
  amount: Minor;
  currency: Currency;
  to: { bankCode: string; accountNo: string; accountName: string };
};

export type PayoutSendResult =
  /** The bank has accepted the order and processes it. */
  | { outcome: 'accepted' }
  /** Proven: the order had and will have no effect. `note`: the bank's code, for operators. */
  | { outcome: 'refused'; reason: WithdrawReason; note: string }
  /** The bank may have accepted the order, or may still do so. */
  | { outcome: 'unknown'; note: string };

export type PayoutInquiry =
  | { status: 'ACCEPTED' }
  | { status: 'PAID'; transRef: string }
  | { status: 'FAILED'; reason: WithdrawReason; note: string }
  /** Not accepted so far; a call in flight may still arrive. */
  | { status: 'NOT_FOUND' }
  | { status: 'UNKNOWN'; note: string };

export type PayoutCallback =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  /** A claim about a payout. It moves no money: an inquiry to the bank decides. */
  | { reading: 'CLAIM'; reference: string; status: 'PAID' | 'FAILED' | undefined };

/**
 * A bank that sends payouts to members. A missing or malformed reply is an outcome and never throws, because each
 * outcome leads to a different step with the member's money.
 */
export type PayoutBank = {
  /** Timeout of one call. */
  timeoutMs: number;
  /** Source account of payouts in a currency, as `CODE-NUMBER`; undefined when there is none. */
  accountOf(currency: Currency): string | undefined;
  send(order: PayoutOrder): Promise<PayoutSendResult>;
  inquire(order: PayoutOrder): Promise<PayoutInquiry>;
  readCallback(call: BankCallback): PayoutCallback;
  /** Inquires about a payout that was never sent. */
  probe?: Probe;
};

const ACCEPTED_STATUS = 202;
const OK_STATUS = 200;
/** The bank's refusal of an inquiry about a payout that it has not accepted. */
const ABSENT = '404 not_found';
const REFERENCE_CHARACTERS = 15;

/** Immediate refusals of the bank, by HTTP status and code. Any other reply proves nothing. */
const REFUSAL_REASONS: Readonly<Record<string, WithdrawReason>> = {
  '422 unknown_account': 'ACCOUNT_UNKNOWN',
  '422 closed': 'ACCOUNT_CLOSED',
  '422 name_mismatch': 'NAME_MISMATCH',
  '422 insufficient_funds': 'BANK_REFUSED',
  '422 limit_exceeded': 'BANK_REFUSED',
  '422 currency_mismatch': 'BANK_REFUSED',
  '422 declined': 'BANK_REFUSED',
  '403 not_your_account': 'BANK_REFUSED',
};
/** Reasons for which the bank returns an accepted payout. */
const FAILURE_REASONS: Readonly<Record<string, WithdrawReason>> = {
  receiver_bank_rejected: 'RECEIVER_REFUSED',
  account_closed: 'ACCOUNT_CLOSED',
};

const refusedReply = z.object({ error: outsideText(64) });
const acceptedReply = z.object({ reference: outsideText(64), status: z.literal('ACCEPTED') });
const callbackBody = z.object({
  event: z.literal('payout'),
  reference: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/),
  status: z.enum(['PAID', 'FAILED']).optional().catch(undefined),
});
const payoutReply = z.object({
  reference: outsideText(64),
  status: z.enum(['ACCEPTED', 'PAID', 'FAILED']),
  to: z.object({ bankCode: outsideText(32), accountNo: outsideText(64) }),
  amount: outsideText(40),
  currency: outsideText(8),
  reason: optionalText(64),
  transRef: optionalText(64),
});

/** Sends payouts through the bank's API. */
export function bankPayout(settings: BankConfig, clock: Clock): PayoutBank {
  const call = callBank(settings, clock);
  return {
    timeoutMs: settings.timeoutMs,
    accountOf: (currency) => {
      const account = findPayoutAccount(settings.accounts, currency);
      return account && `${account.bankCode}-${account.accountNo}`;
    },
    async send({ reference, amount, currency, to }) {
      const sourceAccount = findPayoutAccount(settings.accounts, currency);
      if (!sourceAccount) return { outcome: 'refused', reason: 'BANK_REFUSED', note: `no account for ${currency}` };
      const { bankCode, accountNo } = sourceAccount;
      const orderBody = {
        reference,
        from: { bankCode, accountNo },
        to,
        amount: toDecimal(amount),
        currency: CURRENCY_CODES[currency],
      };
      return readSent(reference, await call('POST', '/payouts', orderBody));
    },
    async inquire(order) {
      return readFound(order, await call('GET', `/payouts/${encodeURIComponent(order.reference)}`));
    },
    readCallback: (callback) => readCallback(settings.callbackSecret, clock, callback),
    async probe() {
      const reply = await call('GET', `/payouts/${newReference(REFERENCE_CHARACTERS)}`);
      if (reply.outcome !== 'answered') return failedProbe(reply.note);
      const note = refusalNote(reply) ?? `HTTP ${reply.status} for a payout that was never sent`;
      return note === ABSENT ? PROVEN : failedProbe(note);
    },
  };
}

type PayoutReply = Awaited<ReturnType<ReturnType<typeof callBank>>>;

function readSent(reference: string, reply: PayoutReply): PayoutSendResult {
  // An unsent order is not a refusal by the bank: the same order is sent again, under the same reference.
  if (reply.outcome !== 'answered') return { outcome: 'unknown', note: reply.note };
  const { status, body } = reply;
  const parsedAcceptance = acceptedReply.safeParse(body);
  if (status === ACCEPTED_STATUS && parsedAcceptance.success && parsedAcceptance.data.reference === reference)
    return { outcome: 'accepted' };
  const parsedRefusal = refusedReply.safeParse(body);
  const refusalKey = parsedRefusal.success ? `${status} ${parsedRefusal.data.error}` : `HTTP ${status}`;
  const reason = REFUSAL_REASONS[refusalKey];
  return reason ? { outcome: 'refused', reason, note: refusalKey } : { outcome: 'unknown', note: refusalKey };
}

function readFound(order: PayoutOrder, reply: PayoutReply): PayoutInquiry {
  if (reply.outcome !== 'answered') return { status: 'UNKNOWN', note: reply.note };
  const { status, body } = reply;
  const refusal = refusalNote(reply);
  if (refusal !== undefined) return refusal === ABSENT ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', note: refusal };
  const parsedPayout = payoutReply.safeParse(body);
  if (status !== OK_STATUS || !parsedPayout.success) return { status: 'UNKNOWN', note: `HTTP ${status}, not a payout` };
  if (!matchesOrder(order, parsedPayout.data)) return { status: 'UNKNOWN', note: 'the bank reports another payout' };
  switch (parsedPayout.data.status) {
    case 'ACCEPTED':
      return { status: 'ACCEPTED' };
    case 'PAID':
      return { status: 'PAID', transRef: parsedPayout.data.transRef };
    case 'FAILED': {
      const note = parsedPayout.data.reason || 'no reason callback';
      return { status: 'FAILED', reason: FAILURE_REASONS[note] ?? 'BANK_REFUSED', note };
    }
  }
}

/** Status and code of a refusal in the bank's format. */
function refusalNote({ status, body }: Extract<PayoutReply, { outcome: 'answered' }>): string | undefined {
  const { data } = refusedReply.safeParse(body);
  return data && `${status} ${data.error}`;
}

function matchesOrder(
  { reference, amount, currency, to }: PayoutOrder,
  reported: z.output<typeof payoutReply>,
): boolean {
  return (
    reported.reference === reference &&
    parseDecimal(reported.amount) === amount &&
    reported.currency === CURRENCY_CODES[currency] &&
    reported.to.bankCode === to.bankCode &&
    reported.to.accountNo === to.accountNo
  );
}

function readCallback(secret: string, clock: Clock, callback: BankCallback): PayoutCallback {
  const signatureCheck = verifyCallback(secret, clock, callback);
  if (signatureCheck !== 'VALID') return { reading: signatureCheck };
  const parsedClaim = callbackBody.safeParse(parseJson(callback.body));
  if (!parsedClaim.success) return { reading: 'MALFORMED' };
  const { reference, status } = parsedClaim.data;
  return { reading: 'CLAIM', reference, status };
}
