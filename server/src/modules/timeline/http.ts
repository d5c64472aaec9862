import { getTimeline, listPending } from '@krapao/contract/endpoints/timeline';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { findTimeline } from './find-timeline.ts';
import { readPending } from './list-pending.ts';
import type { TimelineDeps } from './timeline.ts';

/** Registers the endpoints of open items and of the history of one item. */
export function moneyRoutes(app: FastifyInstance, deps: TimelineDeps, variant: Variant): void {
  route(app, listPending, async ({ member }) => ({ status: 200, body: await readPending(deps, member.id) }));
  route(app, getTimeline, async ({ member, params, request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const item = await findTimeline(deps, member, { ...params, language });
    // Another member's item is refused as one that does not exist.
    if (!item) throw new Refusal('NO_DATA');
    return { status: 200, body: item };
  });
}
