import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type Currency, type Minor, minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import type { QrcodeState } from '@krapao/contract/states';
import { Refusal } from '../../../platform/errors.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/index.ts';
import type { Clock } from '../../../platform/time.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Gateway } from '../../../adapters/gateway/port.ts';
import type { AccountModule } from '../../account/index.ts';
import type { SiteConfig } from '../../lookup/index.ts';
import type { InquiryPool } from './inquire.ts';

/** A code to pay money in with. All moments are the database's, so that nodes with different clocks agree. */
export type Qrcode = {
  id: string;
  memberId: string;
  /** The wire's `bankCode`. */
  gateway: string;
  /** What we call it towards the gateway. */
  reference: string;
  gatewayReference: string | null;
  currency: Currency;
  /** What the member asked for. */
  amount: Minor;
  /** What the code really asks; null until the gateway has made it. */
  payAmount: Minor | null;
  state: QrcodeState;
  reason: string | null;
  /** The payment that was credited; null before. */
  paidAmount: Minor | null;
  transactionNumber: string | null;
  payload: string | null;
  createdAt: Date;
  endedAt: Date | null;
  expiresAt: Date | null;
  wakes: number;
  /** Inquiries in a row that got no answer. */
  silences: number;
  /** Inquiries in a row that were answered with "no such code". */
  misses: number;
  /** When this picture was taken. */
  readAt: Date;
};

/** Least and greatest amount of one deposit; undefined where the operator has set none. */
export type AmountLimits = { minimum: Minor | undefined; maximum: Minor | undefined };

const MINIMUM_OF_ALL = minor(BigInt(TRANSFER_MINIMUM) * 100n);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BANGKOK_OFFSET_MS = 7 * 60 * MINUTE_MS;

/** How often a gateway is asked about one code. A callback is faster than any of these; they are for when it is lost. */
export const INQUIRY_SCHEDULE = {
  /** While a person is most likely paying. */
  earlyEveryMs: 10 * SECOND_MS,
  earlyMs: 2 * MINUTE_MS,
  liveEveryMs: 15 * SECOND_MS,
  afterExpiryMs: SECOND_MS,
  /** After it ended a payment may still come through. */
  graceEveryMs: MINUTE_MS,
  graceMs: 20 * MINUTE_MS,
  /** Then less often until the bank's day is over, and once more after it. */
  dayEveryMs: 30 * MINUTE_MS,
  afterMidnightMs: 15 * MINUTE_MS,
  /** A code may live this long at a gateway that didn't tell. */
  unknownLifeMs: 10 * MINUTE_MS,
  /** A gateway that stays silent is asked no longer than this after the day's end. */
  givenUpMs: 7 * DAY_MS,
  /** A gateway without an answer is asked again soon, because the money may be there; then it backs off. */
  silentMs: SECOND_MS,
  /** Silence doubles the usual wait this many times at the most. */
  doublingsMax: 5,
} as const;

/** Whether it can be paid now, as far as the member is concerned. */
export const isLive = (code: Qrcode): boolean =>
  code.state === 'PENDING' && code.expiresAt !== null && code.expiresAt > code.readAt;

/** 400 for an amount outside the limits, 409 for an action that the state of the code forbids. */
const QR_STATUS = {
  AMOUNT_INVALID: 400,
  AMOUNT_BELOW_MINIMUM: 400,
  AMOUNT_ABOVE_MAXIMUM: 400,
  QR_CREATING: 409,
  QR_LIVE: 409,
  QR_PAID: 409,
  QR_EXPIRED: 409,
  QR_FAILED: 409,
  GATEWAY_UNKNOWN: 409,
} as const;

/** QR_FAIL with what went wrong, and the status that says whose doing it is. */
export const qrFail = (detail: keyof typeof QR_STATUS): Refusal =>
  new Refusal('QR_FAIL', { detail, status: QR_STATUS[detail] });

/** Reads the amount of a code to be made. Refuses with QR_FAIL and what is wrong with it. */
export function readQrcodeAmount(raw: unknown, currency: Currency, limits: AmountLimits): Minor {
  const amount = parseAmount(raw);
  if (amount === undefined) throw qrFail('AMOUNT_INVALID');
  if (amount % smallestUnit(currency) !== 0n) throw qrFail('AMOUNT_INVALID');
  const minimum = limits.minimum ?? MINIMUM_OF_ALL;
  if (amount < minimum || amount < MINIMUM_OF_ALL) throw qrFail('AMOUNT_BELOW_MINIMUM');
  if (limits.maximum !== undefined && amount > limits.maximum) {
    throw qrFail('AMOUNT_ABOVE_MAXIMUM');
  }
  return amount;
}

