import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type Currency, type Minor, minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import type { AnnouncementState } from '@krapao/contract/states';
import { plainNumber } from '@krapao/contract/text/digits';
import { Refusal } from '../../../platform/errors.ts';
import { randomBelow } from '../../../platform/ids.ts';
import type { DepositAccount } from '../../operator-data/index.ts';
import { depositMaximum } from '../maximum.ts';
import { houseAccountOf } from './bank-transfer.ts';

/** A member's announcement of a bank transfer. It helps to match the transfer and credits nothing. */
export type Announcement = {
  id: string;
  memberId: string;
  reference: string;
  /** Null for any. */
  houseAccount: string | null;
  currency: Currency;
  amount: Minor;
  /** Exact amount to send: `amount`, or slightly more to be distinct. */
  payAmount: Minor;
  state: AnnouncementState;
  isLate: boolean;
  expiresAt: Date;
  /** The bonus that the member chose with it. */
  bonusCode: string | null;
};

/** Unvalidated input. `bonus`: code of the chosen bonus, '' for none. */
export type AnnouncementRequest = { amount?: unknown; bankCode: string; bankAccountNo: string; bonus: string };

const MINUTE_MS = 60_000;
/** How long an announcement is open. */
export const ANNOUNCEMENT_LIFETIME_MS = 30 * MINUTE_MS;
/** Late money is still matched during this time; afterwards the amount may be assigned to another member. */
export const RESERVATION_GRACE_MS = 60 * MINUTE_MS;
/** Open announcements of one member. */
export const OPEN_ANNOUNCEMENTS_MAX = 5;
/** Number of candidate amounts, from the announced one upwards, in smallest units. */
export const DISTINCT_AMOUNTS_MAX = 100;

const MINIMUM_AMOUNT = minor(BigInt(TRANSFER_MINIMUM) * 100n);

/** Finds accounts that can be announced: read by a feed, in the member's currency. @throws {Refusal} NO_BANK */
export function findAnnounceableAccounts(
  { bankCode, bankAccountNo }: AnnouncementRequest,
  depositAccounts: readonly DepositAccount[],
  currency: Currency,
): DepositAccount[] {
  const matchingAccounts = depositAccounts.filter(
    (account) =>
      account.bankType === 'BANK' &&
      account.mode === 'AUTO' &&
      account.currency === currency &&
      (bankCode === '' || account.bankCode === bankCode) &&
      (bankAccountNo === '' || account.accountNo === plainNumber(bankAccountNo)),
  );
  if (matchingAccounts.length === 0) throw new Refusal('NO_BANK');
  return matchingAccounts;
}

/** House account of the only account; null for several. */
export const findSingleHouseAccount = (accounts: readonly DepositAccount[]): string | null => {
  const [account, ...otherAccounts] = accounts;
  return account && otherAccounts.length === 0 ? houseAccountOf(account) : null;
};

/** Parses and validates the announced amount. @throws {Refusal} TRANSFER_MINIMUM with a detail */
export function parseAnnouncedAmount(
  rawAmount: unknown,
  currency: Currency,
  accounts: readonly DepositAccount[],
): Minor {
  const amount = parseAmount(rawAmount);
  if (amount === undefined) throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_INVALID' });
  if (amount % smallestUnit(currency) !== 0n) throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_INVALID' });
  const isBelow = ({ minimum }: DepositAccount): boolean => minimum !== null && amount < minimum;
  const isAbove = ({ maximum }: DepositAccount): boolean => amount > (maximum ?? depositMaximum(currency));
  if (amount < MINIMUM_AMOUNT || accounts.every(isBelow)) {
    throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_BELOW_MINIMUM' });
  }
  if (accounts.every(isAbove)) throw new Refusal('TRANSFER_MINIMUM', { detail: 'AMOUNT_ABOVE_MAXIMUM' });
  return amount;
}

/** Whether members often send such an amount: a multiple of a quarter baht or of 100 kip. */
const isRoundAmount = (amount: bigint, currency: Currency): boolean =>
  amount % (currency === 'LAK' ? 100n * smallestUnit(currency) : 25n) === 0n;

/**
 * Picks the amount that a member is asked to send: the announced one, unless it is ambiguous. Then it is slightly more,
 * drawn at random from amounts not reserved for the same visible pattern. Round amounts are excluded: an unrelated
 * transfer of that amount would be credited to this member.
 * @returns undefined when all amounts are reserved
 */
export function pickDistinctAmount(
  amount: Minor,
  currency: Currency,
  { reservedAmounts, isPatternShared }: { reservedAmounts: ReadonlySet<bigint>; isPatternShared: boolean },
): Minor | undefined {
  if (!isPatternShared && !reservedAmounts.has(amount)) return amount;
  const candidateAmounts = Array.from(
    { length: DISTINCT_AMOUNTS_MAX - 1 },
    (_, index) => amount + BigInt(index + 1) * smallestUnit(currency),
  );
  const freeAmounts = candidateAmounts.filter(
    (candidate) => !isRoundAmount(candidate, currency) && !reservedAmounts.has(candidate),
  );
  const payAmount = freeAmounts[randomBelow(Math.max(freeAmounts.length, 1))];
  return payAmount === undefined ? undefined : minor(payAmount);
}
