import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { refundRoutes } from './http.ts';
import type { RefundDeps } from './refund.ts';

export { configSubjects } from './config-subjects.ts';
export { selectCalculatedRefunds as refundsOf } from './queries.ts';

/** Creates the refund module: it refunds part of a closed period's losses. */
export function refundModule({ app, variant, ...deps }: RefundDeps & { app: FastifyInstance; variant: Variant }): void {
  refundRoutes(app, deps, variant);
}
