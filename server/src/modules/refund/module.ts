import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { RefundDeps } from './refund-deps.ts';
import { refundRoutes } from './routes.ts';

/** What comes back of the losses of a closed period. */
export function refundModule({ app, variant, ...deps }: RefundDeps & { app: FastifyInstance; variant: Variant }): void {
  refundRoutes(app, deps, variant);
}
