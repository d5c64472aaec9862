import { toBasisPoints } from '@krapao/contract/bonus-terms';
import { ZERO, minor, toWire } from '@krapao/contract/money';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { type Award, type Grant, type MemberRef, sameInAllLanguages, CreditPending } from '../incentive/index.ts';
import {
  payableBonus,
  inviteSetting,
  type InviteProgramme,
  type InviteDeps,
  TURNOVER_MAX_AGE_MS,
  type Inviter,
} from './invite.ts';
import { refreshInviteePlay } from './invitee-turnover.ts';
import { claimTurnover, hasTurnover, isBlocked, lockInviter, markCredited, inviterRow } from './queries.ts';

/**
 * Pays the inviter for play since the last claim. An earlier claim with an unconfirmed credit is completed first, and
 * then nothing else is paid in this call.
 * @throws NO_WALLET, INVITE_INACTIVE, NO_INVITEE_PLAY_INFO, NO_INVITE_BONUS, in this order; INVITE_BONUS_FAIL if the
 *   ledger's outcome is unknown: the next call completes the claim
 */
export async function receiveInviteBonus(deps: InviteDeps, member: MemberRef): Promise<Grant> {
  const { incentive, database } = deps;
  await deps.account.assertWalletOpen(member.id);
  try {
    const [openGrant] = await incentive.openGrants(member.id, 'INVITE');
    const grant = openGrant ? await incentive.completeGrant(openGrant) : await claimInviteBonus(deps, member);
    await markCredited(database, member.id, claimNumberOf(grant.source));
    return grant;
  } catch (error) {
    if (!(error instanceof CreditPending)) throw error;
    const { reference } = error.grant;
    const detail = 'CREDIT_NOT_CONFIRMED';
    throw new Refusal('INVITE_BONUS_FAIL', { detail, reference, retryAfterSeconds: 5, cause: error });
  }
}

const SOURCE_PREFIX = 'invite:';
const claimNumberOf = (source: string): number => Number(source.slice(SOURCE_PREFIX.length));

async function claimInviteBonus(deps: InviteDeps, member: MemberRef): Promise<Grant> {
  const programme = (await deps.readOperatorData()).settingOf(inviteSetting);
  if (!programme.isActive) throw new Refusal('INVITE_INACTIVE', { detail: 'OFF' });
  if (await isBlocked(deps.database, member.id)) throw new Refusal('INVITE_INACTIVE', { detail: 'INVITER_BLOCKED' });
  await refreshInviteePlay(deps, member.id);
  return deps.incentive.grant(member, (tx) => decideAward(tx, programme, member.id));
}

// The claim number is the source of the grant: the second of two concurrent claims finds no unpaid play.
async function decideAward(tx: Tx, programme: InviteProgramme, memberId: string): Promise<Award> {
  const inviter = await lockInviter(tx, memberId);
  if (!inviter) throw new Refusal('NO_INVITE_BONUS', { detail: 'NO_INVITEE' });
  if (!(await hasTurnover(tx, memberId))) throw new Refusal('NO_INVITEE_PLAY_INFO');
  const { percent, percentSuccess, percentFail } = programme;
  const { amount, remainder } = payableBonus(inviter, percent);
  if (amount === ZERO) throw new Refusal('NO_INVITE_BONUS', { detail: 'NOTHING_NEW' });
  await claimTurnover(tx, memberId, toBasisPoints(percent), remainder);
  const condition = { own: ZERO, percentSuccess, percentFail, turnoverTimes: null, expiresAt: null };
  return {
    kind: 'INVITE',
    source: `${SOURCE_PREFIX}${inviter.claims + 1}`,
    name: sameInAllLanguages(`${percent}%`),
    amount,
    condition,
  };
}

/** Invite earnings as shown by the wallet: the claimable amount, and the percentages of its condition. */
export type InviteEarnings = { amount: number; success: number; fail: number };

/**
 * Earnings of a member from all invitees, as of the last update. Reads one row by its key.
 * @param scheduleUpdate called for an inviter whose play was not updated recently
 */
export const earningsField = (
  deps: InviteDeps,
  scheduleUpdate: (inviterId: string) => void,
): SnapshotField<() => Promise<InviteEarnings>> =>
  snapshotField(inviterRow.sql, (json: never) => () => readEarnings(deps, scheduleUpdate, inviterRow.read(json)));

async function readEarnings(
  deps: InviteDeps,
  scheduleUpdate: (inviterId: string) => void,
  inviter: Inviter | undefined,
): Promise<InviteEarnings> {
  const { isActive, percent, percentSuccess, percentFail } = (await deps.readOperatorData()).settingOf(inviteSetting);
  const conditions = { success: percentSuccess, fail: percentFail };
  if (!inviter) return { amount: 0, ...conditions };
  const creditingAmount = inviter.isCrediting ? await readCreditingAmount(deps, inviter) : ZERO;
  if (!isActive || inviter.isBlocked) return { amount: toWire(creditingAmount), ...conditions };
  if (deps.clock.now().getTime() - inviter.lookedAt.getTime() >= TURNOVER_MAX_AGE_MS) scheduleUpdate(inviter.memberId);
  return { amount: toWire(creditingAmount + payableBonus(inviter, percent).amount), ...conditions };
}

/** Claimed amount that is not credited yet. The wallet still shows it as claimable. */
async function readCreditingAmount(
  { incentive, database }: InviteDeps,
  { memberId, claims }: Inviter,
): Promise<bigint> {
  const openGrants = await incentive.openGrants(memberId, 'INVITE');
  // The job has credited the claims, so nothing needs checking until the next claim.
  if (openGrants.length === 0) await markCredited(database, memberId, claims);
  return minor(openGrants.reduce((total, { amount }) => total + amount, 0n));
}
