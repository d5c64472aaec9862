import { BASIS_POINTS, floorToStep, toBasisPoints } from '@krapao/contract/bonus-terms';
import { type Currency, type Minor, minor } from '@krapao/contract/money';
import { z } from 'zod';
import type { Period, Ledger } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { formatMoney } from '../../platform/message-template.ts';
import { DAY_MS, dateOf, dayStart, weekStart, later, type Clock } from '../../platform/time.ts';
import type { AccountModule } from '../account/index.ts';
import { type Eligibility, type IncentiveModule } from '../incentive/index.ts';
import {
  percentFailBelowSuccess,
  amountPerCurrencySchema,
  percent,
  translatedSchema,
  type OperatorData,
} from '../operator-data/index.ts';

/** Operator setting: the refund programme. */
export const refundSetting = {
  name: 'refund',
  shape: z
    .object({
      isActive: z.boolean(),
      /** Closed periods in Asia/Bangkok: a day, or a week from Monday. */
      period: z.enum(['day', 'week']),
      percent,
      /** Maximum refund per period; minimum refund; maximum balance of a member who receives a refund. */
      maximum: amountPerCurrencySchema,
      minimum: amountPerCurrencySchema,
      floor: amountPerCurrencySchema,
      percentSuccess: percent,
      percentFail: percent,
      /** HTML with {{percent}}, {{maximum}}, {{minimum}}, {{floor}}, {{percentSuccess}} and {{percentFail}}. */
      info: translatedSchema,
    })
    .refine(...percentFailBelowSuccess),
};
export type RefundSettings = z.output<typeof refundSetting.shape>;

/** Sums of one period, from midnight to midnight in Bangkok, in minor units. */
export type PeriodSums = {
  /** Sums that entered (+) and left (−) the wallet by kind of operation, later returns included. */
  sums: ReadonlyMap<string, Minor>;
  /** Wins (+) and losses (−) in games, later returns included. */
  play: Minor;
};

/** Result of the calculation. `amount`: 0 if there is nothing to refund. */
export type RefundCalculation = { paidIn: Minor; lostAmount: Minor; amount: Minor };

/** The last closed period in Bangkok: yesterday, or last week from Monday to Sunday. */
export function closedPeriod(now: Date, period: RefundSettings['period']): Period {
  const periodEnd = period === 'day' ? dayStart(now) : weekStart(now);
  return { from: later(periodEnd, period === 'day' ? -DAY_MS : -7 * DAY_MS), until: periodEnd };
}

/** Source of a period's refund grant, with the first day of the period. */
export const refundSource = ({ from }: Period): string => `refund:${dateOf(from)}`;

/** Name of a refund as shown to the member: its day, or its first and last day. */
export function refundName({ from, until }: Period): string {
  const [firstDay, lastDay] = [dateOf(from), dateOf(later(until, -DAY_MS))];
  return firstDay === lastDay ? firstDay : `${firstDay} – ${lastDay}`;
}

/**
 * Calculates the refund of a period: a percentage of game losses, limited by net deposits and by the programme's
 * maximum. Money granted by the operator does not count as the member's.
 */
export function calculateRefund(
  { sums, play }: PeriodSums,
  settings: RefundSettings,
  currency: Currency,
): RefundCalculation {
  const paidIn = netDeposits(sums);
  const lostAmount = minor(0n - play);
  const refundableAmount = smallest(paidIn, lostAmount);
  const percentAmount = (refundableAmount * toBasisPoints(settings.percent)) / BASIS_POINTS;
  const amount = refundableAmount > 0n ? smallest(percentAmount, refundableAmount, settings.maximum[currency]) : 0n;
  return { paidIn, lostAmount, amount: floorToStep(amount, currency) };
}

/** Deposits less withdrawals, without money granted by the operator. */
export function netDeposits(sums: PeriodSums['sums']): Minor {
  const sumOf = (kind: string): bigint => sums.get(kind) ?? 0n;
  // Withdrawals are negative sums because they left the wallet. Amounts taken back of a bonus are negative too.
  return minor(sumOf('deposit') + sumOf('withdraw') - sumOf('bonus') - sumOf('finish_bonus'));
}

const smallest = (...amounts: readonly bigint[]): bigint =>
  amounts.reduce((first, second) => (second < first ? second : first));

/** Reason why the member's remaining money blocks the refund; undefined if it does not. */
export function blockingBalance(eligibility: Eligibility, floor: Minor): string | undefined {
  if (eligibility.total > floor) return 'MONEY_LEFT';
  if (eligibility.total + eligibility.outstanding > floor) return 'OPEN_BETS';
  if (eligibility.isWithdrawing) return 'WITHDRAW_IN_PROGRESS';
  return eligibility.isCertain ? undefined : 'GAMES_NOT_KNOWN';
}

/** Values for the placeholders in the operator's text about refunds, in the member's currency. */
export function templateValues(settings: RefundSettings, currency: Currency): Readonly<Record<string, string>> {
  const formatLimit = (amounts: RefundSettings['floor']): string => formatMoney(amounts[currency], currency);
  return {
    percent: String(settings.percent),
    percentSuccess: String(settings.percentSuccess),
    percentFail: String(settings.percentFail),
    maximum: formatLimit(settings.maximum),
    minimum: formatLimit(settings.minimum),
    floor: formatLimit(settings.floor),
  };
}

/** Dependencies of the refund module. */
export type RefundDeps = {
  database: Database;
  ledger: Pick<Ledger, 'walletSums' | 'playBetween'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'completeGrant' | 'refreshProgress'>;
  readOperatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};
