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

export type StatementDeps = {
  ledger: Pick<Ledger, 'statement'>;
  withdraw: Pick<WithdrawModule, 'outcomesOf'>;
  incentive: Pick<IncentiveModule, 'describe'>;
  variant: Variant;
  /** A page may be seconds old, but has all that this node knows was committed. */
  standby: Pick<StandbyReads, 'of'>;
};

const isWithdrawal = ({ kind }: StatementRow): boolean => kind === 'withdraw';
const isGiven = ({ kind }: StatementRow): boolean => kind === 'bonus' || kind === 'finish_bonus';

/**
 * The movements of a member's wallet, derived from the ledger only; except for the bank of a withdrawal and why it
 * failed, which the payout has, and the name of an incentive and how it ended, which the incentive has.
 */
export function statementModule(
  app: FastifyInstance,
  { ledger, withdraw, incentive, variant, standby }: StatementDeps,
): void {
  route(app, listStatement, async ({ member, body, request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const on = standby.of(member.id);
    const { total, lines } = await ledger.statement(member.id, body, on);
    const of = (isOne: typeof isGiven): string[] => lines.filter(isOne).map(({ reference }) => reference);
    const [withdrawals, given] = [of(isWithdrawal), of(isGiven)];
    const outcomes = withdrawals.length > 0 ? await withdraw.outcomesOf(member.id, withdrawals, on) : undefined;
    const names = given.length > 0 ? await incentive.describe(member.id, given, on) : undefined;
    const statements = lines.map((line) => ({
      ...toWireEntry(line, outcomes?.get(line.reference)),
      ...rewardSource(line, names?.get(line.reference), language),
    }));
    return { status: 200, body: { total, statements } };
  });
}
