import { Refusal } from '../../platform/errors.ts';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import { type AccountModule, findMember, namesOf, findActiveMember } from '../account/index.ts';
import { turnoverUpdater, refreshInviteePlay } from './invitee-turnover.ts';
import { type InviteDeps, earnedBonus, inviterName, inviteSetting, parseInviteCode } from './invite.ts';
import { type InviteEarnings, earningsField, receiveInviteBonus } from './receive-invite-bonus.ts';
import * as endpoints from '@krapao/contract/endpoints/invite';
import { toWire, type Currency } from '@krapao/contract/money';
import { route } from '../../platform/http/route.ts';
import { countHit, visibleBanners } from '../lookup/index.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { selectInvites, insertInvite, isBlocked } from './queries.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';

export { inviteBlock, setInviteBlock } from './admin.ts';

export type InviteModule = {
  /** Invite earnings as shown by the wallet. */
  earningsField: SnapshotField<() => Promise<InviteEarnings>>;
  /** Stops updating turnover. Call before closing the database. */
  stop(): Promise<void>;
};

export type InviteModuleDeps = InviteDeps & {
  app: FastifyInstance;
  variant: Variant;
  account: Pick<AccountModule, 'extendRegistration'>;
};

export { configSubjects } from './config-subjects.ts';

/** Creates the invite module: it links invitees to inviters, and pays inviters for their invitees' play. */
export function inviteModule({ app, variant, ...deps }: InviteModuleDeps): InviteModule {
  const { account, database } = deps;
  account.extendRegistration({
    onRegistered: linkInviter,
    isInviteCode: async (code) => (await findInviter(database, code)) !== undefined,
  });
  const turnoverUpdates = turnoverUpdater(deps);
  inviteRoutes(app, deps, variant);
  return {
    earningsField: earningsField(deps, (inviterId) => turnoverUpdates.scheduleUpdate(inviterId)),
    stop: () => turnoverUpdates.stop(),
  };
}

/** Registers the endpoints of invites. */
export function inviteRoutes(app: FastifyInstance, deps: InviteDeps, variant: Variant): void {
  route(app, endpoints.listInvites, async ({ member, body }) => {
    await refreshInviteePlay(deps, member.id);
    const { percent, isActive } = (await deps.operatorData()).settingOf(inviteSetting);
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
    return { status: 200, body: visibleBanners((await deps.operatorData()).banners, 'invite', language) };
  });
}

type MemberRef = { id: string; currency: Currency };
type NewMember = MemberRef & { inviteCode: string; createdAt: Date };

/** Owner of an invite code; undefined if the code is unknown, or its owner is blocked or inactive. */
export async function findInviter(on: Queryable, code: string): Promise<MemberRef | undefined> {
  const codeOwner = parseInviteCode(code);
  const inviter = codeOwner && (await findActiveMember(on, codeOwner));
  return !inviter || (await isBlocked(on, inviter.id)) ? undefined : inviter;
}

/**
 * Links a new member to the owner of the typed invite code, permanently, in the commit that creates the member. An
 * invalid code does not prevent the registration.
 */
export async function linkInviter(tx: Tx, invitee: NewMember): Promise<void> {
  const inviter = await findInviter(tx, invitee.inviteCode);
  if (inviter && inviter.id !== invitee.id) await insertInvite(tx, inviter, invitee);
}
