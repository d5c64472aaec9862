import { type Currency, parseDecimal } from '@krapao/contract/money';
import type { Inquiry, Payment } from './port.ts';

/** A payment as reported by a gateway: `amount` and `currency` unparsed. */
export type ReportedPayment = Omit<Payment, 'amount' | 'currency'> & { amount: string; currency: string };

const WIRE_CURRENCY: Readonly<Record<Currency, string>> = { BAHT: 'THB', LAK: 'LAK' };

/** Converts a payment reported by a gateway: to money, or to a case for an operator. */
export function readReportedPayment(reported: ReportedPayment, currency: Currency): Inquiry {
  const evidence = `${reported.transactionNumber} ${reported.amount} ${reported.currency}`;
  if (reported.currency !== WIRE_CURRENCY[currency]) return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseDecimal(reported.amount);
  if (amount === undefined || amount <= 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return { status: 'PAID', payment: { ...reported, amount, currency } };
}
