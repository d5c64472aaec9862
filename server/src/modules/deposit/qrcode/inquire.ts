import type { Gateway, Inquiry } from '../../../adapters/gateway/port.ts';
import { sleep } from '../../../platform/time.ts';
import { creditPayment, type CreditResult, creditOrPark, recheckCredited, parkPayment } from './credit-payment.ts';
import { type QrcodeDeps, isLive, type Qrcode, gatewayOf, nextInquiryInMs, INQUIRY_SCHEDULE } from './qrcode.ts';
import { claimInquirySlot, findQrcode, markEnded, markPending, scheduleInquiry } from './queries.ts';

/** Interval of inquiries on behalf of members, per code and across all nodes. */
const MEMBER_INQUIRY_INTERVAL_MS = 2_000;
/** Longest wait of a member's request; a later reply is still processed. */
const MEMBER_WAIT_MS = 2_500;
/** Longest wait of a gateway for the reply to its callback. */
const GATEWAY_WAIT_MS = 2_000;
/** Concurrent inquiries of one process at each gateway that callbacks wait for. */
const POOL_CONCURRENCY = 32;

/** Inquiries of this process that requests wait for, one at a time per code. */
export type InquiryPool = {
  /** Whether an inquiry about a code could start immediately. A silent gateway takes no room of the others. */
  hasRoom: (code: Qrcode) => boolean;
  /** Joins the pending inquiry about a code, or starts one. Waits at most `patienceMs`. */
  wait: (code: Qrcode, patienceMs: number, startInquiry: () => Promise<void>) => Promise<void>;
  /** Resolves when pending inquiries are done. */
  drain: () => Promise<void>;
};

export function createInquiryPool(): InquiryPool {
  const pendingByCode = new Map<string, { gateway: string; inquiry: Promise<void> }>();
  const countAt = (gateway: string): number =>
    [...pendingByCode.values()].filter((pending) => pending.gateway === gateway).length;
  return {
    hasRoom: ({ id, gateway }) => !pendingByCode.has(id) && countAt(gateway) < POOL_CONCURRENCY,
    wait: async ({ id, gateway }, patienceMs, startInquiry) => {
      const inquiry = pendingByCode.get(id)?.inquiry ?? startInquiry().finally(() => pendingByCode.delete(id));
      pendingByCode.set(id, { gateway, inquiry });
      const waitController = new AbortController();
      await Promise.race([inquiry, sleep(patienceMs, waitController.signal)]).finally(() => waitController.abort());
    },
    drain: async () => {
      await Promise.all([...pendingByCode.values()].map(({ inquiry }) => inquiry));
    },
  };
}

/**
 * Inquires about a live code before showing it again. The code may be paid with a late or lost callback, and the member
 * must not pay twice. Without a reply nothing changes.
 * @returns the code after the inquiry
 */
export async function inquireBeforeShowing(deps: QrcodeDeps, code: Qrcode): Promise<Qrcode> {
  if (!isLive(code)) return code;
  await joinInquiry(deps, code, MEMBER_WAIT_MS, async () => {
    if (await claimInquirySlot(deps.database, code.id, MEMBER_INQUIRY_INTERVAL_MS)) await settleQrcode(deps, code);
  });
  return (await findQrcode(deps.database, code.id)) ?? code;
}

/**
 * Inquires about a code after a callback and credits a confirmed payment. Other outcomes are left to the resolver. A
 * code with a pending inquiry is left to the resolver too: its reply may be older than the callback.
 * @returns whether this callback credited the payment
 */
export async function creditFromCallback(deps: QrcodeDeps, gateway: Gateway, code: Qrcode): Promise<boolean> {
  if (code.state === 'PAID' || !deps.inquiries.hasRoom(code)) return false;
  let isCredited = false;
  await joinInquiry(deps, code, GATEWAY_WAIT_MS, async () => {
    const inquiry = await gateway.inquire(code);
    if (inquiry.status !== 'PAID') return;
    isCredited = (await creditPayment(deps, code, inquiry.payment, { isCalledBack: true })) === 'CREDITED';
  });
  return isCredited;
}

