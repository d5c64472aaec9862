import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type Currency, type Minor, minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import type { QrcodeState } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { Gateway } from '../../../adapters/gateway/port.ts';
import type { Ledger } from '../../../ledger/index.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Clock } from '../../../platform/time.ts';
import type { AccountModule } from '../../account/index.ts';
import type { OperatorData } from '../../operator-data/index.ts';
import type { BonusChoice } from '../bonus-choice.ts';
import { depositMaximum } from '../maximum.ts';
import type { InquiryPool } from './inquire.ts';

/** A QR code for a deposit. All times are the database's: clocks of nodes differ. */
export type Qrcode = {
  id: string;
  memberId: string;
  /** The `bankCode` in the wire format. */
  gateway: string;
  /** Own reference, sent to the gateway. */
  reference: string;
  gatewayReference: string | null;
  currency: Currency;
  /** The amount that the member requested. */
  amount: Minor;
  /** The amount of the code; null until the gateway has created it. */
  payAmount: Minor | null;
  state: QrcodeState;
  reason: string | null;
  /** The credited amount; null before the credit. */
  paidAmount: Minor | null;
  transactionNumber: string | null;
  payload: string | null;
  /** The bonus that the member chose with it. */
  bonusCode: string | null;
  createdAt: Date;
  endedAt: Date | null;
  expiresAt: Date | null;
  /** Number of requested inquiries. */
  wakes: number;
  /** Consecutive inquiries without a reply. */
  silences: number;
  /** Consecutive inquiries with the reply "no such code". */
  misses: number;
  /** When the row was read. */
  readAt: Date;
};

/** Limits of one deposit; undefined where the operator has set none. */
export type AmountLimits = { minimum: Minor | undefined; maximum: Minor | undefined };

const ABSOLUTE_MINIMUM = minor(BigInt(TRANSFER_MINIMUM) * 100n);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BANGKOK_OFFSET_MS = 7 * 60 * MINUTE_MS;

/** Intervals of inquiries about one code, for lost callbacks. */
export const INQUIRY_SCHEDULE = {
  /** Right after creation, when payment is most likely. */
  earlyEveryMs: 10 * SECOND_MS,
  earlyMs: 2 * MINUTE_MS,
  liveEveryMs: 15 * SECOND_MS,
  afterExpiryMs: SECOND_MS,
  /** A payment may still arrive after the code has ended. */
  graceEveryMs: MINUTE_MS,
  graceMs: 20 * MINUTE_MS,
  /** Less often until the bank's day ends, and a last inquiry afterwards. */
  dayEveryMs: 30 * MINUTE_MS,
  afterMidnightMs: 15 * MINUTE_MS,
  /** Assumed lifetime of a code when the gateway did not report one. */
  unknownLifeMs: 10 * MINUTE_MS,
  /** Inquiries without a reply stop this long after the end of the day. */
  givenUpMs: 7 * DAY_MS,
  /** Initial back-off after an inquiry without a reply. */
  silentMs: SECOND_MS,
  /** The back-off grows to at most the usual interval doubled this many times. */
  doublingsMax: 5,
} as const;

/** Whether the member can pay the code now. */
export const isLive = (code: Qrcode): boolean =>
  code.state === 'PENDING' && code.expiresAt !== null && code.expiresAt > code.readAt;

/** 400: amount outside the limits. 409: the state of the code forbids the action. */
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

/** QR_FAIL with its detail and the matching status. */
export const qrFail = (detail: keyof typeof QR_STATUS): Refusal =>
  new Refusal('QR_FAIL', { detail, status: QR_STATUS[detail] });

/** Parses and validates the amount of a new code. @throws {Refusal} QR_FAIL with a detail */
export function parseQrcodeAmount(rawAmount: unknown, currency: Currency, limits: AmountLimits): Minor {
  const amount = parseAmount(rawAmount);
  if (amount === undefined) throw qrFail('AMOUNT_INVALID');
  if (amount % smallestUnit(currency) !== 0n) throw qrFail('AMOUNT_INVALID');
  const minimum = limits.minimum ?? ABSOLUTE_MINIMUM;
  if (amount < minimum || amount < ABSOLUTE_MINIMUM) throw qrFail('AMOUNT_BELOW_MINIMUM');
  if (amount > (limits.maximum ?? depositMaximum(currency))) throw qrFail('AMOUNT_ABOVE_MAXIMUM');
  return amount;
}

/**
 * Delay of the next inquiry in ms, counted from `readAt`.
 * @returns null when no inquiry is due: the gateway has replied, and the code is paid or its day is over
 */
