import { z } from 'zod';
import type { Period, Ledger } from '../../ledger/index.ts';
import { type Currency, type Minor, minor } from '@krapao/contract/money';
import { DAY_MS, dateOf, dayStart, weekStart, later, type Clock } from '../../platform/time.ts';
import { formatMoney } from '../../platform/message-template.ts';
import {
  BASIS_POINTS,
  toBasisPoints,
  floorToStep,
  type Eligibility,
  type IncentiveModule,
} from '../incentive/index.ts';
import { metAboveLost, perCurrency, percent, translated, type SiteConfig } from '../lookup/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AccountModule } from '../account/index.ts';

/** The programme that the operator sets. */
export const refundSetting = {
  name: 'refund',
  shape: z
    .object({
      isActive: z.boolean(),
      /** Closed periods of Asia/Bangkok: a day, or a week from Monday. */
      period: z.enum(['day', 'week']),
      percent,
      /** The most of one period; the least that is given; what a member may have at most when they receive it. */
      maximum: perCurrency,
      minimum: perCurrency,
      floor: perCurrency,
      percentSuccess: percent,
      percentFail: percent,
      /** Html with {{percent}}, {{maximum}}, {{minimum}}, {{floor}}, {{percentSuccess}} and {{percentFail}}. */
      info: translated,
    })
    .refine(...metAboveLost),
};
export type Programme = z.output<typeof refundSetting.shape>;

/** Sums of one period, from midnight to midnight in Bangkok, in minor units. */
export type Figures = {
  /** Sums into (+) and out of (−) the wallet by kind of movement, including later returns. */
  sums: ReadonlyMap<string, Minor>;
  /** What games gave (+) and took (−), with what they gave back since. */
  play: Minor;
};

/** What a period comes to: `amount` is 0 when there is nothing to give back. */
export type RefundCalculation = { paidIn: Minor; lost: Minor; amount: Minor };

/** The last period that is over: yesterday, or the week from Monday to Sunday before this one, in Bangkok. */
export function closedPeriod(now: Date, period: Programme['period']): Period {
  const until = period === 'day' ? dayStart(now) : weekStart(now);
  return { from: later(until, period === 'day' ? -DAY_MS : -7 * DAY_MS), until };
}

/** What entitles to the refund of a period: the day that it begins with. */
export const refundSource = ({ from }: Period): string => `refund:${dateOf(from)}`;

/** What the member knows the refund of a period by: its day, or its first and its last. */
export function refundName({ from, until }: Period): string {
  const [first, last] = [dateOf(from), dateOf(later(until, -DAY_MS))];
  return first === last ? first : `${first} – ${last}`;
}

/**
 * Calculates the refund of a period: a percentage of losses in games, at most of the deposits that the member did not
 * get back. Money that the operator granted is not the member's. Never more than either, nor than the programme's
 * maximum.
 */
export function calculateRefund({ sums, play }: Figures, programme: Programme, currency: Currency): RefundCalculation {
  const paidIn = netDeposits(sums);
  const lost = minor(0n - play);
  const base = least(paidIn, lost);
  const share = (base * toBasisPoints(programme.percent)) / BASIS_POINTS;
  const amount = base > 0n ? least(share, base, programme.maximum[currency]) : 0n;
  return { paidIn, lost, amount: floorToStep(amount, currency) };
}

/** What a member paid in of their own and did not get back. */
export function netDeposits(sums: Figures['sums']): Minor {
  const of = (kind: string): bigint => sums.get(kind) ?? 0n;
  // What was withdrawn left the wallet: its sum is below zero. So is what was taken back of a bonus.
  return minor(of('deposit') + of('withdraw') - of('bonus') - of('finish_bonus'));
}

const least = (...amounts: readonly bigint[]): bigint => amounts.reduce((one, other) => (other < one ? other : one));

/** Why money that a member has left keeps them from receiving a refund; undefined when nothing does. */
export function blockingBalance(standing: Eligibility, floor: Minor): string | undefined {
  if (standing.total > floor) return 'MONEY_LEFT';
  if (standing.total + standing.outstanding > floor) return 'OPEN_BETS';
  if (standing.isWithdrawing) return 'WITHDRAW_IN_PROGRESS';
  return standing.isCertain ? undefined : 'GAMES_NOT_KNOWN';
}

/** What the operator's text about refunds can be filled in with: what is enforced, in the member's currency. */
export function templateValues(programme: Programme, currency: Currency): Readonly<Record<string, string>> {
  const money = (amounts: Programme['floor']): string => formatMoney(amounts[currency], currency);
  return {
    percent: String(programme.percent),
    percentSuccess: String(programme.percentSuccess),
    percentFail: String(programme.percentFail),
    maximum: money(programme.maximum),
    minimum: money(programme.minimum),
    floor: money(programme.floor),
  };
}

/** What the use cases of `refund` work with. */
export type RefundDeps = {
  database: Database;
  ledger: Pick<Ledger, 'walletSums' | 'playBetween'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'finish' | 'follow'>;
  operatorData: () => Promise<SiteConfig>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};
