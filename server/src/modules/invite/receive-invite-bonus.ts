import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { type Award, type Grant, type MemberRef, sameInAll, toBasisPoints, CreditPending } from '../incentive/index.ts';
import { ZERO, minor, toWire } from '@krapao/contract/money';
import { refreshInviteePlay } from './invitee-turnover.ts';
import {
  payableBonus,
  inviteSetting,
  type InviteProgramme,
  type InviteDeps,
  TURNOVER_MAX_AGE_MS,
  type Inviter,
} from './invite.ts';
import { claimTurnover, hasTurnover, isBlocked, lockInviter, markCredited, inviterRow } from './queries.ts';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';

/**
 * Pays what the play of invitees has earned since the last time. A claim whose credit was not confirmed is finished
 * first, and is all that this call pays.
 * @throws NO_WALLET, INVITE_INACTIVE, NO_INVITEE_PLAY_INFO, NO_INVITE_BONUS, in this order; INVITE_BONUS_FAIL when the ledger's
 *   outcome is unknown: it is still the member's, and the next call finishes it
 */
export async function receiveInviteBonus(deps: InviteDeps, member: MemberRef): Promise<Grant> {
  const { incentive, database } = deps;
  await deps.account.assertWalletOpen(member.id);
  try {
    const [open] = await incentive.openGrants(member.id, 'INVITE');
    const grant = open ? await incentive.finish(open) : await claim(deps, member);
    await markCredited(database, member.id, numberOf(grant.source));
    return grant;
  } catch (error) {
    if (!(error instanceof CreditPending)) throw error;
    throw new Refusal('INVITE_BONUS_FAIL', { detail: 'CREDIT_NOT_CONFIRMED', retryAfterSeconds: 5, cause: error });
  }
}

const SOURCE = 'invite:';
const numberOf = (source: string): number => Number(source.slice(SOURCE.length));

async function claim(deps: InviteDeps, member: MemberRef): Promise<Grant> {
  const programme = (await deps.operatorData()).settingOf(inviteSetting);
  if (!programme.isActive) throw new Refusal('INVITE_INACTIVE', { detail: 'OFF' });
  if (await isBlocked(deps.database, member.id)) throw new Refusal('INVITE_INACTIVE', { detail: 'INVITER_BLOCKED' });
  await refreshInviteePlay(deps, member.id);
  return deps.incentive.grant(member, (tx) => decide(tx, programme, member.id));
}

// The claim's number is its source: the second of two concurrent claims finds nothing left.
async function decide(tx: Tx, programme: InviteProgramme, memberId: string): Promise<Award> {
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
    source: `${SOURCE}${inviter.claims + 1}`,
    name: sameInAll(`${percent}%`),
    amount,
    condition,
  };
}

/** What the wallet shows of invite money: what can be received, and the percents of its condition. */
export type Earnings = { amount: number; success: number; fail: number };

/**
 * Earnings of a member from all invitees, as of the last update: reads one row by its key.
 * @param countSoon called with inviters whose count is stale
 */
export const earnings = (
  deps: InviteDeps,
  countSoon: (inviterId: string) => void,
): SnapshotField<() => Promise<Earnings>> =>
  snapshotField(inviterRow.sql, (json: never) => () => readEarnings(deps, countSoon, inviterRow.read(json)));

async function readEarnings(
  deps: InviteDeps,
  countSoon: (inviterId: string) => void,
  inviter: Inviter | undefined,
): Promise<Earnings> {
  const { isActive, percent, percentSuccess, percentFail } = (await deps.operatorData()).settingOf(inviteSetting);
  const conditions = { success: percentSuccess, fail: percentFail };
  if (!inviter) return { amount: 0, ...conditions };
  const crediting = inviter.isCrediting ? await waiting(deps, inviter) : ZERO;
  if (!isActive || inviter.isBlocked) return { amount: toWire(crediting), ...conditions };
  if (deps.clock.now().getTime() - inviter.lookedAt.getTime() >= TURNOVER_MAX_AGE_MS) countSoon(inviter.memberId);
  return { amount: toWire(crediting + payableBonus(inviter, percent).amount), ...conditions };
}

/** Claimed, and not in the wallet yet: it is still shown as what can be received. */
async function waiting({ incentive, database }: InviteDeps, { memberId, claims }: Inviter): Promise<bigint> {
  const open = await incentive.openGrants(memberId, 'INVITE');
  // Credited by the job: nothing to check until the next claim.
  if (open.length === 0) await markCredited(database, memberId, claims);
  return minor(open.reduce((sum, { amount }) => sum + amount, 0n));
}
