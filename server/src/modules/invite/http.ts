import * as endpoints from '@krapao/contract/endpoints/invite';
import { toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import { findMember, namesOf } from '../account/index.ts';
import { countHit, visibleBanners } from '../operator-data/index.ts';
import { type InviteDeps, earnedBonus, inviterName, inviteSetting, parseInviteCode } from './invite.ts';
import { refreshInviteePlay } from './invitee-turnover.ts';
import { findInviter } from './link-inviter.ts';
import { selectInvites } from './queries.ts';
import { receiveInviteBonus } from './receive-invite-bonus.ts';

/** Registers the endpoints of invites. */
export function inviteRoutes(app: FastifyInstance, deps: InviteDeps, variant: Variant): void {
  route(app, endpoints.listInvites, async ({ member, body }) => {
    await refreshInviteePlay(deps, member.id);
    const { percent, isActive } = (await deps.readOperatorData()).settingOf(inviteSetting);
    const { total, invites, next } = await selectInvites(deps.database, member.id, body);
    const names = await namesOf(
      deps.database,
      invites.map(({ memberId }) => memberId),
    );
    const wireInvites = invites.map(({ memberId, createdAt, ...invite }) => ({
      from: { name: names.get(memberId) ?? '' },
      amount: toWire(earnedBonus(invite, percent, member.currency)),
      createdAt: createdAt.toISOString(),
    }));
    return {
      status: 200,
      body: { total, percent: isActive ? percent : 0, invites: wireInvites, ...(next && { next }) },
    };
  });
  route(app, endpoints.findInviter, async ({ params, request }) => {
    await countHit(deps, 'inviter.address', callerAddress(request).group);
    if (!parseInviteCode(params.code)) throw new Refusal('NO_DATA');
    const inviter = await findInviter(deps.database, params.code);
    const profile = inviter && (await findMember(deps.database, inviter.id));
    return { status: 200, body: { inviter: profile ? inviterName(profile) : null } };
  });
  route(app, endpoints.receiveInviteBonus, async ({ member }) => {
    const { amount, reference } = await receiveInviteBonus(deps, member);
    return { status: 200, body: { message: 'OK', amount: toWire(amount), reference } };
  });
  route(app, endpoints.inviteBanners, async ({ request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    return { status: 200, body: visibleBanners((await deps.readOperatorData()).banners, 'invite', language) };
  });
}
