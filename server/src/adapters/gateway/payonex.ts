import { type Minor, parseAmount, toDecimal, toWire } from '@krapao/contract/money';
import type { Clock } from '../../platform/time.ts';
import { evidenceText } from '../outside-text.ts';
import { cancelByInquiry, readKeyedCallback, isPaymentNumber } from './callback.ts';
import {
  type InquiredQr,
  type QrOrder,
  type CreateOutcome,
  type Gateway,
  type Inquiry,
  isAcceptablePayAmount,
  type PayerAccount,
  type IssuedQr,
  type UnmatchedPayment,
  type UnmatchedPayments,
  callbackKey,
  timeoutMs,
  defineGateway,
} from './port.ts';
import { readPromptPay } from './thai-qr.ts';
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
import { z } from 'zod';

const NAME_CHARACTERS_MAX = 100;
const GRAPHEMES = new Intl.Segmenter('th');
const CURRENCY = 'BAHT';
/** Maximum stored characters of a payment that can't be parsed. */
const EVIDENCE_MAX = 500;
/** Its codes of banks, where they differ from ours. */
const BANK_WORDS: Readonly<Record<string, string>> = { CIMBT: 'CIMB', UOBT: 'UOB', IBANK: 'ISBT', ICBCT: 'ICBC' };
/** Not a proven refusal: an earlier call may have created the code. */
const DUPLICATE = 'DUPLICATE_REFERENCE';

/**
 * The gateway PAYONEX. It collects by plain PromptPay transfers and distinguishes payments by their amount, so that it
 * asks for slightly more than requested; it needs each payer's account; it deducts its fee, which the house bears: the
 * member is credited the full payment. Nothing can be cancelled, and callbacks are not signed.
 */
export function payonexGateway(settings: PayonexSettings, clock: Clock): Gateway {
  const openSeries = payonexSession(settings, clock);
  // Creating customer and code, or renewing the token and one of the two: two slow calls, or more fast ones.
  const patienceMs = 2 * settings.timeoutMs;

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const payer = await order.payer();
    if (!payer) return { outcome: 'refused', reason: 'the member has no bank account' };
    const call = openSeries(patienceMs);
    const customer = await findCustomer(call, payer);
    // Without a customer no code has been requested yet, with any outcome of that call.
    if ('reason' in customer) return { outcome: 'refused', reason: `customer: ${customer.reason}` };
    const answer = await call({
      method: 'POST',
      path: '/transactions/deposit/request',
      body: { customerUuid: customer.uuid, amount: toWire(order.amount), referenceId: order.reference },
    });
    if (answer.outcome !== 'done') {
      const refused = refusalFor(answer);
      const isProven = answer.outcome === 'unsent' || (refused !== undefined && refused !== DUPLICATE);
      return { outcome: isProven ? 'refused' : 'unknown', reason: refusalReason(answer) };
    }
    const made = transactionReply.safeParse(answer.body);
    if (!made.success) return { outcome: 'unknown', reason: 'malformed answer' };
    const shown = readCode(order, made.data.data);
    return shown ? { outcome: 'created', ...shown } : { outcome: 'unknown', reason: 'code says something else' };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const path = code.gatewayReference
      ? `/transactions/${encodeURIComponent(code.gatewayReference)}`
      : `/transactions?referenceId=${encodeURIComponent(code.reference)}`;
    const answer = await openSeries(patienceMs)({ method: 'GET', path });
    if (answer.outcome !== 'done') {
      const reason = refusalReason(answer);
      return reason === 'TRANSACTION_NOT_FOUND' ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', reason };
    }
    const parsed = transactionReply.safeParse(answer.body);
    return parsed.success
      ? readInquiry(code, parsed.data.data, clock.now())
      : { status: 'UNKNOWN', reason: 'malformed answer' };
  }

  async function unmatched(): Promise<UnmatchedPayments | string> {
    const answer = await openSeries(patienceMs)({ method: 'GET', path: '/transactions/unmatched' });
    if (answer.outcome !== 'done') return refusalReason(answer);
    const parsed = unmatchedReply.safeParse(answer.body);
    if (!parsed.success) return 'malformed answer';
    return readUnmatched(parsed.data.data);
  }

  return {
    code: 'PAYONEX',
    name: 'payonex',
    currency: CURRENCY,
    patienceMs,
    create,
    inquire,
    cancel: async (code) => cancelByInquiry(await inquire(code)),
    unmatched,
    readCallback: (received) =>
      readKeyedCallback(received, settings.callbackKey, (body) => callbackClaim.safeParse(body).data?.data.referenceId),
    callbackReply: { success: true },
  };
}

