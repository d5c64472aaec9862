import type { Inquiry } from '../../../counterparties/gateway/port.ts';
import { type Credit, creditOrPark, lookAfterCredit, parkPayment } from './credit-payment.ts';
import { type QrcodeDeps, gatewayOf } from './qrcode-deps.ts';
import { nextInquiryMs, type Qrcode, WATCH } from './qrcode.ts';
import { findQrcode, markEnded, markPending, scheduleInquiry } from './queries.ts';

/** "No such code" counts when it was said twice; before, the create call may still be on its way there. */
const MISSES_TO_BELIEVE = 2;

/**
 * Asks the gateway about a code, records what follows from its answer, and plans the next inquiry. May run on several
 * nodes at once for the same code.
 */
export async function settleQrcode(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  const inquiry = await gatewayOf(deps, code.gateway).inquire(code);
  const isPayment = inquiry.status === 'PAID' && code.state !== 'PAID';
  const credit = isPayment ? await creditOrPark(deps, code, inquiry.payment) : undefined;
  // The credit has planned what comes next.
  if (credit === 'CREDITED' || credit === 'KNOWN') return;
  // It may be credited by now, here or on another node; then the answer tells what the gateway did with the money.
  const known = await findQrcode(deps.database, code.id);
  const isPaid = known?.state === 'PAID';
  // What was asked before the credit may be an answer from before it: only a later one tells of the money.
  const isOld = isPaid && code.state !== 'PAID' && inquiry.status !== 'PAID';
  if (isPaid && !isOld) await lookAfterCredit(deps, known, inquiry);
  const isParked = !isPaid && (await apply(deps, code, inquiry, credit));
  const after = await findQrcode(deps.database, code.id);
  if (!after) throw new Error(`the code ${code.id} is gone`);
  const silences = inquiry.status === 'UNKNOWN' ? code.silences + 1 : 0;
  const misses = inquiry.status === 'NOT_FOUND' ? code.misses + 1 : 0;
  const nextMs = isOld ? WATCH.earlyEveryMs : nextInquiryMs({ ...after, silences });
  await scheduleInquiry(deps.database, code, { inMs: isParked ? null : nextMs, silences, misses });
}

/** @returns true when the payment was laid before an operator: asking again would tell the same */
async function apply(
  deps: QrcodeDeps,
  code: Qrcode,
  inquiry: Inquiry,
  credit: Credit | 'FAILED' | undefined,
): Promise<boolean> {
  switch (inquiry.status) {
    case 'PAID': {
      if (credit === 'FAILED') return false;
      const { transactionNumber, amount, currency } = inquiry.payment;
      await parkPayment(deps, code, credit ?? 'TOLD_ANEW', `${transactionNumber} ${amount} ${currency}`);
      return true;
    }
    case 'UNUSABLE':
      await parkPayment(deps, code, inquiry.reason, inquiry.evidence);
      return true;
    case 'ON_HOLD':
      await parkPayment(deps, code, inquiry.reason, inquiry.evidence);
      await endOverdue(deps, code);
      return false;
    case 'WAITING':
      if (code.state === 'CREATING' && inquiry.code) {
        await markPending(deps.database, code.id, inquiry.code, WATCH.earlyEveryMs);
      } else {
        await endOverdue(deps, code);
      }
      return false;
    case 'CANCELLED':
    case 'EXPIRED':
      await end(deps, code, inquiry.status);
      return false;
    case 'NOT_FOUND':
      if (code.state === 'CREATING' && code.misses + 1 >= MISSES_TO_BELIEVE) await end(deps, code, 'FAILED');
      else await endOverdue(deps, code);
      return false;
    case 'UNKNOWN':
      deps.log.warn({ reference: code.reference, reason: inquiry.reason }, 'the gateway did not tell about a QR');
      await endOverdue(deps, code);
      return false;
  }
}

async function endOverdue(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  const isOverdue = code.state === 'PENDING' && code.expiresAt !== null && code.expiresAt <= code.readAt;
  if (isOverdue) await end(deps, code, 'EXPIRED');
}

async function end(deps: QrcodeDeps, code: Qrcode, state: 'CANCELLED' | 'EXPIRED' | 'FAILED'): Promise<void> {
  // A code that was never shown has failed, whatever the gateway calls it.
  const ended = code.state === 'CREATING' ? 'FAILED' : state;
  await markEnded(deps.database, code.id, ended, ended === 'FAILED' ? 'GATEWAY_UNKNOWN' : null, WATCH.graceEveryMs);
}
