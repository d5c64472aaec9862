import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import { type AccountModule, namesOf, findActiveMember } from '../account/index.ts';
import { turnoverUpdater, refreshInviteePlay } from './invitee-turnover.ts';
import { type InviteDeps, earnedBonus, inviteSetting, parseInviteCode } from './invite.ts';
import { type Earnings, earnings, receiveInviteBonus } from './receive-invite-bonus.ts';
import * as endpoints from '@krapao/contract/endpoints/invite';
import { toWire, type Currency } from '@krapao/contract/money';
import { route } from '../../platform/http/route.ts';
import { visibleBanners } from '../lookup/index.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { selectInvites, insertInvite, isBlocked } from './queries.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';

export type InviteModule = {
  /** What the wallet shows of invite money. */
  earnings: SnapshotField<() => Promise<Earnings>>;
  /** Ends what is being counted; before the database closes. */
  stop(): Promise<void>;
};

export type InviteModuleDeps = InviteDeps & {
  app: FastifyInstance;
  variant: Variant;
  account: Pick<AccountModule, 'extendRegistration'>;
};

/** Who invited whom, and what the invitees' play earns those who invited them. */
export function inviteModule({ app, variant, ...deps }: InviteModuleDeps): InviteModule {
  const { account, database } = deps;
  account.extendRegistration({
    entered: linkInviter,
    isInviteCode: async (code) => (await findInviter(database, code)) !== undefined,
  });
  const counter = turnoverUpdater(deps);
  inviteRoutes(app, deps, variant);
  return {
    earnings: earnings(deps, (inviterId) => counter.soon(inviterId)),
    stop: () => counter.stop(),
  };
}

/** Invitees of a member and their earnings. */
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
      amount: toWire(earnedBonus(invite, percent, member.currency)),
      createdAt: createdAt.toISOString(),
    }));
    return { status: 200, body: { total, percent: isActive ? percent : 0, invites: shown } };
  });
  route(app, endpoints.receiveInviteBonus, async ({ member }) => {
    const { amount, reference } = await receiveInviteBonus(deps, member);
    return { status: 200, body: { message: 'OK', amount: toWire(amount), reference } };
  });
  route(app, endpoints.inviteBanners, async ({ request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    return { status: 200, body: visibleBanners((await deps.operatorData()).banners, 'invite', language) };
  });
}

type Inviter = { id: string; currency: Currency };
type NewMember = Inviter & { inviteCode: string; createdAt: Date };

/** The member whose code was typed; undefined for an unknown code, or when its owner is blocked or inactive. */
export async function findInviter(on: Queryable, code: string): Promise<Inviter | undefined> {
  const named = parseInviteCode(code);
  const inviter = named && (await findActiveMember(on, named));
  return !inviter || (await isBlocked(on, inviter.id)) ? undefined : inviter;
}

/**
 * Makes the owner of the code that a new member typed their inviter, in the commit that enters the member, for life. A
 * code without such an owner does not prevent registering.
 */
export async function linkInviter(tx: Tx, invitee: NewMember): Promise<void> {
  const inviter = await findInviter(tx, invitee.inviteCode);
  if (inviter && inviter.id !== invitee.id) await insertInvite(tx, inviter, invitee);
}
