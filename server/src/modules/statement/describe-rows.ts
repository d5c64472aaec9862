import type { Language } from '@krapao/contract/languages';
import type { StatementRow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import type { WithdrawModule } from '../withdraw/index.ts';
import { rewardSource, type StatementEntry, toWireEntry } from './statement.ts';

export type DescribeDeps = {
  withdraw: Pick<WithdrawModule, 'payoutOutcomes'>;
  incentive: Pick<IncentiveModule, 'describeGrants'>;
};

const isWithdrawal = ({ kind }: StatementRow): boolean => kind === 'withdraw';
const isGrant = ({ kind }: StatementRow): boolean => kind === 'bonus' || kind === 'finish_bonus';

/** Completes rows of the ledger with what other modules know of them. */
export async function describeRows(
  { withdraw, incentive }: DescribeDeps,
  memberId: string,
  rows: readonly StatementRow[],
  language: Language,
  on: Queryable,
): Promise<StatementEntry[]> {
  const referencesOf = (matches: typeof isGrant): string[] => rows.filter(matches).map(({ reference }) => reference);
  const [withdrawals, grants] = [referencesOf(isWithdrawal), referencesOf(isGrant)];
  const outcomes = withdrawals.length > 0 ? await withdraw.payoutOutcomes(memberId, withdrawals, on) : undefined;
  const names = grants.length > 0 ? await incentive.describeGrants(memberId, grants, on) : undefined;
  return rows.map((row) => ({
    ...toWireEntry(row, outcomes?.get(row.reference)),
    ...rewardSource(row, names?.get(row.reference), language),
  }));
}
