import { transfer, transferAll } from '@krapao/contract/endpoints/transfer';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { route } from '../../platform/http/route.ts';
import { WALLET } from '../game/index.ts';
import { FULL_BALANCE, requestTransfer } from './request-transfer.ts';
import type { TransferDeps } from './transfer.ts';

/** Registers the endpoints of transfers. */
export function transferRoutes(app: FastifyInstance, deps: TransferDeps): void {
  route(app, transfer, async ({ body: { from, to, amount }, member, idempotencyKey }) => {
    const { reference, status } = await requestTransfer(deps, { member, from, to, amount, idempotencyKey });
    return status === 'DONE'
      ? { status: 200, body: { reference, status } }
      : { status: 202, body: { message: 'PROCESSING', reference, status } };
  });
  route(app, transferAll, async ({ body: { from = WALLET, to }, member, idempotencyKey }) => {
    // Between games, the amount would depend on two providers.
    if (from !== WALLET && to !== WALLET) throw new Refusal('NO_GAME', { detail: 'NOT_TO_WALLET' });
    const request = { member, from, to, amount: FULL_BALANCE, idempotencyKey };
    const reply = await requestTransfer(deps, request);
    const { reference, status } = reply;
    const amount = toWire(reply.amount);
    return status === 'DONE'
      ? { status: 200, body: { reference, status, amount } }
      : { status: 202, body: { message: 'PROCESSING', reference, status, amount } };
  });
}
