import { type Currency, parseDecimal } from '@krapao/contract/money';
import type { Inquiry, Payment } from './port.ts';

/** A payment as reported by a gateway: `amount` and `currency` unparsed. */
export type ReportedPayment = Omit<Payment, 'amount' | 'currency'> & { amount: string; currency: string };

const WIRE_CURRENCY: Readonly<Record<Currency, string>> = { BAHT: 'THB', LAK: 'LAK' };

/** Converts a payment reported by a gateway: to money, or to a case for an operator. */
export function readReportedPayment(told: ReportedPayment, currency: Currency): Inquiry {
  const evidence = `${told.transactionNumber} ${told.amount} ${told.currency}`;
  if (told.currency !== WIRE_CURRENCY[currency]) return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseDecimal(told.amount);
  if (amount === undefined || amount <= 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return { status: 'PAID', payment: { ...told, amount, currency } };
}
