import { timingSafeEqual } from 'node:crypto';
import { type Currency, CURRENCY_CODES, minor, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { hashToken, newReference } from '../../platform/ids.ts';
import { parseJson, decodeBody } from '../../platform/json.ts';
import { escapeUnstorable } from '../../platform/storable-text.ts';
import { evidenceText, optionalText } from '../outside-text.ts';
import { failedProbe, PROVEN, type ProbeOutcome } from '../probe.ts';
import type { CallbackCall, CallbackReading, Gateway, Inquiry, Payment, CancelOutcome } from './port.ts';

/**
 * Reads an unsigned callback, which only a key in the query of its URL authenticates. @param referenceOf finds our
 * reference in the parsed body; the rest is ignored @param parse parses the body; undefined when malformed
 */
export function readKeyedCallback(
  { query, body }: CallbackCall,
  callbackKey: string,
  referenceOf: (body: unknown) => string | undefined,
  parse: (text: string) => unknown = parseJson,
): CallbackReading {
  const { key } = query;
  if (key === undefined || key === '') return { reading: 'KEY_MISSING' };
  // Hashes have equal length, so the comparison takes constant time.
  if (typeof key !== 'string' || !timingSafeEqual(hashToken(key), hashToken(callbackKey))) {
    return { reading: 'KEY_INVALID' };
  }
  const reference = referenceOf(parse(decodeBody(body)));
  return reference === undefined ? { reading: 'MALFORMED' } : { reading: 'CLAIM', reference };
}

/** A payment as a gateway reports it: `amount` and `currency` unparsed. */
export type ReportedPayment = Omit<Payment, 'amount' | 'currency'> & { amount: string; currency: string };

const PAYMENT_NUMBER_FORMAT = /^[A-Za-z0-9_-]{1,64}$/;
const NUMBER_CHARACTERS_MAX = 120;

/**
 * A gateway's payment number. An unusable number is escaped and fails {@link isPaymentNumber}: the reply stays
 * readable, and the payment goes to an operator.
 */
export const paymentNumber = z
  .unknown()
  .optional()
  .transform((value) =>
    typeof value === 'string'
      ? escapeUnstorable(value, NUMBER_CHARACTERS_MAX)
      : `(${evidenceText(value, NUMBER_CHARACTERS_MAX)})`,
  );

/** Whether a gateway's payment number can be a ledger key. */
export const isPaymentNumber = (number: string): boolean => PAYMENT_NUMBER_FORMAT.test(number);

/** The payer as the gateway reports it; informational. */
export const reportedPayer = z
  .object({ bankCode: optionalText(32), accountNo: optionalText(64), name: optionalText(200) })
  .catch({ bankCode: '', accountNo: '', name: '' });

/** Converts a reported payment to money, or to a case for an operator. */
export function readReportedPayment(reported: ReportedPayment, currency: Currency): Inquiry {
  const evidence = `${reported.transactionNumber} ${reported.amount} ${reported.currency}`;
  if (!isPaymentNumber(reported.transactionNumber)) {
    return { status: 'ON_HOLD', reason: 'TRANSACTION_NUMBER', evidence };
  }
  if (reported.currency !== CURRENCY_CODES[currency]) return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseDecimal(reported.amount);
  if (amount === undefined || amount <= 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return { status: 'PAID', payment: { ...reported, amount, currency } };
}

/**
 * Cancels at a gateway without cancellation: after an inquiry, an unpaid code is cancelled on our side only. A later
 * payment is still credited, because codes are watched after their end.
 */
export function cancelByInquiry({ status }: Inquiry): CancelOutcome {
  switch (status) {
    case 'WAITING':
    case 'CANCELLED':
      return 'CANCELLED';
    // Money was received, possibly unclear.
    case 'PAID':
    case 'ON_HOLD':
    case 'UNUSABLE':
      return 'ALREADY_PAID';
    case 'EXPIRED':
    case 'NOT_FOUND':
    case 'UNKNOWN':
      return status;
  }
}

const REFERENCE_CHARACTERS = 15;

/** Probes a gateway by an inquiry about a code that was never created. */
export async function probeByInquiry(inquire: Gateway['inquire']): Promise<ProbeOutcome> {
  const reference = newReference(REFERENCE_CHARACTERS);
  const inquiry = await inquire({ reference, gatewayReference: null, amount: minor(100n) });
  if (inquiry.status === 'NOT_FOUND') return PROVEN;
  return failedProbe(inquiry.status === 'UNKNOWN' ? inquiry.reason : `${inquiry.status} for a code without an order`);
}
