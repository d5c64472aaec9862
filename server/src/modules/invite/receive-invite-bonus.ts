import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Award, type Grant, type Holder, inAll, partsOf, Uncredited } from '../incentive/module.ts';
import { ZERO } from '@krapao/contract/money';
import { refreshInviteePlay } from './refresh-invitee-play.ts';
import { bonusOf, inviteSetting, type InviteProgramme } from './invite.ts';
import type { InviteDeps } from './invite-deps.ts';
import { claimPlay, hasPlay, isBlocked, lockInviter, markCredited } from './queries.ts';

/**
 * Pays what the play of invitees has earned since the last time. A claim whose credit was not confirmed is finished
 * first, and is all that this call pays.
 * @throws NO_WALLET, INVITE_INACTIVE, NO_INVITEE_PLAY_INFO, NO_INVITE_BONUS, in this order; INVITE_BONUS_FAIL when the ledger's
 *   outcome is unknown: it is still the member's, and the next call finishes it
 */
export async function receiveInviteBonus(deps: InviteDeps, member: Holder): Promise<Grant> {
  const { incentive, database } = deps;
  await deps.account.assertWalletOpen(member.id);
  try {
    const [open] = await incentive.openGrants(member.id, 'INVITE');
    const grant = open ? await incentive.finish(open) : await claim(deps, member);
    await markCredited(database, member.id, numberOf(grant.source));
    return grant;
  } catch (error) {
    if (!(error instanceof Uncredited)) throw error;
    throw new Refusal('INVITE_BONUS_FAIL', { detail: 'CREDIT_NOT_CONFIRMED', retryAfterSeconds: 5, cause: error });
  }
}

const SOURCE = 'invite:';
const numberOf = (source: string): number => Number(source.slice(SOURCE.length));

async function claim(deps: InviteDeps, member: Holder): Promise<Grant> {
  const programme = (await deps.operatorData()).settingOf(inviteSetting);
  if (!programme.isActive) throw new Refusal('INVITE_INACTIVE', { detail: 'OFF' });
  if (await isBlocked(deps.database, member.id)) throw new Refusal('INVITE_INACTIVE', { detail: 'INVITER_BLOCKED' });
  await refreshInviteePlay(deps, member.id);
  return deps.incentive.grant(member, (tx) => decide(tx, programme, member.id));
}

// The claim's number is its source: of two at once the second finds nothing left to claim.
async function decide(tx: Tx, programme: InviteProgramme, memberId: string): Promise<Award> {
  const inviter = await lockInviter(tx, memberId);
  if (!inviter) throw new Refusal('NO_INVITE_BONUS', { detail: 'NO_INVITEE' });
  if (!(await hasPlay(tx, memberId))) throw new Refusal('NO_INVITEE_PLAY_INFO');
  const { percent, percentSuccess, percentFail } = programme;
  const { amount, remainder } = bonusOf(inviter, percent);
  if (amount === ZERO) throw new Refusal('NO_INVITE_BONUS', { detail: 'NOTHING_NEW' });
  await claimPlay(tx, memberId, partsOf(percent), remainder);
  const condition = { own: ZERO, percentSuccess, percentFail, turnoverTimes: null, expiresAt: null };
  return { kind: 'INVITE', source: `${SOURCE}${inviter.claims + 1}`, name: inAll(`${percent}%`), amount, condition };
}
