import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type Currency, type Minor, minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import { plainNumber } from '@krapao/contract/text/digits';
import type { NoticeState } from '@krapao/contract/states';
import { randomBelow } from '../../../platform/ids.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { DepositAccount } from '../../lookup/index.ts';
import { houseOf } from './bank-transfer.ts';

/** A member's word that a transfer of an amount is on its way. It credits nothing. */
export type Announcement = {
  id: string;
  memberId: string;
  reference: string;
  /** '' is whichever account the money comes to. */
  house: string;
  currency: Currency;
  amount: Minor;
  /** What is to be sent exactly. */
  payAmount: Minor;
  state: NoticeState;
  isLate: boolean;
  expiresAt: Date;
};

/** What a member told, as it came. */
export type AnnouncementRequest = { amount?: unknown; bankCode: string; bankAccountNo: string };

const MINUTE_MS = 60_000;
/** Longer than it takes to open a bank's app. */
export const ANNOUNCEMENT_MS = 30 * MINUTE_MS;
/** Late money is still distinguished; only then may another member be asked to send the same. */
export const GRACE_MS = 60 * MINUTE_MS;
/** A member has this many open at most. */
export const OPEN_MAX = 5;
/** Amounts that are tried above the announced one. */
export const AMOUNT_STEPS = 100;

const MINIMUM = minor(BigInt(TRANSFER_MINIMUM) * 100n);

/** The accounts that a notice can be about: watched by a feed, in the member's currency. Refuses with NO_BANK. */
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

/** '' unless only one account can be meant. */
export const onlyHouseOf = (accounts: readonly DepositAccount[]): string => {
  const [first, ...more] = accounts;
  return first && more.length === 0 ? houseOf(first) : '';
};

/** Reads the amount of a notice. Refuses with TRANSFER_MINIMUM and what is wrong with it. */
export function readNoticeAmount(raw: unknown, currency: Currency, accounts: readonly DepositAccount[]): Minor {
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

/** Amounts that people send of their own accord end like this: quarters of a baht, hundreds of kip. */
const isUsual = (amount: bigint, currency: Currency): boolean =>
  amount % (currency === 'LAK' ? 100n * smallestUnit(currency) : 25n) === 0n;

/**
 * What a member is asked to send: the amount itself, unless another member can't be distinguished from them. Then it is a little
 * more, drawn at random from what no member of the same look has reserved, and never an amount that others send unasked: it
 * decides whose money comes. Undefined when all are taken.
 */
export function pickDistinctAmount(
  amount: Minor,
  currency: Currency,
  { taken, isAlike }: { taken: ReadonlySet<bigint>; isAlike: boolean },
): Minor | undefined {
  if (!isAlike && !taken.has(amount)) return amount;
  const steps = Array.from({ length: AMOUNT_STEPS - 1 }, (_, at) => amount + BigInt(at + 1) * smallestUnit(currency));
  const free = steps.filter((candidate) => !isUsual(candidate, currency) && !taken.has(candidate));
  const chosen = free[randomBelow(Math.max(free.length, 1))];
  return chosen === undefined ? undefined : minor(chosen);
}
