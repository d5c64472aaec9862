import * as endpoints from '@krapao/contract/endpoints/deposit/truelink';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../platform/http/route.ts';
import type { TruelinkDeps } from './gift.ts';
import { redeemGift } from './redeem-gift.ts';

/** Registers the endpoint that redeems a gift link. */
export function giftRoutes(app: FastifyInstance, deps: TruelinkDeps): void {
  route(app, endpoints.redeemTruelink, async ({ body, member }) => {
    const result = await redeemGift(deps, member, body);
    const { reference } = result;
    if (result.status === 'PROCESSING') {
      return { status: 202, body: { message: 'PROCESSING', reference, status: 'PROCESSING' } };
    }
    return { status: 200, body: { reference, status: 'SUCCESS', amount: toWire(result.amount) } };
  });
}
