import { listStatement } from '@krapao/contract/endpoints/statement';
import type { FastifyInstance } from 'fastify';
import type { Ledger, StatementLine } from '../../ledger/module.ts';
import { route } from '../../platform/http/registrar.ts';
import { entryOf, type WithdrawReasons } from './statement.ts';

export type StatementDeps = { ledger: Pick<Ledger, 'statement'>; withdrawReasons: WithdrawReasons };

const hasReason = ({ kind, state }: StatementLine): boolean => kind === 'withdraw' && state === 'FAILED';

/**
 * The movements of a member's wallet, derived from the ledger and from nothing else; only why a withdrawal failed is
 * told by who paid it out.
 */
export function statementModule(app: FastifyInstance, { ledger, withdrawReasons }: StatementDeps): void {
  route(app, listStatement, async ({ member, body }) => {
    const { total, lines } = await ledger.statement(member.id, body);
    const failed = lines.filter(hasReason).map(({ reference }) => reference);
    const reasons = failed.length > 0 ? await withdrawReasons(member.id, failed) : undefined;
    return {
      status: 200,
      body: { total, statements: lines.map((line) => entryOf(line, reasons?.get(line.reference))) },
    };
  });
}
