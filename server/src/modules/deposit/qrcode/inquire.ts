import { sleep } from '../../../platform/time.ts';
import type { Gateway, Inquiry } from '../../../adapters/gateway/port.ts';
import { creditPayment, type CreditResult, creditOrPark, recheckCredited, parkPayment } from './credit-payment.ts';
import { type QrcodeDeps, isLive, type Qrcode, gatewayOf, nextInquiryInMs, INQUIRY_SCHEDULE } from './qrcode.ts';
import { claimInquirySlot, findQrcode, markEnded, markPending, scheduleInquiry } from './queries.ts';

/** However often a member asks to see a code, its gateway is asked at most this often, by all nodes together. */
const ASKED_EVERY_MS = 2_000;
/** The member waits no longer than this; a later answer is still acted on. */
const MEMBER_WAITS_MS = 2_500;
/** The gateway waits no longer than this for the reply to its callback. */
const GATEWAY_WAITS_MS = 2_000;
/** Inquiries of one process while requests wait. */
const AT_ONCE = 32;

/** Inquiries of this process that requests wait for, one at a time for each code. */
export type InquiryPool = {
  /** Whether an inquiry about a code would begin at once. */
  hasRoom: (codeId: string) => boolean;
  /** Waits for the inquiry about a code that is under way, or begins it; for `patienceMs` at most. */
  wait: (codeId: string, patienceMs: number, begin: () => Promise<void>) => Promise<void>;
  /** Resolves after the inquiries that are under way. */
  drain: () => Promise<void>;
};

export function createInquiryPool(): InquiryPool {
  const underWay = new Map<string, Promise<void>>();
  return {
    hasRoom: (codeId) => underWay.size < AT_ONCE && !underWay.has(codeId),
    wait: async (codeId, patienceMs, begin) => {
      const inquiry = underWay.get(codeId) ?? begin().finally(() => underWay.delete(codeId));
      underWay.set(codeId, inquiry);
      const waiting = new AbortController();
      await Promise.race([inquiry, sleep(patienceMs, waiting.signal)]).finally(() => waiting.abort());
    },
    drain: async () => {
      await Promise.all(underWay.values());
    },
  };
}

/**
 * Asks the gateway about a live code before it is shown again: it may be paid, and its callback late or lost, and then it
 * must not be paid twice. Changes nothing when the gateway is silent: the code stays as it is known.
 * @returns the code as it is known afterwards
 */
export async function inquireBeforeShowing(deps: QrcodeDeps, code: Qrcode): Promise<Qrcode> {
  if (!isLive(code)) return code;
  await inquire(deps, code, MEMBER_WAITS_MS, async () => {
    if (await claimInquirySlot(deps.database, code.id, ASKED_EVERY_MS)) await settleQrcode(deps, code);
  });
  return (await findQrcode(deps.database, code.id)) ?? code;
}

/**
 * Asks the gateway that calls back about a code, and credits what it confirms. Anything but a payment is left to the
 * watcher, and so is a code whose inquiry is under way: its answer may be older than the callback.
 * @returns whether this callback has credited it
 */
export async function creditFromCallback(deps: QrcodeDeps, gateway: Gateway, code: Qrcode): Promise<boolean> {
  if (code.state === 'PAID' || !deps.inquiries.hasRoom(code.id)) return false;
  let isCredited = false;
  await inquire(deps, code, GATEWAY_WAITS_MS, async () => {
    const inquiry = await gateway.inquire(code);
    if (inquiry.status !== 'PAID') return;
    isCredited = (await creditPayment(deps, code, inquiry.payment, { isCalledBack: true })) === 'CREDITED';
  });
  return isCredited;
}

const inquire = (deps: QrcodeDeps, code: Qrcode, patienceMs: number, work: () => Promise<void>): Promise<void> =>
  deps.inquiries.wait(code.id, patienceMs, () =>
    work().catch((error: unknown) =>
      deps.log.warn({ err: error, reference: code.reference }, 'a QR could not be asked about'),
    ),
  );

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
  if (isPaid && !isOld) await recheckCredited(deps, known, inquiry);
  const isParked = !isPaid && (await apply(deps, code, inquiry, credit));
  const after = await findQrcode(deps.database, code.id);
  if (!after) throw new Error(`the code ${code.id} is gone`);
  const silences = inquiry.status === 'UNKNOWN' ? code.silences + 1 : 0;
  const misses = inquiry.status === 'NOT_FOUND' ? code.misses + 1 : 0;
  const nextMs = isOld ? INQUIRY_SCHEDULE.earlyEveryMs : nextInquiryInMs({ ...after, silences });
  await scheduleInquiry(deps.database, code, { inMs: isParked ? null : nextMs, silences, misses });
}

/** @returns true when the payment was laid before an operator: asking again would tell the same */
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
  await markEnded(
    deps.database,
    code.id,
    ended,
    ended === 'FAILED' ? 'GATEWAY_UNKNOWN' : null,
    INQUIRY_SCHEDULE.graceEveryMs,
  );
}
