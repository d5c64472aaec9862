import { ZERO } from '@krapao/contract/money';
import { Refusal } from '../../platform/errors.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  type Award,
  type Grant,
  hadBonusIn,
  type MemberRef,
  sameInAll,
  asCreditPending,
  type Eligibility,
} from '../incentive/index.ts';
import { hasRefund, insertRefund } from './queries.ts';
import { readPeriodSums } from './check-refund.ts';
import {
  closedPeriod,
  blockingBalance,
  refundName,
  type Programme,
  calculateRefund,
  refundSetting,
  refundSource,
  type RefundDeps,
} from './refund.ts';

/**
 * Gives back of the losses of the last closed period, once.
 * @throws NO_WALLET, REFUND_INACTIVE, NO_REFUND RECEIVED, REFUND_CONDITION, NO_REFUND NO_LOSS, REFUND_MINIMUM (`detail` says why), in this order;
 *   INTERNAL_SERVER_ERROR CREDIT_NOT_CONFIRMED when it is given and the ledger's outcome is unknown: the job, or
 *   another `addWallet`, credits it
 */
export async function receiveRefund(deps: RefundDeps, member: MemberRef): Promise<Grant> {
  await deps.account.assertWalletOpen(member.id);
  const programme = (await deps.operatorData()).settingOf(refundSetting);
  if (!programme.isActive) throw new Refusal('REFUND_INACTIVE');
  try {
    return await deps.incentive.grant(member, (tx, standing) => decide(deps, programme, member, tx, standing));
  } catch (error) {
    throw asCreditPending(error);
  }
}

// In the transaction that holds the member lock: what it checks stays true until it commits.
async function decide(
  deps: RefundDeps,
  programme: Programme,
  member: MemberRef,
  tx: Tx,
  standing: Eligibility,
): Promise<Award> {
  const now = deps.clock.now();
  const period = closedPeriod(now, programme.period);
  // Before any condition: whatever the member has now, there is nothing left to receive.
  if (await hasRefund(tx, member.id, period)) throw new Refusal('NO_REFUND', { detail: 'RECEIVED' });
  const isBonusActive = standing.open.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  if (isBonusActive) throw new Refusal('REFUND_CONDITION', { detail: 'BONUS_ACTIVE' });
  if (await hadBonusIn(tx, member.id, period)) throw new Refusal('REFUND_CONDITION', { detail: 'BONUS_USED' });
  const left = blockingBalance(standing, programme.floor[member.currency]);
  if (left !== undefined) throw new Refusal('REFUND_CONDITION', { detail: left });
  const reckoning = calculateRefund(await readPeriodSums(deps, tx, member.id, period), programme, member.currency);
  if (reckoning.paidIn <= 0n || reckoning.lost <= 0n) throw new Refusal('NO_REFUND', { detail: 'NO_LOSS' });
  if (reckoning.amount <= 0n || reckoning.amount < programme.minimum[member.currency]) {
    throw new Refusal('REFUND_MINIMUM');
  }
  const { percent, percentSuccess, percentFail } = programme;
  const source = refundSource(period);
  await insertRefund(tx, member, { ...period, ...reckoning, percent, source, at: now });
  const condition = { own: ZERO, percentSuccess, percentFail, turnoverTimes: null, expiresAt: null };
  return { kind: 'REFUND', source, name: sameInAll(refundName(period)), amount: reckoning.amount, condition };
}

/**
 * Finishes a refund that was given and whose credit did not go through.
 * @throws NO_WALLET; NO_REFUND when none is open; INTERNAL_SERVER_ERROR CREDIT_NOT_CONFIRMED when it did not go through again
 */
export async function addRefundToWallet({ incentive, ...deps }: RefundDeps, member: MemberRef): Promise<Grant> {
  await deps.account.assertWalletOpen(member.id);
  const [open] = await incentive.openGrants(member.id, 'REFUND');
  if (!open) throw new Refusal('NO_REFUND', { detail: 'NOTHING_OPEN' });
  try {
    return await incentive.finish(open);
  } catch (error) {
    throw asCreditPending(error);
  }
}
