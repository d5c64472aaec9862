import { Refusal } from '../../platform/refusal.ts';
import { type Grant, type Holder, notConfirmed } from '../incentive/module.ts';
import type { RefundDeps } from './refund-deps.ts';

/**
 * Finishes a refund that was given and whose credit did not go through.
 * @throws NO_WALLET; NO_REFUND when none is open; INTERNAL_SERVER_ERROR CREDIT_NOT_CONFIRMED when it did not go through again
 */
export async function addRefundToWallet({ incentive, ...deps }: RefundDeps, member: Holder): Promise<Grant> {
  await deps.account.assertWalletOpen(member.id);
  const [open] = await incentive.openGrants(member.id, 'REFUND');
  if (!open) throw new Refusal('NO_REFUND', { detail: 'NOTHING_OPEN' });
  try {
    return await incentive.finish(open);
  } catch (error) {
    throw notConfirmed(error);
  }
}
