import { ZERO } from '@krapao/contract/money';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import {
  type Award,
  type Grant,
  hadBonusIn,
  type MemberRef,
  sameInAllLanguages,
  asCreditPending,
  type Eligibility,
} from '../incentive/index.ts';
import { readPeriodSums } from './check-refund.ts';
import { hasRefund, insertRefund } from './queries.ts';
import {
  closedPeriod,
  blockingBalance,
  refundName,
  type RefundSettings,
  calculateRefund,
  refundSetting,
  refundSource,
  type RefundDeps,
} from './refund.ts';

/**
 * Grants the refund for the last closed period, once.
 * @throws NO_WALLET, REFUND_INACTIVE, NO_REFUND RECEIVED, REFUND_CONDITION, NO_REFUND NO_LOSS, REFUND_MINIMUM (`detail`
 *   has the reason), in this order; INTERNAL_SERVER_ERROR CREDIT_NOT_CONFIRMED if the refund is granted and the
 *   ledger's outcome is unknown: a job or another request credits it
 */
export async function receiveRefund(deps: RefundDeps, member: MemberRef): Promise<Grant> {
  await deps.account.assertWalletOpen(member.id);
  const settings = (await deps.readOperatorData()).settingOf(refundSetting);
  if (!settings.isActive) throw new Refusal('REFUND_INACTIVE');
  try {
    return await deps.incentive.grant(member, (tx, eligibility) =>
      decideAward(deps, settings, member, tx, eligibility),
    );
  } catch (error) {
    throw asCreditPending(error);
  }
}

// Runs in the transaction that holds the member lock: the checked data do not change until the commit.
async function decideAward(
  deps: RefundDeps,
  settings: RefundSettings,
  member: MemberRef,
  tx: Tx,
  eligibility: Eligibility,
): Promise<Award> {
  const now = deps.clock.now();
  const period = closedPeriod(now, settings.period);
  // Checked before any condition: a received refund is refused whatever the member's balance.
  if (await hasRefund(tx, member.id, period)) throw new Refusal('NO_REFUND', { detail: 'RECEIVED' });
  const isBonusActive = eligibility.open.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  if (isBonusActive) throw new Refusal('REFUND_CONDITION', { detail: 'BONUS_ACTIVE' });
  if (await hadBonusIn(tx, member.id, period)) throw new Refusal('REFUND_CONDITION', { detail: 'BONUS_USED' });
  const blockingReason = blockingBalance(eligibility, settings.floor[member.currency]);
  if (blockingReason !== undefined) throw new Refusal('REFUND_CONDITION', { detail: blockingReason });
  const calculation = calculateRefund(await readPeriodSums(deps, tx, member.id, period), settings, member.currency);
  if (calculation.paidIn <= 0n || calculation.lostAmount <= 0n) throw new Refusal('NO_REFUND', { detail: 'NO_LOSS' });
  if (calculation.amount <= 0n || calculation.amount < settings.minimum[member.currency]) {
    throw new Refusal('REFUND_MINIMUM');
  }
  const { percent, percentSuccess, percentFail } = settings;
  const source = refundSource(period);
  await insertRefund(tx, member, { ...period, ...calculation, percent, source, at: now });
  const condition = { own: ZERO, percentSuccess, percentFail, turnoverTimes: null, expiresAt: null };
  return {
    kind: 'REFUND',
    source,
    name: sameInAllLanguages(refundName(period)),
    amount: calculation.amount,
    condition,
  };
}

/**
 * Credits a granted refund whose credit failed.
 * @throws NO_WALLET; NO_REFUND if none is open; INTERNAL_SERVER_ERROR CREDIT_NOT_CONFIRMED if the credit fails again
 */
export async function addRefundToWallet({ incentive, ...deps }: RefundDeps, member: MemberRef): Promise<Grant> {
  await deps.account.assertWalletOpen(member.id);
  const [openGrant] = await incentive.openGrants(member.id, 'REFUND');
  if (!openGrant) throw new Refusal('NO_REFUND', { detail: 'NOTHING_OPEN' });
  try {
    return await incentive.completeGrant(openGrant);
  } catch (error) {
    throw asCreditPending(error);
  }
}
