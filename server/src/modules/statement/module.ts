import { listStatement } from '@krapao/contract/endpoints/statement';
import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../../ledger/module.ts';
import { route } from '../../platform/http/registrar.ts';
import { entryOf } from './statement.ts';

/** The movements of a member's wallet, derived from the ledger and from nothing else. */
export function statementModule(app: FastifyInstance, { ledger }: { ledger: Pick<Ledger, 'statement'> }): void {
  route(app, listStatement, async ({ member, body }) => {
    const { total, lines } = await ledger.statement(member.id, body);
    return { status: 200, body: { total, statements: lines.map(entryOf) } };
  });
}
