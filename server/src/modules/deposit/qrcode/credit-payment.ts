import { qrcodeTransitions } from '@krapao/contract/states';
import type { Gateway, Inquiry, Payment } from '../../../adapters/gateway/port.ts';
import { isTemporary } from '../../../platform/database/errors.ts';
import { assertTransition } from '../../../platform/state-machine.ts';
import { storableText } from '../../../platform/storable-text.ts';
import { postDeposit } from '../post-deposit.ts';
import { gatewayOf, type QrcodeDeps, type Qrcode } from './qrcode.ts';
import { upsertParkedPayment, parkUnmatched, clearParked, REVERSED_AT_GATEWAY } from './queries.ts';

/**
 * CREDITED: by this call. KNOWN: earlier, with this payment. PAID: earlier, with another payment. Left to an operator:
 * CURRENCY differs from the code's, or TRANSACTION_NUMBER_REUSED by a payment of another code.
 */
export type CreditResult = 'CREDITED' | 'KNOWN' | 'PAID' | 'CURRENCY' | 'TRANSACTION_NUMBER_REUSED';

export const CREDIT_OUTCOMES = ['applied', 'replayed', 'other_payment', 'payment_used', 'row_locked'] as const;
const CREDIT_RESULTS: Readonly<Record<Exclude<(typeof CREDIT_OUTCOMES)[number], 'row_locked'>, CreditResult>> = {
  applied: 'CREDITED',
  replayed: 'KNOWN',
  other_payment: 'PAID',
  payment_used: 'TRANSACTION_NUMBER_REUSED',
};

/**
 * Credits the paid amount to the member's wallet and marks its code paid, in one commit.
 * At most once per transaction number of the gateway.
 */
export async function creditPayment(
  deps: Pick<QrcodeDeps, 'ledger' | 'gateways' | 'log'>,
  code: Qrcode,
  payment: Payment,
  { isCalledBack = false } = {},
): Promise<CreditResult> {
  const { currency, amount, transactionNumber, paidAt, payer } = payment;
  if (currency !== code.currency) return 'CURRENCY';
  const { id, memberId, reference, wakes } = code;
  const { name } = gatewayOf(deps, code.gateway);
  const houseAccount = `gateway:${name}`;
  assertTransition(qrcodeTransitions, code.state, 'PAID');
  const outcome = await postDeposit(
    deps.ledger,
    {
      key: `deposit:${name}:${transactionNumber}`,
      memberId,
      houseAccount,
      currency,
      amount,
      reference,
      actor: houseAccount,
    },
    {
      kind: 'qrcode_credit',
      outcomes: CREDIT_OUTCOMES,
      claims: [id, `${code.gateway} ${transactionNumber}`],
      unique: ['qrcode_transaction'],
      row: {
        id,
        gateway: code.gateway,
        reference,
        wakes,
        number: transactionNumber,
        payer,
        amount: String(amount),
        paid_at: paidAt,
        callbacks: isCalledBack ? 1 : 0,
      },
    },
  );
  if (outcome === 'applied') deps.log.info({ reference, gateway: code.gateway }, 'QR payment credited');
  return CREDIT_RESULTS[outcome];
}

/** Leaves a payment that no rule can credit to an operator. */
export async function parkPayment(
  deps: QrcodeDeps,
  code: Pick<Qrcode, 'gateway' | 'reference'>,
  reason: string,
  evidence: string,
): Promise<void> {
  const reportCount = await upsertParkedPayment(deps.database, {
    gateway: code.gateway,
    reference: code.reference,
    reason,
    evidence,
  });
  if (reportCount > 1) return;
  deps.log.error({ gateway: code.gateway, reference: code.reference, reason }, 'QR payment parked');
}

/** Reference of a parked payment without a code. */
const NO_REFERENCE = '-';
const ERROR_CHARACTERS_MAX = 300;

