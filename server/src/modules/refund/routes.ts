import * as endpoints from '@krapao/contract/endpoints/refund';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/registrar.ts';
import type { Grant } from '../incentive/module.ts';
import { bannersOf } from '../lookup/module.ts';
import { languageOf } from '../../platform/http/caller/language-of.ts';
import { addRefundToWallet } from './add-refund-to-wallet.ts';
import { checkRefund } from './check-refund.ts';
import { selectRefunds } from './queries.ts';
import { receiveRefund } from './receive-refund.ts';
import type { RefundDeps } from './refund-deps.ts';

/** Serves refunds of losses. */
export function refundRoutes(app: FastifyInstance, deps: RefundDeps, variant: Variant): void {
  route(app, endpoints.checkRefund, async ({ member, request }) => ({
    status: 200,
    body: await checkRefund(deps, member, languageOf(request.headers.cookie, variant)),
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
    const language = languageOf(request.headers.cookie, variant);
    return { status: 200, body: bannersOf((await deps.operatorData()).banners, 'refund', language) };
  });
}

const received = ({ amount, reference }: Grant): { message: string; refundAmount: number; reference: string } => ({
  message: 'REFUND_RECEIVED',
  refundAmount: toWire(amount),
  reference,
});