/**
 * When to ask the gateway about a code again, in ms from when its picture was taken.
 * @returns null when there is nothing left to ask: it is paid, or its day is over, and the gateway has told
 */
export function nextInquiryInMs(code: Qrcode): number | null {
  const now = code.readAt.getTime();
  if (code.state === 'PAID') return nextAfterPaymentMs(code);
  if (code.state === 'CREATING' || code.state === 'PENDING') {
    const isEarly = now - code.createdAt.getTime() < INQUIRY_SCHEDULE.earlyMs;
    const wait = patience(code, isEarly ? INQUIRY_SCHEDULE.earlyEveryMs : INQUIRY_SCHEDULE.liveEveryMs);
    const untilExpiry = (code.expiresAt?.getTime() ?? Infinity) - now;
    const isLastBefore = untilExpiry > -INQUIRY_SCHEDULE.afterExpiryMs && wait >= untilExpiry;
    return isLastBefore ? untilExpiry + INQUIRY_SCHEDULE.afterExpiryMs : wait;
  }
  const over = endOfCode(code);
  if (now < over + INQUIRY_SCHEDULE.graceMs) return patience(code, INQUIRY_SCHEDULE.graceEveryMs);
  const sweep = bangkokMidnightAfter(over + INQUIRY_SCHEDULE.graceMs) + INQUIRY_SCHEDULE.afterMidnightMs;
  const isOver = now >= sweep && (code.silences === 0 || now >= sweep + INQUIRY_SCHEDULE.givenUpMs);
  if (isOver) return null;
  const wait = patience(code, INQUIRY_SCHEDULE.dayEveryMs);
  return now < sweep ? Math.min(wait, sweep - now) : wait;
}

// Of a paid code a callback has said something new, and the gateway doesn't tell what: it may have taken the money back.
function nextAfterPaymentMs(code: Qrcode): number | null {
  const isGivenUp = code.readAt.getTime() > endOfCode(code) + INQUIRY_SCHEDULE.givenUpMs;
  return code.silences === 0 || isGivenUp ? null : patience(code, INQUIRY_SCHEDULE.graceEveryMs);
}

// The usual wait while the gateway tells; 2 s, 4 s, 8 s … while it doesn't.
function patience({ silences }: Qrcode, everyMs: number): number {
  if (silences === 0) return everyMs;
  return Math.min(
    INQUIRY_SCHEDULE.silentMs * 2 ** Math.min(silences, 30),
    everyMs * 2 ** INQUIRY_SCHEDULE.doublingsMax,
  );
}

// A cancelled code can be paid late until it would have expired; of one whose answer was lost the end is unknown.
function endOfCode({ endedAt, expiresAt, createdAt }: Qrcode): number {
  const known = expiresAt?.getTime() ?? createdAt.getTime() + INQUIRY_SCHEDULE.unknownLifeMs;
  return Math.max(known, endedAt?.getTime() ?? 0);
}

function bangkokMidnightAfter(moment: number): number {
  const day = Math.floor((moment + BANGKOK_OFFSET_MS) / DAY_MS);
  return (day + 1) * DAY_MS - BANGKOK_OFFSET_MS;
}

/** What the use cases of `qrcode` work with. */
export type QrcodeDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand'>;
  clock: Clock;
  gateways: readonly Gateway[];
  operatorData: () => Promise<SiteConfig>;
  account: Pick<AccountModule, 'bankAccountOf'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  inquiries: InquiryPool;
  /** Tells the watcher of this process that something fell due. */
  wakeWatcher: () => void;
};

/** The gateway of a row. A row of a removed gateway can't be asked about: that is reported, not hidden. */
export function gatewayOf(deps: Pick<QrcodeDeps, 'gateways'>, code: string): Gateway {
  const gateway = deps.gateways.find((one) => one.code === code);
  if (!gateway) throw new Error(`there are codes of the gateway ${code}, but no agreement with it`);
  return gateway;
}

/** The gateway that a member may use, with the operator's limits. Refuses with NO_BANK when there is none. */
export async function selectGateway(
  deps: QrcodeDeps,
  bankCode: string,
  currency: Currency,
): Promise<{ gateway: Gateway; limits: AmountLimits }> {
  const gateway = deps.gateways.find((one) => one.code === bankCode && one.currency === currency);
  const offered = (await deps.operatorData()).depositAccounts.find(
    (account) => account.bankCode === bankCode && account.bankType === 'PAYMENT' && account.currency === currency,
  );
  if (!gateway || !offered) throw new Refusal('NO_BANK');
  const limit = (amount: bigint | null) => (amount === null ? undefined : minor(amount));
  return { gateway, limits: { minimum: limit(offered.minimum), maximum: limit(offered.maximum) } };
}
