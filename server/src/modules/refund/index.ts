import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { RefundDeps } from './refund.ts';
import * as endpoints from '@krapao/contract/endpoints/refund';
import { toWire } from '@krapao/contract/money';
import { route } from '../../platform/http/route.ts';
import type { Grant } from '../incentive/index.ts';
import { visibleBanners } from '../lookup/index.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { addRefundToWallet, receiveRefund } from './receive-refund.ts';
import { checkRefund } from './check-refund.ts';
import { selectRefunds } from './queries.ts';

/** What comes back of the losses of a closed period. */
export function refundModule({ app, variant, ...deps }: RefundDeps & { app: FastifyInstance; variant: Variant }): void {
  refundRoutes(app, deps, variant);
}

/** Serves refunds of losses. */
export function refundRoutes(app: FastifyInstance, deps: RefundDeps, variant: Variant): void {
  route(app, endpoints.checkRefund, async ({ member, request }) => ({
    status: 200,
    body: await checkRefund(deps, member, requestLanguage(request.headers.cookie, variant)),
  }));
  route(app, endpoints.receiveRefund, async ({ member }) => ({
    status: 200,
    body: received(await receiveRefund(deps, member)),
  }));
  route(app, endpoints.addRefundToWallet, async ({ member }) => ({
    status: 200,
    body: received(await addRefundToWallet(deps, member)),
  }));
  route(app, endpoints.listRefunds, async ({ member, body }) => {
    // What is not in the wallet yet has not been received.
    const open = await deps.incentive.openGrants(member.id, 'REFUND');
    const sources = open.map(({ source }) => source);
    const { total, refunds } = await selectRefunds(deps.database, member.id, sources, body);
    const shown = refunds.map((one) => ({
      refundAmount: toWire(one.amount),
      createdAt: one.createdAt.toISOString(),
    }));
    return { status: 200, body: { total, refunds: shown } };
  });
  route(app, endpoints.refundBanners, async ({ request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    return { status: 200, body: visibleBanners((await deps.operatorData()).banners, 'refund', language) };
  });
}

const received = ({ amount, reference }: Grant): { message: string; refundAmount: number; reference: string } => ({
  message: 'REFUND_RECEIVED',
  refundAmount: toWire(amount),
  reference,
});
