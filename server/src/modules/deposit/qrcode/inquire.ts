import { sleep } from '../../../platform/time.ts';
import type { Gateway, Inquiry } from '../../../adapters/gateway/port.ts';
import { creditPayment, type CreditResult, creditOrPark, recheckCredited, parkPayment } from './credit-payment.ts';
import { type QrcodeDeps, isLive, type Qrcode, gatewayOf, nextInquiryInMs, INQUIRY_SCHEDULE } from './qrcode.ts';
import { claimInquirySlot, findQrcode, markEnded, markPending, scheduleInquiry } from './queries.ts';

/** Interval of inquiries on behalf of members, per code and for all nodes together. */
const MEMBER_INQUIRY_EVERY_MS = 2_000;
/** A member's request waits at most this long; a later reply is still processed. */
const MEMBER_WAIT_MS = 2_500;
/** A gateway waits at most this long for the reply to its callback. */
const GATEWAY_WAIT_MS = 2_000;
/** Concurrent inquiries of one process that requests wait for. */
const CONCURRENCY = 32;

/** Inquiries of this process that requests wait for, one at a time per code. */
export type InquiryPool = {
  /** Whether an inquiry about a code would start immediately. */
  hasRoom: (codeId: string) => boolean;
  /** Joins the pending inquiry about a code, or starts one. Waits `patienceMs` at most. */
  wait: (codeId: string, patienceMs: number, begin: () => Promise<void>) => Promise<void>;
  /** Resolves when pending inquiries are done. */
  drain: () => Promise<void>;
};

export function createInquiryPool(): InquiryPool {
  const pending = new Map<string, Promise<void>>();
  return {
    hasRoom: (codeId) => pending.size < CONCURRENCY && !pending.has(codeId),
    wait: async (codeId, patienceMs, begin) => {
      const inquiry = pending.get(codeId) ?? begin().finally(() => pending.delete(codeId));
      pending.set(codeId, inquiry);
      const waiting = new AbortController();
      await Promise.race([inquiry, sleep(patienceMs, waiting.signal)]).finally(() => waiting.abort());
    },
    drain: async () => {
      await Promise.all(pending.values());
    },
  };
}

/**
 * Inquires about a live code before it is shown again. If it is paid and the callback is late or lost, the member must
 * not pay twice. Without a reply nothing changes.
 * @returns the code afterwards
 */
export async function inquireBeforeShowing(deps: QrcodeDeps, code: Qrcode): Promise<Qrcode> {
  if (!isLive(code)) return code;
  await inquire(deps, code, MEMBER_WAIT_MS, async () => {
    if (await claimInquirySlot(deps.database, code.id, MEMBER_INQUIRY_EVERY_MS)) await settleQrcode(deps, code);
  });
  return (await findQrcode(deps.database, code.id)) ?? code;
}

/**
 * Inquires about a code after a callback and credits a confirmed payment. Other outcomes are left to the resolver, and
 * so is a code with a pending inquiry: its reply may be older than the callback.
 * @returns whether this callback credited it
 */
export async function creditFromCallback(deps: QrcodeDeps, gateway: Gateway, code: Qrcode): Promise<boolean> {
  if (code.state === 'PAID' || !deps.inquiries.hasRoom(code.id)) return false;
  let isCredited = false;
  await inquire(deps, code, GATEWAY_WAIT_MS, async () => {
    const inquiry = await gateway.inquire(code);
    if (inquiry.status !== 'PAID') return;
    isCredited = (await creditPayment(deps, code, inquiry.payment, { isCalledBack: true })) === 'CREDITED';
  });
  return isCredited;
}

const inquire = (deps: QrcodeDeps, code: Qrcode, patienceMs: number, run: () => Promise<void>): Promise<void> =>
  deps.inquiries.wait(code.id, patienceMs, () =>
    run().catch((error: unknown) =>
      deps.log.warn({ err: error, reference: code.reference }, 'a QR could not be asked about'),
    ),
  );

/** Consecutive "no such code" replies that prove it; after the first, the create call may still be in flight. */
const MISSES_FOR_PROOF = 2;

/** Inquires about a code, applies the reply and schedules the next inquiry. Several nodes may run it concurrently. */
export async function settleQrcode(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  const inquiry = await gatewayOf(deps, code.gateway).inquire(code);
  const isPayment = inquiry.status === 'PAID' && code.state !== 'PAID';
  const credit = isPayment ? await creditOrPark(deps, code, inquiry.payment) : undefined;
  // The credit has scheduled the next inquiry.
  if (credit === 'CREDITED' || credit === 'KNOWN') return;
  // It may be credited by now, here or on another node.
  const known = await findQrcode(deps.database, code.id);
  const isPaid = known?.state === 'PAID';
  // The inquiry may be older than the credit: its reply is not about the credited money.
  const isOld = isPaid && code.state !== 'PAID' && inquiry.status !== 'PAID';
  if (isPaid && !isOld) await recheckCredited(deps, known, inquiry);
  const isParked = !isPaid && (await apply(deps, code, inquiry, credit));
  const after = await findQrcode(deps.database, code.id);
  if (!after) throw new Error(`the code ${code.id} is gone`);
  const silences = inquiry.status === 'UNKNOWN' ? code.silences + 1 : 0;
  const misses = inquiry.status === 'NOT_FOUND' ? code.misses + 1 : 0;
  const nextMs = isOld ? INQUIRY_SCHEDULE.earlyEveryMs : nextInquiryInMs({ ...after, silences });
  await scheduleInquiry(deps.database, code, { inMs: isParked ? null : nextMs, silences, misses });
}

/** @returns true when the payment was left to an operator: no further inquiry is needed */
async function apply(
  deps: QrcodeDeps,
  code: Qrcode,
  inquiry: Inquiry,
  credit: CreditResult | 'FAILED' | undefined,
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
        await markPending(deps.database, code.id, inquiry.code, INQUIRY_SCHEDULE.earlyEveryMs);
      } else {
        await endOverdue(deps, code);
      }
      return false;
    case 'CANCELLED':
    case 'EXPIRED':
      await end(deps, code, inquiry.status);
      return false;
    case 'NOT_FOUND':
      if (code.state === 'CREATING' && code.misses + 1 >= MISSES_FOR_PROOF) await end(deps, code, 'FAILED');
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
  // A code that was never shown has failed, whatever its status at the gateway.
  const ended = code.state === 'CREATING' ? 'FAILED' : state;
  await markEnded(
    deps.database,
    code.id,
    ended,
    ended === 'FAILED' ? 'GATEWAY_UNKNOWN' : null,
    INQUIRY_SCHEDULE.graceEveryMs,
  );
}