/** Gateway statuses of a payment that was reported and later reversed. */
const REVERSED_STATUSES: ReadonlySet<string> = new Set(['REFUNDED', 'REJECTED', 'ERROR']);

/**
 * Compares a gateway's reply with a credited code. Moves no money: a contradiction is parked for an operator. Other
 * statuses prove nothing, because a gateway may forget old codes or lag behind.
 */
export async function recheckCredited(deps: QrcodeDeps, code: Qrcode, inquiry: Inquiry): Promise<void> {
  switch (inquiry.status) {
    case 'PAID': {
      const { transactionNumber, amount, currency } = inquiry.payment;
      const isSamePayment = transactionNumber === code.transactionNumber && amount === code.paidAmount;
      if (isSamePayment && currency === code.currency) return clearParked(deps.database, code, REVERSED_AT_GATEWAY);
      // Another number may be another payment, or the same payment renumbered.
      return parkPayment(deps, code, 'TOLD_ANEW', `${transactionNumber} ${amount} ${currency}`);
    }
    case 'UNUSABLE':
    case 'ON_HOLD': {
      const reason = REVERSED_STATUSES.has(inquiry.reason) ? REVERSED_AT_GATEWAY : 'TOLD_ANEW';
      return parkPayment(deps, code, reason, `${inquiry.reason} ${inquiry.evidence}`);
    }
    case 'CANCELLED':
      return parkPayment(deps, code, REVERSED_AT_GATEWAY, 'CANCELLED');
    case 'WAITING':
    case 'EXPIRED':
    case 'NOT_FOUND':
    case 'UNKNOWN':
  }
}

/**
 * Parks payments that a gateway could not assign to a code, such as the second payment of one code. A gateway without a
 * reply is retried in the next run.
 */
export async function collectUnmatched(deps: QrcodeDeps): Promise<void> {
  const collections = await Promise.allSettled(deps.gateways.map((gateway) => collectFrom(deps, gateway)));
  const failed = collections.find((collection) => collection.status === 'rejected');
  if (failed) throw failed.reason;
}

async function collectFrom(deps: QrcodeDeps, gateway: Gateway): Promise<void> {
  const { database, log } = deps;
  const unmatched = await gateway.unmatched?.();
  if (typeof unmatched === 'string')
    log.warn({ gateway: gateway.code, reason: unmatched }, 'list of unassigned payments not available');
  if (unmatched === undefined || typeof unmatched === 'string') return;
  const withoutCode = { gateway: gateway.code, reference: NO_REFERENCE };
  for (const evidence of unmatched.unreadable) await parkPayment(deps, withoutCode, 'UNREADABLE', evidence);
  for (const payment of unmatched.payments) {
    try {
      const reference = await parkUnmatched(database, gateway.code, payment);
      if (reference === undefined) continue;
      log.error({ gateway: gateway.code, reference, reason: 'UNMATCHED' }, 'gateway lists a payment without a code');
    } catch (error) {
      if (isTemporary(error)) throw error;
      await parkPayment(deps, withoutCode, 'FAILED', `${payment.id} ${payment.amount} ${messageOf(error)}`);
    }
  }
}

/** The message of an error as storable text. */
const messageOf = (error: unknown): string => storableText(String(error), ERROR_CHARACTERS_MAX);

/**
 * Like {@link creditPayment}, but parks the payment for an operator when crediting fails; the next inquiry retries it.
 * @throws transient database errors
 */
export async function creditOrPark(deps: QrcodeDeps, code: Qrcode, payment: Payment): Promise<CreditResult | 'FAILED'> {
  try {
    return await creditPayment(deps, code, payment);
  } catch (error) {
    if (isTemporary(error)) throw error;
    const { transactionNumber, amount, currency } = payment;
    deps.log.error({ err: error, reference: code.reference }, 'paid QR not credited');
    await parkPayment(deps, code, 'FAILED', `${transactionNumber} ${amount} ${currency} ${messageOf(error)}`);
    return 'FAILED';
  }
}
