import { violatedConstraint } from '../../platform/database/database.ts';
import type { Member } from '../../platform/http/caller/member.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashRequest, runCommand } from '../../settlement/command.ts';
import type { NotBrought } from '../transfer/module.ts';
import { prepareWithdrawal } from './prepare-withdrawal.ts';
import { findById, findByKey, findPending, insertWithdrawal, type NewWithdrawal } from './queries.ts';
import { isOver, readWithdrawAmount, type Withdrawal, type WithdrawRefusal } from './withdraw.ts';
import { preparationLeaseMs, type WithdrawWork } from './withdraw-work.ts';

export type WithdrawRequest = {
  member: Pick<Member, 'id' | 'currency'>;
  /** As it came. */
  amount: unknown;
  /** Bring the money of the games home first. */
  isAll: boolean;
  idempotencyKey: string | undefined;
};
export type WithdrawAnswer = { reference: string; amount: bigint; notBrought: NotBrought[] };

const REFERENCE_CHARACTERS = 13;
const RETRY_SECONDS = 5;

/**
 * Takes a withdrawal: checks it, holds its money, and leaves the payout to the resolver. The same idempotency key with the
 * same input gets the same answer for good, whatever becomes of the payout.
 * @throws NO_WALLET, NO_BANK, TRANSFER_MINIMUM (`detail` says why), REQUEST_LIMIT (a transfer or a withdrawal is under way),
 *   BONUS_CONDITION, REFUND_CONDITION, MONEY_NOT_ENOUGH, TRANSFER_FAIL (games whose money is needed can't be reached),
 *   KEY_INVALID (the key stands for another input)
 */
export async function requestWithdraw(work: WithdrawWork, request: WithdrawRequest): Promise<WithdrawAnswer> {
  const { member, amount, isAll, idempotencyKey: key } = request;
  // An amount that is not a number is refused before anything is kept, and may be nested without end.
  const asked = typeof amount === 'number' ? amount : null;
  const requestHash = hashRequest([isAll ? 'withdrawAll' : 'withdraw', asked]);
  return runCommand<Withdrawal, WithdrawAnswer>({
    key,
    requestHash,
    find: async (used) => {
      const known = await findByKey(work.database, member.id, used);
      return known && { row: known, requestHash: known.inputHash };
    },
    open: async () => {
      const wanted = { ...(await check(work, request)), inputHash: requestHash };
      const row = await open(work, wanted, key ?? wanted.id, preparationLeaseMs(work, isAll));
      return { row, isNew: true };
    },
    carryOut: async (withdrawal) => {
      await prepareWithdrawal(work, withdrawal);
      return reread(work, withdrawal);
    },
    isAnswerable: (withdrawal) => !isOpen(withdrawal),
    reread: (withdrawal) => reread(work, withdrawal),
    answer,
    busy: () => busy('WITHDRAW_IN_PROGRESS'),
  });
}

/** Every check before the row, in its order. */
async function check(
  work: WithdrawWork,
  { member, amount, isAll }: WithdrawRequest,
): Promise<Omit<NewWithdrawal, 'inputHash'>> {
  await work.account.assertWalletOpen(member.id);
  const account = await work.account.bankAccountOf(work.database, member.id);
  const paidFrom = work.payout.accountOf(member.currency);
  if (!account) throw new Refusal('NO_BANK');
  if (paidFrom === undefined) throw new Refusal('NO_BANK', { detail: 'NO_PAYOUT_ACCOUNT' });
  const limits = (await work.operatorData()).setting('withdraw')[member.currency];
  const read = readWithdrawAmount(amount, member.currency, limits);
  if (typeof read === 'string') throw new Refusal('TRANSFER_MINIMUM', { detail: read });
  if (await work.transfer.isUnderWay(member.id)) throw busy('TRANSFER_IN_PROGRESS');
  if (await findPending(work.database, member.id)) throw busy('WITHDRAW_IN_PROGRESS');
  const why = (await work.account.renameCooldown(member.id)) ?? (await work.incentive.withdrawCondition(member));
  if (why) throw refused(why);
  return {
    id: uuidV7(work.clock.now()),
    memberId: member.id,
    currency: member.currency,
    isAll,
    amount: read,
    reference: `W${newReference(REFERENCE_CHARACTERS)}`,
    ...account,
    paidFrom,
  };
}

// Of two at the same moment one finds the other's row: by its key, or as the one that is pending. What is given with a
// condition goes through the same gate: either it sees this row, or its condition is seen here.
async function open(work: WithdrawWork, wanted: NewWithdrawal, key: string, leaseMs: number): Promise<Withdrawal> {
  try {
    const withdrawal = await work.incentive.underGate(wanted.memberId, async (tx) => {
      const why = await work.incentive.withdrawRefusal(tx, wanted.memberId);
      if (why) throw refused(why);
      return insertWithdrawal(tx, wanted, key, leaseMs);
    });
    if (withdrawal) return withdrawal;
  } catch (error) {
    if (violatedConstraint(error) !== 'withdraw_one_pending') throw error;
  }
  throw busy('WITHDRAW_IN_PROGRESS');
}

async function reread(work: WithdrawWork, { id }: Withdrawal): Promise<Withdrawal> {
  const found = await findById(work.database, id);
  if (!found) throw new Error(`the withdrawal ${id} is gone`);
  return found;
}

/** Whether it isn't known yet if the money can be held. */
const isOpen = ({ isHeld, state }: Withdrawal): boolean => !isHeld && !isOver(state);

function answer(withdrawal: Withdrawal): WithdrawAnswer {
  const { refusalCode, refusalDetail, reference, amount, notBrought } = withdrawal;
  if (refusalCode) throw new Refusal(refusalCode, refusalDetail === null ? {} : { detail: refusalDetail });
  if (isOpen(withdrawal)) throw busy('WITHDRAW_IN_PROGRESS');
  return { reference, amount, notBrought: notBrought ?? [] };
}

const refused = ({ code, detail }: WithdrawRefusal): Refusal =>
  new Refusal(code, detail === undefined ? {} : { detail });
const busy = (detail: string): Refusal => new Refusal('REQUEST_LIMIT', { detail, retryAfterSeconds: RETRY_SECONDS });
