import { listStatement } from '@krapao/contract/endpoints/statement';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { Ledger, StatementRow } from '../../ledger/index.ts';
import type { StandbyReads } from '../../platform/database/standby.ts';
import { route } from '../../platform/http/route.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import type { WithdrawModule } from '../withdraw/index.ts';
import { toWireEntry, rewardSource } from './statement.ts';

export { counterpartyOf } from './statement.ts';

export type StatementDeps = {
  ledger: Pick<Ledger, 'statement'>;
  withdraw: Pick<WithdrawModule, 'outcomesOf'>;
  incentive: Pick<IncentiveModule, 'describe'>;
  variant: Variant;
  /** Reads from a standby: a page may be seconds old, but includes everything committed through this node. */
  standby: Pick<StandbyReads, 'of'>;
};

const isWithdrawal = ({ kind }: StatementRow): boolean => kind === 'withdraw';
const isGrant = ({ kind }: StatementRow): boolean => kind === 'bonus' || kind === 'finish_bonus';

/**
 * Lists the movements of a member's wallet, derived from the ledger. Bank and failure reason of a withdrawal are read
 * from the payout, name and end of an incentive from the incentive.
 */
export function statementModule(
  app: FastifyInstance,
  { ledger, withdraw, incentive, variant, standby }: StatementDeps,
): void {
  route(app, listStatement, async ({ member, body, request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const db = standby.of(member.id);
    const { total, lines: rows } = await ledger.statement(member.id, body, db);
    const referencesOf = (predicate: typeof isGrant): string[] =>
      rows.filter(predicate).map(({ reference }) => reference);
    const [withdrawals, incentives] = [referencesOf(isWithdrawal), referencesOf(isGrant)];
    const outcomes = withdrawals.length > 0 ? await withdraw.outcomesOf(member.id, withdrawals, db) : undefined;
    const descriptions = incentives.length > 0 ? await incentive.describe(member.id, incentives, db) : undefined;
    const statements = rows.map((row) => ({
      ...toWireEntry(row, outcomes?.get(row.reference)),
      ...rewardSource(row, descriptions?.get(row.reference), language),
    }));
    return { status: 200, body: { total, statements } };
  });
}