const joinInquiry = (
  deps: QrcodeDeps,
  code: Qrcode,
  patienceMs: number,
  sendInquiry: () => Promise<void>,
): Promise<void> =>
  deps.inquiries.wait(code, patienceMs, () =>
    sendInquiry().catch((error: unknown) =>
      deps.log.warn({ err: error, reference: code.reference }, 'QR inquiry of a member failed'),
    ),
  );

/** Consecutive "no such code" replies that count as proof; after the first, the create call may still be in flight. */
const NOT_FOUND_REPLIES_FOR_PROOF = 2;

/** Inquires about a code, applies the reply and schedules the next inquiry. Several nodes may run it concurrently. */
export async function settleQrcode(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  const inquiry = await gatewayOf(deps, code.gateway).inquire(code);
  const isPayment = inquiry.status === 'PAID' && code.state !== 'PAID';
  const credit = isPayment ? await creditOrPark(deps, code, inquiry.payment) : undefined;
  // The credit has scheduled the next inquiry.
  if (credit === 'CREDITED' || credit === 'KNOWN') return;
  // Read again: this or another node may have credited it.
  const currentCode = await findQrcode(deps.database, code.id);
  const isPaid = currentCode?.state === 'PAID';
  // The inquiry may be older than the credit; then its reply is not about the credited money.
  const isOutdated = isPaid && code.state !== 'PAID' && inquiry.status !== 'PAID';
  if (isPaid && !isOutdated) await recheckCredited(deps, currentCode, inquiry);
  const isParked = !isPaid && (await applyReply(deps, code, inquiry, credit));
  const updatedCode = await findQrcode(deps.database, code.id);
  if (!updatedCode) throw new Error(`the code ${code.id} is gone`);
  const silences = inquiry.status === 'UNKNOWN' ? code.silences + 1 : 0;
  const misses = inquiry.status === 'NOT_FOUND' ? code.misses + 1 : 0;
  const nextMs = isOutdated ? INQUIRY_SCHEDULE.earlyEveryMs : nextInquiryInMs({ ...updatedCode, silences });
  await scheduleInquiry(deps.database, code, { inMs: isParked ? null : nextMs, silences, misses });
}

/** @returns true when the payment was parked for an operator: no further inquiry is needed */
async function applyReply(
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
      await expireOverdue(deps, code);
      return false;
    case 'WAITING':
      if (code.state === 'CREATING' && inquiry.code) {
        await markPending(deps.database, code.id, inquiry.code, INQUIRY_SCHEDULE.earlyEveryMs);
      } else {
        await expireOverdue(deps, code);
      }
      return false;
    case 'CANCELLED':
    case 'EXPIRED':
      await endCode(deps, code, inquiry.status);
      return false;
    case 'NOT_FOUND':
      if (code.state === 'CREATING' && code.misses + 1 >= NOT_FOUND_REPLIES_FOR_PROOF)
        await endCode(deps, code, 'FAILED');
      else await expireOverdue(deps, code);
      return false;
    case 'UNKNOWN':
      deps.log.warn({ reference: code.reference, reason: inquiry.reason }, 'gateway inquiry without an outcome');
      await expireOverdue(deps, code);
      return false;
  }
}

async function expireOverdue(deps: QrcodeDeps, code: Qrcode): Promise<void> {
  const isOverdue = code.state === 'PENDING' && code.expiresAt !== null && code.expiresAt <= code.readAt;
  if (isOverdue) await endCode(deps, code, 'EXPIRED');
}

async function endCode(deps: QrcodeDeps, code: Qrcode, state: 'CANCELLED' | 'EXPIRED' | 'FAILED'): Promise<void> {
  // A code that was never shown has failed, whatever its status at the gateway.
  const endState = code.state === 'CREATING' ? 'FAILED' : state;
  await markEnded(
    deps.database,
    code.id,
    endState,
    endState === 'FAILED' ? 'GATEWAY_UNKNOWN' : null,
    INQUIRY_SCHEDULE.graceEveryMs,
  );
}
