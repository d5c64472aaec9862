import type { Member } from '../../platform/http/caller.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { assertNever, Refusal } from '../../platform/errors.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import { bankAccount, lastRenameAt, noWallet, renameCooldown, suspended } from '../account/index.ts';
import { memberLockVersion } from '../incentive/index.ts';
import { hasOpenTransfer, type SweepFailure } from '../transfer/index.ts';
import { findById, findByKey, hasOpenWithdrawal } from './queries.ts';
import { holdWithdrawalCommand, openWithdrawalCommand } from './commands.ts';
import {
  isClosed,
  parseWithdrawAmount,
  type Withdrawal,
  type WithdrawRefusal,
  sweepLeaseMs,
  type WithdrawDeps,
} from './withdraw.ts';

export type WithdrawRequest = {
  member: Pick<Member, 'id' | 'currency'>;
  /** As it came. */
  amount: unknown;
  /** Sweep what the wallet lacks from the games first. */
  isAll: boolean;
  idempotencyKey: string | undefined;
};
export type WithdrawalReply = { reference: string; amount: bigint; notBrought: SweepFailure[] };

const REFERENCE_CHARACTERS = 13;
const RETRY_SECONDS = 5;
/** How often a member's conditions may change while a withdrawal is being opened. */
const READS_MAX = 4;

/**
 * Takes a withdrawal: checks it, holds its money, and leaves the payout to the resolver. The same idempotency key with the
 * same input gets the same answer for good, whatever the payout ends with.
 * @throws NO_WALLET, NO_BANK, TRANSFER_MINIMUM (`detail` says why), REQUEST_LIMIT (a transfer or a withdrawal is under way),
 *   BONUS_CONDITION, REFUND_CONDITION, MONEY_NOT_ENOUGH, TRANSFER_FAIL (games whose money is needed can't be reached),
 *   KEY_INVALID (the key stands for another input)
 */
export async function requestWithdrawal(work: WithdrawDeps, request: WithdrawRequest): Promise<WithdrawalReply> {
  const { member, amount, isAll, idempotencyKey: key } = request;
  // An amount that is not a number is refused before anything is kept, and may be nested without end.
  const asked = typeof amount === 'number' ? amount : null;
  const requestHash = hashRequest([isAll ? 'withdrawAll' : 'withdraw', asked]);
  return runIdempotent<Withdrawal, WithdrawalReply>({
    key,
    requestHash,
    findsOnOpening: true,
    find: async (used) => {
      const known = await findByKey(work.database, member.id, used);
      return known && { row: known, requestHash: known.inputHash };
    },
    open: async () => {
      const row = await open(work, request, requestHash);
      return row && { row, isNew: true };
    },
    carryOut: async (withdrawal) => {
      if (!isOpen(withdrawal)) return withdrawal;
      await sweepAndHold(work, withdrawal);
      return reread(work, withdrawal);
    },
    isAnswerable: (withdrawal) => !isOpen(withdrawal),
    reread: (withdrawal) => reread(work, withdrawal),
    answer,
    busy: () => busy('WITHDRAW_IN_PROGRESS'),
  });
}

/**
 * Sweeps what the wallet lacks from the games and holds the amount; or closes the withdrawal with the member's refusal,
 * and the swept money stays in the wallet. Idempotent: the resolver repeats it after a crash.
 */
export async function sweepAndHold(work: WithdrawDeps, withdrawal: Withdrawal): Promise<void> {
  const { memberId: id, currency, reference, amount } = withdrawal;
  const notBrought = await work.transfer.sweepMissing({ id, currency }, { command: reference, wanted: amount });
  const { outcome } = await retryOnRowLock(() =>
    work.ledger.postCommand(holdWithdrawalCommand(withdrawal, notBrought)),
  );
  switch (outcome) {
    case 'applied':
    case 'insufficient_funds':
    case 'lease_lost':
    case 'row_locked':
      // Whatever the outcome, the resolver continues.
      return work.wakeResolver();
    default:
      return assertNever(outcome);
  }
}

/**
 * Checks the request, then commits the withdrawal with the hold of its money. What is given with a condition goes through the
 * same gate: either it sees this row, or the gate has moved and its condition is seen here.
 * Undefined: the key is used by now.
 */