export function nextInquiryInMs(code: Qrcode): number | null {
  const nowMs = code.readAt.getTime();
  if (code.state === 'PAID') return nextAfterPaymentMs(code);
  if (code.state === 'CREATING' || code.state === 'PENDING') {
    const isEarly = nowMs - code.createdAt.getTime() < INQUIRY_SCHEDULE.earlyMs;
    const delayMs = intervalMs(code, isEarly ? INQUIRY_SCHEDULE.earlyEveryMs : INQUIRY_SCHEDULE.liveEveryMs);
    const untilExpiryMs = (code.expiresAt?.getTime() ?? Infinity) - nowMs;
    const expiresBeforeNext = untilExpiryMs > -INQUIRY_SCHEDULE.afterExpiryMs && delayMs >= untilExpiryMs;
    return expiresBeforeNext ? untilExpiryMs + INQUIRY_SCHEDULE.afterExpiryMs : delayMs;
  }
  const endedAtMs = endOfCode(code);
  if (nowMs < endedAtMs + INQUIRY_SCHEDULE.graceMs) return intervalMs(code, INQUIRY_SCHEDULE.graceEveryMs);
  const lastInquiryAtMs = bangkokMidnightAfter(endedAtMs + INQUIRY_SCHEDULE.graceMs) + INQUIRY_SCHEDULE.afterMidnightMs;
  const isInquiryPeriodOver =
    nowMs >= lastInquiryAtMs && (code.silences === 0 || nowMs >= lastInquiryAtMs + INQUIRY_SCHEDULE.givenUpMs);
  if (isInquiryPeriodOver) return null;
  const delayMs = intervalMs(code, INQUIRY_SCHEDULE.dayEveryMs);
  return nowMs < lastInquiryAtMs ? Math.min(delayMs, lastInquiryAtMs - nowMs) : delayMs;
}

// A callback about a paid code may report a reversal, so inquiries continue until the gateway replies.
function nextAfterPaymentMs(code: Qrcode): number | null {
  const isGivenUp = code.readAt.getTime() > endOfCode(code) + INQUIRY_SCHEDULE.givenUpMs;
  return code.silences === 0 || isGivenUp ? null : intervalMs(code, INQUIRY_SCHEDULE.graceEveryMs);
}

// The usual interval while the gateway replies; 2 s, 4 s, 8 s … without a reply.
function intervalMs({ silences }: Qrcode, everyMs: number): number {
  if (silences === 0) return everyMs;
  return Math.min(
    INQUIRY_SCHEDULE.silentMs * 2 ** Math.min(silences, 30),
    everyMs * 2 ** INQUIRY_SCHEDULE.doublingsMax,
  );
}

// A cancelled code can be paid until its expiry. If the creation got no reply, a default expiry is assumed.
function endOfCode({ endedAt, expiresAt, createdAt }: Qrcode): number {
  const expiryMs = expiresAt?.getTime() ?? createdAt.getTime() + INQUIRY_SCHEDULE.unknownLifeMs;
  return Math.max(expiryMs, endedAt?.getTime() ?? 0);
}

function bangkokMidnightAfter(timeMs: number): number {
  const dayNumber = Math.floor((timeMs + BANGKOK_OFFSET_MS) / DAY_MS);
  return (dayNumber + 1) * DAY_MS - BANGKOK_OFFSET_MS;
}

export type QrcodeDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand'>;
  clock: Clock;
  gateways: readonly Gateway[];
  readOperatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'bankAccountOf'>;
  bonusChoice: BonusChoice;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  inquiries: InquiryPool;
  /** Wakes the resolver of this process when work is due. */
  wakeResolver: () => void;
};

/** Finds the gateway of a row. @throws when the row's gateway is no longer configured */
export function gatewayOf(deps: Pick<QrcodeDeps, 'gateways'>, code: string): Gateway {
  const gateway = deps.gateways.find((candidate) => candidate.code === code);
  if (!gateway) throw new Error(`there are codes of the gateway ${code}, but no agreement with it`);
  return gateway;
}

/** Refuses new codes of a stopped gateway. Its open codes stay payable. @throws {Refusal} NO_BANK STOPPED */
export async function assertGatewayOpen(deps: Pick<QrcodeDeps, 'readOperatorData'>, bankCode: string): Promise<void> {
  if ((await deps.readOperatorData()).isStopped(`deposit.qrcode:${bankCode}`)) {
    throw new Refusal('NO_BANK', { detail: 'STOPPED' });
  }
}

/** Finds the gateway that a member may use, with the operator's limits. @throws {Refusal} NO_BANK */
export async function selectGateway(
  deps: QrcodeDeps,
  bankCode: string,
  currency: Currency,
): Promise<{ gateway: Gateway; limits: AmountLimits }> {
  const gateway = deps.gateways.find((candidate) => candidate.code === bankCode && candidate.currency === currency);
  const depositAccount = (await deps.readOperatorData()).depositAccounts.find(
    (account) => account.bankCode === bankCode && account.bankType === 'PAYMENT' && account.currency === currency,
  );
  if (!gateway || !depositAccount) throw new Refusal('NO_BANK');
  const toLimit = (amount: bigint | null) => (amount === null ? undefined : minor(amount));
  return { gateway, limits: { minimum: toLimit(depositAccount.minimum), maximum: toLimit(depositAccount.maximum) } };
}
