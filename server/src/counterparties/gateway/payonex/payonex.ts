import { type Minor, parseAmount, toDecimal, toWire } from '@krapao/contract/money';
import type { Clock } from '../../../platform/clock.ts';
import { cancelByInquiry } from '../cancel-by-inquiry.ts';
import { readKeyedCallback } from '../keyed-callback.ts';
import {
  type AskedCode,
  type CodeOrder,
  type CreateOutcome,
  type Gateway,
  type Inquiry,
  isFairPayAmount,
  type PayerAccount,
  type ShownCode,
  type UnmatchedPayment,
} from '../port.ts';
import { readPromptPay } from '../prompt-pay.ts';
import { callbackClaim, customerAnswer, type Transaction, transactionAnswer, unmatchedAnswer } from './answers.ts';
import { type PayonexCall, payonexSession, type PayonexSettings, reasonOf, refusalOf } from './session.ts';

const NAME_CHARACTERS_MAX = 100;
const CURRENCY = 'BAHT';
/** Its words for banks that we call otherwise. */
const BANK_WORDS: Readonly<Record<string, string>> = { CIMBT: 'CIMB', UOBT: 'UOB', IBANK: 'ISBT', ICBCT: 'ICBC' };
/** This refusal doesn't prove that there is no code: an earlier call may have made it. */
const DUPLICATE = 'DUPLICATE_REFERENCE';

/**
 * The gateway PAYONEX. It collects by plain PromptPay transfers and tells payments apart by their amount, so that it asks a
 * little more than it was told; it wants to know each payer's account; it nets its fee, which is between the house and it:
 * the member is credited what they paid. Nothing can be cancelled, and callbacks are not signed.
 */
export function payonexGateway(settings: PayonexSettings, clock: Clock): Gateway {
  const openSeries = payonexSession(settings, clock);
  // A customer and a code, or a fresh token and one of the two: two calls that take their time, or more that don't.
  const patienceMs = 2 * settings.timeoutMs;

  async function create(order: CodeOrder): Promise<CreateOutcome> {
    const payer = await order.payer();
    if (!payer) return { outcome: 'refused', reason: 'the member has no bank account' };
    const call = openSeries(patienceMs);
    const customer = await findCustomer(call, payer);
    // Without a customer nothing was asked for yet, whatever became of that call.
    if ('reason' in customer) return { outcome: 'refused', reason: `customer: ${customer.reason}` };
    const answer = await call({
      method: 'POST',
      path: '/transactions/deposit/request',
      body: { customerUuid: customer.uuid, amount: toWire(order.amount), referenceId: order.reference },
    });
    if (answer.outcome !== 'done') {
      const refused = refusalOf(answer);
      const isProven = answer.outcome === 'unsent' || (refused !== undefined && refused !== DUPLICATE);
      return { outcome: isProven ? 'refused' : 'unknown', reason: reasonOf(answer) };
    }
    const made = transactionAnswer.safeParse(answer.body);
    if (!made.success) return { outcome: 'unknown', reason: 'answer of another shape' };
    const shown = readCode(order, made.data.data);
    return shown ? { outcome: 'created', ...shown } : { outcome: 'unknown', reason: 'code says something else' };
  }

  async function inquire(code: AskedCode): Promise<Inquiry> {
    const path = code.gatewayReference
      ? `/transactions/${encodeURIComponent(code.gatewayReference)}`
      : `/transactions?referenceId=${encodeURIComponent(code.reference)}`;
    const answer = await openSeries(patienceMs)({ method: 'GET', path });
    if (answer.outcome !== 'done') {
      const reason = reasonOf(answer);
      return reason === 'TRANSACTION_NOT_FOUND' ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', reason };
    }
    const parsed = transactionAnswer.safeParse(answer.body);
    return parsed.success
      ? readInquiry(code, parsed.data.data, clock.now())
      : { status: 'UNKNOWN', reason: 'answer of another shape' };
  }

  async function unmatched(): Promise<UnmatchedPayment[] | string> {
    const answer = await openSeries(patienceMs)({ method: 'GET', path: '/transactions/unmatched' });
    if (answer.outcome !== 'done') return reasonOf(answer);
    const parsed = unmatchedAnswer.safeParse(answer.body);
    if (!parsed.success) return 'answer of another shape';
    return parsed.data.data.flatMap(({ id, amount, at, payer }) =>
      amount === undefined ? [] : [{ id, amount, at, payer: readPayer(payer) }],
    );
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

// The same account is the same customer there, so that it needn't be remembered here.
async function findCustomer(call: PayonexCall, payer: PayerAccount): Promise<{ uuid: string } | { reason: string }> {
  const answer = await call({
    method: 'POST',
    path: '/v2/customers',
    body: {
      name: payer.accountName.slice(0, NAME_CHARACTERS_MAX),
      bankCode: BANK_WORDS[payer.bankCode] ?? payer.bankCode,
      accountNo: payer.accountNo,
    },
  });
  if (answer.outcome !== 'done') return { reason: reasonOf(answer) };
  const known = customerAnswer.safeParse(answer.body);
  return known.success ? { uuid: known.data.data.customerUuid } : { reason: 'answer of another shape' };
}

/**
 * The code of a transaction, when it asks what the gateway says and that is fair. To whom it goes is not checked: the
 * gateway collects on accounts of its own choice, and changes them.
 */
function readCode(asked: Pick<AskedCode, 'reference' | 'amount'>, transaction: Transaction): ShownCode | undefined {
  const { uuid, referenceId, amount, qrCode, expiredAt } = transaction;
  if (referenceId !== asked.reference || amount === undefined) return undefined;
  if (!isFairPayAmount(CURRENCY, asked.amount, amount) || readPromptPay(qrCode)?.amount !== amount) return undefined;
  return { gatewayReference: uuid, payload: qrCode, payAmount: amount, expiresAt: expiredAt };
}

function readInquiry(code: AskedCode, transaction: Transaction, now: Date): Inquiry {
  const { uuid, referenceId, status, receivedAmount } = transaction;
  if (referenceId !== code.reference) return { status: 'UNKNOWN', reason: 'answer about another code' };
  const received = receivedAmount === null || receivedAmount === undefined ? undefined : parseAmount(receivedAmount);
  const evidence = `${uuid} ${status}${received === undefined ? '' : ` ${toDecimal(received)}`}`;
  switch (status) {
    case 'PROCESSING':
      // It has no word for a code that is over but may still be paid late.
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
      // Over without a payment; unless it says that something came, which is for people to look at.
      return received === undefined ? { status: 'EXPIRED' } : { status: 'UNUSABLE', reason: status, evidence };
  }
}

function readPayment(transaction: Transaction, amount: Minor | undefined, evidence: string): Inquiry {
  const { uuid, paidAt, payer } = transaction;
  if (!paidAt) return { status: 'UNKNOWN', reason: 'paid, but not when' };
  if (amount === undefined) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return {
    status: 'PAID',
    payment: {
      transactionNumber: uuid,
      amount,
      currency: CURRENCY,
      paidAt,
      payer: readPayer(payer),
    },
  };
}

const readPayer = (payer: Transaction['payer']): UnmatchedPayment['payer'] => ({
  bankCode: payer?.bankCode ?? '',
  accountNo: payer?.accountNo ?? '',
  name: payer?.name ?? '',
});