async function open(work: WithdrawDeps, request: WithdrawRequest, inputHash: Buffer): Promise<Withdrawal | undefined> {
  const { isAll, idempotencyKey } = request;
  for (let read = 0; read < READS_MAX; read += 1) {
    const checked = await check(work, request);
    if (!checked) continue;
    const id = uuidV7(work.clock.now());
    const withdrawal: Withdrawal = { ...NEW, ...checked.wanted, id, inputHash, isHeld: !isAll };
    // One that is held is free for the resolver.
    const leaseMs = isAll ? sweepLeaseMs(work) : 0;
    const command = openWithdrawalCommand(withdrawal, { key: idempotencyKey ?? id, gate: checked.version, leaseMs });
    const { outcome } = await retryOnRowLock(() => work.ledger.postCommand(command));
    switch (outcome) {
      case 'applied':
      case 'replayed':
        if (!isAll) work.wakeResolver();
        return withdrawal;
      case 'insufficient_funds':
      case 'replayed_refused':
        return reread(work, withdrawal);
      case 'key_taken':
        return undefined;
      case 'wallet_suspended':
        throw noWallet();
      case 'withdrawal_open':
      case 'row_locked':
        throw busy('WITHDRAW_IN_PROGRESS');
      case 'stale_conditions':
        // Reads the member's conditions again.
        break;
      default:
        return assertNever(outcome);
    }
  }
  throw busy('WITHDRAW_IN_PROGRESS');
}

const readHolder = snapshotReader('withdraw-holder', {
  suspended,
  bankAccount,
  nameExchangedAt: lastRenameAt,
  isTransferring: hasOpenTransfer,
  isPending: hasOpenWithdrawal,
  gate: memberLockVersion,
});

const NEW = {
  state: 'HELD',
  notBrought: null,
  refusalCode: null,
  refusalDetail: null,
  proof: null,
  proofBy: null,
  reason: null,
  absences: 0,
  asks: 0,
  fence: 1,
  sentAgoMs: null,
  firstSentAgoMs: null,
} as const;

/** Every check before the row, in its order. Undefined: the member's conditions or gate have changed, and all is read again. */
async function check(work: WithdrawDeps, { member, amount, isAll }: WithdrawRequest) {
  const holder = await readHolder(work.database, member.id);
  if (holder.suspended) throw noWallet();
  const paidFrom = work.payout.accountOf(member.currency);
  if (!holder.bankAccount) throw new Refusal('NO_BANK');
  if (paidFrom === undefined) throw new Refusal('NO_BANK', { detail: 'NO_PAYOUT_ACCOUNT' });
  const limits = (await work.operatorData()).setting('withdraw')[member.currency];
  const read = parseWithdrawAmount(amount, member.currency, limits);
  if (typeof read === 'string') throw new Refusal('TRANSFER_MINIMUM', { detail: read });
  if (holder.isTransferring) throw busy('TRANSFER_IN_PROGRESS');
  if (holder.isPending) throw busy('WITHDRAW_IN_PROGRESS');
  const cooldown = renameCooldown(holder.nameExchangedAt, work.clock.now());
  if (cooldown) throw refused(cooldown);
  const { version, hasConditions } = holder.gate;
  if (hasConditions) {
    const why = await work.incentive.withdrawCondition(member);
    if (why) throw refused(why);
    return undefined;
  }
  if (version === null) {
    await work.incentive.openGate(member.id);
    return undefined;
  }
  const wanted = {
    memberId: member.id,
    currency: member.currency,
    isAll,
    amount: read,
    reference: `W${newReference(REFERENCE_CHARACTERS)}`,
    ...holder.bankAccount,
    paidFrom,
  };
  return { wanted, version };
}

async function reread(work: WithdrawDeps, { id }: Withdrawal): Promise<Withdrawal> {
  const found = await findById(work.database, id);
  if (!found) throw new Error(`the withdrawal ${id} is gone`);
  return found;
}

/** Whether it isn't known yet if the money can be held. */
const isOpen = ({ isHeld, state }: Withdrawal): boolean => !isHeld && !isClosed(state);

function answer(withdrawal: Withdrawal): WithdrawalReply {
  const { refusalCode, refusalDetail, reference, amount, notBrought } = withdrawal;
  if (refusalCode) throw new Refusal(refusalCode, refusalDetail === null ? {} : { detail: refusalDetail });
  if (isOpen(withdrawal)) throw busy('WITHDRAW_IN_PROGRESS');
  return { reference, amount, notBrought: notBrought ?? [] };
}

const refused = ({ code, detail }: WithdrawRefusal): Refusal =>
  new Refusal(code, detail === undefined ? {} : { detail });
const busy = (detail: string): Refusal => new Refusal('REQUEST_LIMIT', { detail, retryAfterSeconds: RETRY_SECONDS });
