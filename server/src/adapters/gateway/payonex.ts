import { type Minor, parseAmount, toDecimal, toWire } from '@krapao/contract/money';
import { z } from 'zod';
import type { Clock } from '../../platform/time.ts';
import { evidenceText } from '../outside-text.ts';
import { cancelByInquiry, readKeyedCallback, isPaymentNumber, probeByInquiry } from './callback.ts';
import {
  callbackClaim,
  customerReply,
  heldPayment,
  type Transaction,
  transactionReply,
  unmatchedReply,
  type PayonexCall,
  payonexSession,
  type PayonexSettings,
  refusalReason,
  refusalFor,
} from './payonex-session.ts';
import {
  apiUrl,
  callbackKey,
  callbackUrl,
  defineGateway,
  isAcceptablePayAmount,
  issued,
  keyedGateway,
  timeoutMs,
  type CreateOutcome,
  type Gateway,
  type InquiredQr,
  type Inquiry,
  type IssuedQr,
  type PayerAccount,
  type QrOrder,
  type UnmatchedPayment,
  type UnmatchedPayments,
} from './port.ts';
import { readPromptPay } from './thai-qr.ts';

const NAME_CHARACTERS_MAX = 100;
const GRAPHEME_SEGMENTER = new Intl.Segmenter('th');
const CURRENCY = 'BAHT';
/** Maximum stored characters of a payment that can't be parsed. */
const EVIDENCE_CHARACTERS_MAX = 500;
/** The gateway's bank codes that differ from ours. */
const BANK_WORDS: Readonly<Record<string, string>> = { CIMBT: 'CIMB', UOBT: 'UOB', IBANK: 'ISBT', ICBCT: 'ICBC' };
/** Not a proven refusal: an earlier call may have created the code. */
const DUPLICATE_CODE = 'DUPLICATE_REFERENCE';

/**
 * The gateway PAYONEX. It collects plain PromptPay transfers and distinguishes payments by their amount, so it requests
 * slightly more than ordered. It needs the account of each payer. It deducts a fee, which the operator bears: the member
 * is credited the full payment. No cancellation, and callbacks are not signed.
 */
export function payonexGateway(settings: PayonexSettings, clock: Clock): Gateway {
  const openSeries = payonexSession(settings, clock);
  // Creating customer and code, or renewing the token and one of the two: two slow calls, or more fast ones.
  const patienceMs = 2 * settings.timeoutMs;

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const payer = await order.payer();
    if (!payer) return { outcome: 'refused', reason: 'the member has no bank account' };
    const callInSeries = openSeries(patienceMs);
    const customer = await findCustomer(callInSeries, payer);
    // Without a customer no code has been requested yet, with any outcome of the call.
    if ('reason' in customer) return { outcome: 'refused', reason: `customer: ${customer.reason}` };
    const reply = await callInSeries({
      method: 'POST',
      path: '/transactions/deposit/request',
      body: { customerUuid: customer.uuid, amount: toWire(order.amount), referenceId: order.reference },
    });
    if (reply.outcome !== 'done') {
      const refusalCode = refusalFor(reply);
      const isProven = reply.outcome === 'unsent' || (refusalCode !== undefined && refusalCode !== DUPLICATE_CODE);
      return { outcome: isProven ? 'refused' : 'unknown', reason: refusalReason(reply) };
    }
    const creation = transactionReply.safeParse(reply.body);
    if (!creation.success) return { outcome: 'unknown', reason: 'malformed reply' };
    const issuedCode = readCode(order, creation.data.data);
    return issuedCode
      ? { outcome: 'created', ...issuedCode }
      : { outcome: 'unknown', reason: 'code says something else' };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const path = code.gatewayReference
      ? `/transactions/${encodeURIComponent(code.gatewayReference)}`
      : `/transactions?referenceId=${encodeURIComponent(code.reference)}`;
    const reply = await openSeries(patienceMs)({ method: 'GET', path });
    if (reply.outcome !== 'done') {
      const reason = refusalReason(reply);
      return reason === 'TRANSACTION_NOT_FOUND' ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', reason };
    }
    const parsedTransaction = transactionReply.safeParse(reply.body);
    return parsedTransaction.success
      ? readInquiry(code, parsedTransaction.data.data, clock.now())
      : { status: 'UNKNOWN', reason: 'malformed reply' };
  }

  async function unmatched(): Promise<UnmatchedPayments | string> {
    const reply = await openSeries(patienceMs)({ method: 'GET', path: '/transactions/unmatched' });
    if (reply.outcome !== 'done') return refusalReason(reply);
    const parsedUnmatched = unmatchedReply.safeParse(reply.body);
    if (!parsedUnmatched.success) return 'malformed reply';
    return readUnmatched(parsedUnmatched.data.data);
  }

  return {
    code: 'PAYONEX',
    name: 'payonex',
    currency: CURRENCY,
    patienceMs,
    create,
    inquire,
    cancel: async (code) => cancelByInquiry(await inquire(code)),
    probe: () => probeByInquiry(inquire),
    unmatched,
    readCallback: (received) =>
      readKeyedCallback(received, settings.callbackKey, (body) => callbackClaim.safeParse(body).data?.data.referenceId),
    callbackReply: { success: true },
  };
}

