import { listStatement } from '@krapao/contract/endpoints/statement';
import type { FastifyInstance } from 'fastify';
import type { Ledger, StatementLine } from '../../ledger/module.ts';
import { route } from '../../platform/http/registrar.ts';
import { entryOf, type WithdrawOutcomes } from './statement.ts';

export type StatementDeps = { ledger: Pick<Ledger, 'statement'>; withdrawOutcomes: WithdrawOutcomes };

const isWithdrawal = ({ kind }: StatementLine): boolean => kind === 'withdraw';

/**
 * The movements of a member's wallet, derived from the ledger and from nothing else; only which bank a withdrawal went
 * to, and why it failed, is told by who paid it out.
 */
export function statementModule(app: FastifyInstance, { ledger, withdrawOutcomes }: StatementDeps): void {
  route(app, listStatement, async ({ member, body }) => {
    const { total, lines } = await ledger.statement(member.id, body);
    const references = lines.filter(isWithdrawal).map(({ reference }) => reference);
    const outcomes = references.length > 0 ? await withdrawOutcomes(member.id, references) : undefined;
    return {
      status: 200,
      body: { total, statements: lines.map((line) => entryOf(line, outcomes?.get(line.reference))) },
    };
  });
}
