import { minor, toWire, ZERO } from '@krapao/contract/money';
import { type SnapshotPart, snapshotPart } from '../../platform/database/member-snapshot.ts';
import { bonusOf, FRESH_MS, type Inviter, inviteSetting } from './invite.ts';
import type { InviteDeps } from './invite-deps.ts';
import { inviterRow, markCredited } from './queries.ts';

/** What the wallet shows of invite money: what can be received, and the percents of its condition. */
export type Earnings = { amount: number; success: number; fail: number };

/**
 * What a member's invitees have earned them, as far as it was counted: one row by its key, however many they are.
 * @param countSoon called with inviters whose count is stale
 */
export const earnings = (
  deps: InviteDeps,
  countSoon: (inviterId: string) => void,
): SnapshotPart<() => Promise<Earnings>> =>
  snapshotPart(inviterRow.sql, (json: never) => () => readEarnings(deps, countSoon, inviterRow.read(json)));

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
  if (deps.clock.now().getTime() - inviter.lookedAt.getTime() >= FRESH_MS) countSoon(inviter.memberId);
  return { amount: toWire(crediting + bonusOf(inviter, percent).amount), ...conditions };
}

/** Claimed, and not in the wallet yet: it is still shown as what can be received. */
async function waiting({ incentive, database }: InviteDeps, { memberId, claims }: Inviter): Promise<bigint> {
  const open = await incentive.openGrants(memberId, 'INVITE');
  // It came by itself: there is nothing to look for until the next claim.
  if (open.length === 0) await markCredited(database, memberId, claims);
  return minor(open.reduce((sum, { amount }) => sum + amount, 0n));
}
