import { transfer } from '@krapao/contract/endpoints/transfer';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/registrar.ts';
import { requestTransfer } from './request-transfer.ts';
import type { TransferWork } from './transfer-work.ts';

/** Registers the call that moves money. */
export function transferRoutes(app: FastifyInstance, work: TransferWork): void {
  route(app, transfer, async ({ body: { from, to, amount }, member, idempotencyKey }) => {
    const { reference, status } = await requestTransfer(work, { member, from, to, amount, idempotencyKey });
    return status === 'DONE'
      ? { status: 200, body: { reference, status } }
      : { status: 202, body: { message: 'PROCESSING', reference, status } };
  });
}
