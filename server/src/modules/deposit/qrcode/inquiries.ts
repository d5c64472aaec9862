import { sleep } from '../../../platform/clock.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import { creditPayment } from './credit-payment.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { isLive, type Qrcode } from './qrcode.ts';
import { claimAsking, findQrcode } from './queries.ts';
import { settleQrcode } from './settle-qrcode.ts';

/** However often a member asks to see a code, its gateway is asked at most this often, by all nodes together. */
const ASKED_EVERY_MS = 2_000;
/** The member waits no longer than this; a later answer is still acted on. */
const MEMBER_WAITS_MS = 2_500;
/** The gateway waits no longer than this for the reply to its callback. */
const GATEWAY_WAITS_MS = 2_000;
/** Inquiries of one process while requests wait. */
const AT_ONCE = 32;

/** Inquiries of this process that requests wait for, one at a time for each code. */
export type Inquiries = {
  /** Whether an inquiry about a code would begin at once. */
  hasRoom: (codeId: string) => boolean;
  /** Waits for the inquiry about a code that is under way, or begins it; for `patienceMs` at most. */
  wait: (codeId: string, patienceMs: number, begin: () => Promise<void>) => Promise<void>;
  /** Resolves after the inquiries that are under way. */
  drain: () => Promise<void>;
};

export function createInquiries(): Inquiries {
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
export async function askAnew(deps: QrcodeDeps, code: Qrcode): Promise<Qrcode> {
  if (!isLive(code)) return code;
  await inquire(deps, code, MEMBER_WAITS_MS, async () => {
    if (await claimAsking(deps.database, code.id, ASKED_EVERY_MS)) await settleQrcode(deps, code);
  });
  return (await findQrcode(deps.database, code.id)) ?? code;
}

/**
 * Asks the gateway that calls back about a code, and credits what it confirms. Anything but a payment is left to the
 * watcher, and so is a code whose inquiry is under way: its answer may be older than the callback.
 * @returns whether this callback has credited it
 */
export async function creditCalledBack(deps: QrcodeDeps, gateway: Gateway, code: Qrcode): Promise<boolean> {
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
