import { withdraw, withdrawAll } from '@krapao/contract/endpoints/withdraw';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/registrar.ts';
import { requestWithdraw } from './request-withdraw.ts';
import type { WithdrawWork } from './withdraw-work.ts';

/** Registers the calls that pay money out. */
export function withdrawRoutes(app: FastifyInstance, work: WithdrawWork): void {
  route(app, withdraw, async ({ body, member, idempotencyKey }) => {
    const told = await requestWithdraw(work, { member, amount: body.amount, isAll: false, idempotencyKey });
    return { status: 200, body: { reference: told.reference, status: 'PROCESSING', amount: toWire(told.amount) } };
  });
  route(app, withdrawAll, async ({ body, member, idempotencyKey }) => {
    const told = await requestWithdraw(work, { member, amount: body.amount, isAll: true, idempotencyKey });
    const { reference, notBrought } = told;
    return { status: 200, body: { reference, status: 'PROCESSING', amount: toWire(told.amount), notBrought } };
  });
}
