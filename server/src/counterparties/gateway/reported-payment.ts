import { type Currency, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { escapeUnstorable } from '../../platform/storable-text.ts';
import { evidenceOf, optionalText } from '../outside-text.ts';
import type { Inquiry, Payment } from './port.ts';

/** A payment as reported by a gateway: `amount` and `currency` unparsed. */
export type ReportedPayment = Omit<Payment, 'amount' | 'currency'> & { amount: string; currency: string };

const WIRE_CURRENCY: Readonly<Record<Currency, string>> = { BAHT: 'THB', LAK: 'LAK' };
const NUMBER = /^[A-Za-z0-9_-]{1,64}$/;
const NUMBER_CHARACTERS_MAX = 120;

/**
 * A gateway's payment number. An unusable one is escaped and fails {@link isPaymentNumber}: the reply stays readable, and
 * the payment goes to an operator.
 */
export const paymentNumber = z
  .unknown()
  .optional()
  .transform((value) =>
    typeof value === 'string'
      ? escapeUnstorable(value, NUMBER_CHARACTERS_MAX)
      : `(${evidenceOf(value, NUMBER_CHARACTERS_MAX)})`,
  );

/** Whether a gateway's payment number can be a ledger key. */
export const isPaymentNumber = (number: string): boolean => NUMBER.test(number);

/** The payer as the gateway reports them; informational. */
export const reportedPayer = z
  .object({ bankCode: optionalText(32), accountNo: optionalText(64), name: optionalText(200) })
  .catch({ bankCode: '', accountNo: '', name: '' });

/** Converts a payment reported by a gateway: to money, or to a case for an operator. */
export function readReportedPayment(reported: ReportedPayment, currency: Currency): Inquiry {
  const evidence = `${reported.transactionNumber} ${reported.amount} ${reported.currency}`;
  if (!isPaymentNumber(reported.transactionNumber)) {
    return { status: 'ON_HOLD', reason: 'TRANSACTION_NUMBER', evidence };
  }
  if (reported.currency !== WIRE_CURRENCY[currency]) return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseDecimal(reported.amount);
  if (amount === undefined || amount <= 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return { status: 'PAID', payment: { ...reported, amount, currency } };
}
