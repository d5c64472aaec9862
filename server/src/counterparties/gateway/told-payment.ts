import { type Currency, parseDecimal } from '@krapao/contract/money';
import type { Inquiry, Payment } from './port.ts';

/** A payment in the words of a gateway: `amount` and `currency` as they were written. */
export type ToldPayment = Omit<Payment, 'amount' | 'currency'> & { amount: string; currency: string };

const WIRE_CURRENCY: Readonly<Record<Currency, string>> = { BAHT: 'THB', LAK: 'LAK' };

/** What follows from a payment that a gateway told of: money, or something for an operator. */
export function readToldPayment(told: ToldPayment, currency: Currency): Inquiry {
  const evidence = `${told.transactionNumber} ${told.amount} ${told.currency}`;
  if (told.currency !== WIRE_CURRENCY[currency]) return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseDecimal(told.amount);
  if (amount === undefined || amount <= 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return { status: 'PAID', payment: { ...told, amount, currency } };
}