// Cuts between graphemes, never between a letter and its marks.
function truncateName(name: string): string {
  const kept = Array.from(GRAPHEMES.segment(name)).filter(
    ({ index, segment }) => index + segment.length <= NAME_CHARACTERS_MAX,
  );
  return kept.map(({ segment }) => segment).join('');
}

// The same account is always the same customer there, so that it need not be stored here.
async function findCustomer(call: PayonexCall, payer: PayerAccount): Promise<{ uuid: string } | { reason: string }> {
  const answer = await call({
    method: 'POST',
    path: '/v2/customers',
    body: {
      name: truncateName(payer.accountName),
      bankCode: BANK_WORDS[payer.bankCode] ?? payer.bankCode,
      accountNo: payer.accountNo,
    },
  });
  if (answer.outcome !== 'done') return { reason: refusalReason(answer) };
  const known = customerReply.safeParse(answer.body);
  return known.success ? { uuid: known.data.data.customerUuid } : { reason: 'malformed answer' };
}

/**
 * The code of a transaction, when its amount matches the gateway's answer and is fair. The receiver is not checked: the
 * gateway collects on changing accounts of its own.
 */
function readCode(asked: Pick<InquiredQr, 'reference' | 'amount'>, transaction: Transaction): IssuedQr | undefined {
  const { uuid, referenceId, amount, qrCode, expiredAt } = transaction;
  if (referenceId !== asked.reference || amount === undefined || !isPaymentNumber(uuid)) return undefined;
  if (!isAcceptablePayAmount(CURRENCY, asked.amount, amount) || readPromptPay(qrCode)?.amount !== amount)
    return undefined;
  return { gatewayReference: uuid, payload: qrCode, payAmount: amount, expiresAt: expiredAt };
}

function readInquiry(code: InquiredQr, transaction: Transaction, now: Date): Inquiry {
  const { uuid, referenceId, status, receivedAmount } = transaction;
  if (referenceId !== code.reference) return { status: 'UNKNOWN', reason: 'answer about another code' };
  const received = receivedAmount === null || receivedAmount === undefined ? undefined : parseAmount(receivedAmount);
  const evidence = `${uuid} ${status}${received === undefined ? '' : ` ${toDecimal(received)}`}`;
  switch (status) {
    case 'PROCESSING':
      // It has no status for an expired code that may still be paid late.
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
      // Ended without a payment; unless it reports received money, which an operator has to check.
      return received === undefined ? { status: 'EXPIRED' } : { status: 'UNUSABLE', reason: status, evidence };
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

function readUnmatched(held: readonly unknown[]): UnmatchedPayments {
  const payments: UnmatchedPayment[] = [];
  const unreadable: string[] = [];
  for (const raw of held) {
    const { data: read } = heldPayment.safeParse(raw);
    const amount = read?.amount;
    if (read && amount !== undefined && isPaymentNumber(read.id)) payments.push({ ...read, amount });
    else unreadable.push(evidenceText(raw, EVIDENCE_MAX));
  }
  return { payments, unreadable };
}

/** The gateway PAYONEX, and what is agreed with it: part `payonex` of the outside file. */
export const payonex = defineGateway(
  z
    .object({
      url: z.url(),
      accessKey: z.string(),
      secretKey: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  payonexGateway,
);
