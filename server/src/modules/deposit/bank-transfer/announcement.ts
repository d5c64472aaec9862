import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type Currency, type Minor, minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import { plainNumber } from '@krapao/contract/text/digits';
import type { NoticeState } from '@krapao/contract/states';
import { randomBelow } from '../../../platform/ids.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { DepositAccount } from '../../lookup/index.ts';
import { houseOf } from './bank-transfer.ts';

/** A member's announcement of a bank transfer. It helps to match the transfer and credits nothing. */
export type Announcement = {
  id: string;
  memberId: string;
  reference: string;
  /** House account; '' for any. */
  house: string;
  currency: Currency;
  amount: Minor;
  /** Exact amount to send: `amount`, or slightly more to be distinct. */
  payAmount: Minor;
  state: NoticeState;
  isLate: boolean;
  expiresAt: Date;
};

/** Unvalidated input. */
export type AnnouncementRequest = { amount?: unknown; bankCode: string; bankAccountNo: string };

const MINUTE_MS = 60_000;
/** How long an announcement is open. */
export const ANNOUNCEMENT_MS = 30 * MINUTE_MS;
/** Late money is still matched during this time; afterwards the amount may be assigned to another member. */
export const GRACE_MS = 60 * MINUTE_MS;
/** Open announcements of one member. */
export const OPEN_MAX = 5;
/** Candidate amounts above the announced one, in smallest units. */
export const AMOUNT_STEPS = 100;

const MINIMUM = minor(BigInt(TRANSFER_MINIMUM) * 100n);

/** Accounts that can be announced: read by a feed, in the member's currency. @throws {Refusal} NO_BANK */
export function accountsFor(
  { bankCode, bankAccountNo }: AnnouncementRequest,
  offered: readonly DepositAccount[],
  currency: Currency,
): DepositAccount[] {
  const found = offered.filter(
    (account) =>
      account.bankType === 'BANK' &&
      account.mode === 'AUTO' &&
      account.currency === currency &&
      (bankCode === '' || account.bankCode === bankCode) &&
      (bankAccountNo === '' || account.accountNo === plainNumber(bankAccountNo)),
  );
  if (found.length === 0) throw new Refusal('NO_BANK');
  return found;
}

/** House account of the only account; '' for several. */
export const onlyHouseOf = (accounts: readonly DepositAccount[]): string => {
  const [first, ...more] = accounts;
  return first && more.length === 0 ? houseOf(first) : '';
};

/** Parses and validates the announced amount. @throws {Refusal} TRANSFER_MINIMUM with a detail */
export function parseAnnouncedAmount(raw: unknown, currency: Currency, accounts: readonly DepositAccount[]): Minor {
  const amount = parseAmount(raw);
  if (amount === undefined) throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_INVALID' });
  if (amount % smallestUnit(currency) !== 0n) throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_INVALID' });
  const isBelow = ({ minimum }: DepositAccount): boolean => minimum !== null && amount < minimum;
  const isAbove = ({ maximum }: DepositAccount): boolean => maximum !== null && amount > maximum;
  if (amount < MINIMUM || accounts.every(isBelow)) {
    throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_BELOW_MINIMUM' });
  }
  if (accounts.every(isAbove)) throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_ABOVE_MAXIMUM' });
  return amount;
}

/** Amounts that people usually send: multiples of a quarter baht or of 100 kip. */
const isUsual = (amount: bigint, currency: Currency): boolean =>
  amount % (currency === 'LAK' ? 100n * smallestUnit(currency) : 25n) === 0n;

/**
 * The amount that a member is asked to send: the announced one, unless it would be ambiguous. Then it is slightly more,
 * drawn at random from amounts not reserved for the same visible pattern. Usual amounts are excluded: an unrelated
 * transfer of that amount would be credited to this member.
 * @returns undefined when all are taken
 */
export function pickDistinctAmount(
  amount: Minor,
  currency: Currency,
  { taken, isPatternShared }: { taken: ReadonlySet<bigint>; isPatternShared: boolean },
): Minor | undefined {
  if (!isPatternShared && !taken.has(amount)) return amount;
  const candidates = Array.from(
    { length: AMOUNT_STEPS - 1 },
    (_, at) => amount + BigInt(at + 1) * smallestUnit(currency),
  );
  const free = candidates.filter((candidate) => !isUsual(candidate, currency) && !taken.has(candidate));
  const chosen = free[randomBelow(Math.max(free.length, 1))];
  return chosen === undefined ? undefined : minor(chosen);
}
