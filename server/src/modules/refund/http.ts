import * as endpoints from '@krapao/contract/endpoints/refund';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import type { Grant } from '../incentive/index.ts';
import { visibleBanners } from '../operator-data/index.ts';
import { checkRefund } from './check-refund.ts';
import { selectRefunds } from './queries.ts';
import { addRefundToWallet, receiveRefund } from './receive-refund.ts';
import type { RefundDeps } from './refund.ts';

/** Registers the endpoints of refunds. */
export function refundRoutes(app: FastifyInstance, deps: RefundDeps, variant: Variant): void {
  route(app, endpoints.checkRefund, async ({ member, request }) => ({
    status: 200,
    body: await checkRefund(deps, member, requestLanguage(request.headers.cookie, variant)),
  }));
  route(app, endpoints.receiveRefund, async ({ member }) => ({
    status: 200,
    body: toReceivedReply(await receiveRefund(deps, member)),
  }));
  route(app, endpoints.addRefundToWallet, async ({ member }) => ({
    status: 200,
    body: toReceivedReply(await addRefundToWallet(deps, member)),
  }));
  route(app, endpoints.listRefunds, async ({ member, body }) => {
    // A refund counts as received only after its credit.
    const openGrants = await deps.incentive.openGrants(member.id, 'REFUND');
    const sources = openGrants.map(({ source }) => source);
    const { total, refunds, next } = await selectRefunds(deps.database, member.id, sources, body);
    const wireRefunds = refunds.map((refund) => ({
      refundAmount: toWire(refund.amount),
      createdAt: refund.createdAt.toISOString(),
    }));
    return { status: 200, body: { total, refunds: wireRefunds, ...(next && { next }) } };
  });
  route(app, endpoints.refundBanners, async ({ request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    return { status: 200, body: visibleBanners((await deps.readOperatorData()).banners, 'refund', language) };
  });
}

const toReceivedReply = ({
  amount,
  reference,
}: Grant): { message: string; refundAmount: number; reference: string } => ({
  message: 'REFUND_RECEIVED',
  refundAmount: toWire(amount),
  reference,
});