// Cuts between graphemes, never between a letter and its marks.
function truncateName(name: string): string {
  const keptGraphemes = Array.from(GRAPHEME_SEGMENTER.segment(name)).filter(
    ({ index, segment }) => index + segment.length <= NAME_CHARACTERS_MAX,
  );
  return keptGraphemes.map(({ segment }) => segment).join('');
}

// The gateway returns the same customer for the same account, so the customer is not stored here.
async function findCustomer(call: PayonexCall, payer: PayerAccount): Promise<{ uuid: string } | { reason: string }> {
  const reply = await call({
    method: 'POST',
    path: '/v2/customers',
    body: {
      name: truncateName(payer.accountName),
      bankCode: BANK_WORDS[payer.bankCode] ?? payer.bankCode,
      accountNo: payer.accountNo,
    },
  });
  if (reply.outcome !== 'done') return { reason: refusalReason(reply) };
  const parsedCustomer = customerReply.safeParse(reply.body);
  return parsedCustomer.success ? { uuid: parsedCustomer.data.data.customerUuid } : { reason: 'malformed reply' };
}

/**
 * The issued code of a transaction, if its amount matches the gateway's reply and is acceptable. The receiver is not
 * checked: the gateway collects on changing accounts of its own.
 */
function readCode(ordered: Pick<InquiredQr, 'reference' | 'amount'>, transaction: Transaction): IssuedQr | undefined {
  const { uuid, referenceId, amount, qrCode, expiredAt } = transaction;
  if (referenceId !== ordered.reference || amount === undefined || !isPaymentNumber(uuid)) return undefined;
  if (!isAcceptablePayAmount(CURRENCY, ordered.amount, amount) || readPromptPay(qrCode)?.amount !== amount)
    return undefined;
  return { gatewayReference: uuid, payload: qrCode, payAmount: amount, expiresAt: expiredAt };
}

function readInquiry(code: InquiredQr, transaction: Transaction, now: Date): Inquiry {
  const { uuid, referenceId, status, receivedAmount } = transaction;
  if (referenceId !== code.reference) return { status: 'UNKNOWN', reason: 'reply about another code' };
  const receivedMinor =
    receivedAmount === null || receivedAmount === undefined ? undefined : parseAmount(receivedAmount);
  const evidence = `${uuid} ${status}${receivedMinor === undefined ? '' : ` ${toDecimal(receivedMinor)}`}`;
  switch (status) {
    case 'PROCESSING':
      // The gateway has no status for an expired code, which may still be paid late.
      if (transaction.expiredAt <= now) return { status: 'EXPIRED' };
      return { status: 'WAITING', code: readCode(code, transaction) };
    case 'SUCCESS':
      return readPayment(transaction, transaction.amount, evidence);
    case 'ON_HOLD':
      return { status: 'ON_HOLD', reason: 'ON_HOLD', evidence };
    case 'REFUNDED':
      return { status: 'UNUSABLE', reason: 'REFUNDED', evidence };
    case 'REJECTED':
    case 'ERROR':
      // Ended without a payment. Received money needs a check by an operator.
      return receivedMinor === undefined ? { status: 'EXPIRED' } : { status: 'UNUSABLE', reason: status, evidence };
  }
}

function readPayment(transaction: Transaction, amount: Minor | undefined, evidence: string): Inquiry {
  const { uuid, paidAt, payer } = transaction;
  if (!isPaymentNumber(uuid)) return { status: 'ON_HOLD', reason: 'TRANSACTION_NUMBER', evidence };
  if (!paidAt) return { status: 'UNKNOWN', reason: 'paid, but not when' };
  if (amount === undefined) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return {
    status: 'PAID',
    payment: {
      transactionNumber: uuid,
      amount,
      currency: CURRENCY,
      paidAt,
      payer,
    },
  };
}

function readUnmatched(rawPayments: readonly unknown[]): UnmatchedPayments {
  const payments: UnmatchedPayment[] = [];
  const unreadable: string[] = [];
  for (const rawPayment of rawPayments) {
    const { data: read } = heldPayment.safeParse(rawPayment);
    const amount = read?.amount;
    if (read && amount !== undefined && isPaymentNumber(read.id)) payments.push({ ...read, amount });
    else unreadable.push(evidenceText(rawPayment, EVIDENCE_CHARACTERS_MAX));
  }
  return { payments, unreadable };
}

/** The gateway PAYONEX, with the schema of its section `payonex` of the outside file. */
export const payonex = defineGateway(
  z
    .object({
      url: apiUrl,
      accessKey: issued('Key that identifies the operator'),
      secretKey: issued('Secret of logins'),
      callbackUrl,
      callbackKey,
      timeoutMs,
    })
    .meta(keyedGateway('payonex', 'QR gateway PAYONEX, in baht.'))
    .optional(),
  payonexGateway,
);
