import * as endpoints from '@krapao/contract/endpoints/invite';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/registrar.ts';
import { namesOf } from '../account/module.ts';
import { bannersOf } from '../lookup/module.ts';
import { languageOf } from '../../platform/http/caller/language-of.ts';
import { refreshInviteePlay } from './refresh-invitee-play.ts';
import { earnedOf, inviteSetting } from './invite.ts';
import type { InviteDeps } from './invite-deps.ts';
import { selectInvites } from './queries.ts';
import { receiveInviteBonus } from './receive-invite-bonus.ts';

/** Serves who was invited and what it earns. */
export function inviteRoutes(app: FastifyInstance, deps: InviteDeps, variant: Variant): void {
  route(app, endpoints.listInvites, async ({ member, body }) => {
    await refreshInviteePlay(deps, member.id);
    const { percent, isActive } = (await deps.operatorData()).settingOf(inviteSetting);
    const { total, invites } = await selectInvites(deps.database, member.id, body);
    const names = await namesOf(
      deps.database,
      invites.map(({ memberId }) => memberId),
    );
    const shown = invites.map(({ memberId, createdAt, ...invite }) => ({
      from: { name: names.get(memberId) ?? '' },
      amount: toWire(earnedOf(invite, percent, member.currency)),
      createdAt: createdAt.toISOString(),
    }));
    return { status: 200, body: { total, percent: isActive ? percent : 0, invites: shown } };
  });
  route(app, endpoints.receiveInviteBonus, async ({ member }) => {
    const { amount, reference } = await receiveInviteBonus(deps, member);
    return { status: 200, body: { message: 'OK', amount: toWire(amount), reference } };
  });
  route(app, endpoints.inviteBanners, async ({ request }) => {
    const language = languageOf(request.headers.cookie, variant);
    return { status: 200, body: bannersOf((await deps.operatorData()).banners, 'invite', language) };
  });
}
