import * as endpoints from '@krapao/contract/endpoints/deposit/bank-transfer';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../platform/http/registrar.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { findNoticeByReference } from './notice-queries.ts';
import { type NoticeDeps, openNotice } from './open-notice.ts';

/** The member's calls about transfers to our accounts. */
export function bankTransferRoutes(app: FastifyInstance, deps: NoticeDeps): void {
  route(app, endpoints.addDeposit, async ({ body, member, idempotencyKey }) => {
    const notice = await openNotice(deps, member, body, idempotencyKey);
    return {
      status: 200,
      body: {
        reference: notice.reference,
        status: 'PROCESSING',
        amount: toWire(notice.amount),
        payAmount: toWire(notice.payAmount),
        expireIn: notice.expiresAt.toISOString(),
      },
    };
  });
  route(app, endpoints.getDepositNotice, async ({ params, member }) => {
    const notice = await findNoticeByReference(deps.database, params.reference);
    if (!notice) throw new Refusal('NO_DATA');
    if (notice.memberId !== member.id) throw new Refusal('INVALID_USER_3');
    return {
      status: 200,
      body: {
        reference: notice.reference,
        state: notice.state,
        isLate: notice.isLate,
        amount: toWire(notice.amount),
        payAmount: toWire(notice.payAmount),
        expireIn: notice.expiresAt.toISOString(),
      },
    };
  });
}
