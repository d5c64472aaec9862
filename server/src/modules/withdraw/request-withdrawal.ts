import { retryOnRowLock } from '../../ledger/index.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { assertNever, Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { bankAccount, lastRenameAt, noWalletRefusal, renameCooldown, suspended } from '../account/index.ts';
import { memberLockVersion } from '../incentive/index.ts';
import { hasOpenTransfer, type SweepFailure } from '../transfer/index.ts';
import { holdWithdrawalCommand, openWithdrawalCommand } from './commands.ts';
import { findById, findByKey, hasOpenWithdrawal } from './queries.ts';
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
  /** Unvalidated input. */
  amount: unknown;
  /** If the wallet lacks money, sweeps it from the games first. */
  isAll: boolean;
  idempotencyKey: string | undefined;
};
export type WithdrawalReply = { reference: string; amount: bigint; sweepFailures: SweepFailure[] };

const REFERENCE_CHARACTERS = 13;
const RETRY_SECONDS = 5;
/** Attempts to open a withdrawal. Each fails if the member's conditions have changed since they were read. */
const OPEN_ATTEMPTS_MAX = 4;

/**
 * Validates a withdrawal, holds its money, and leaves the payout to the resolver. The same idempotency key with the
 * same input always replays the first reply, whatever the payout's outcome.
 * @throws {Refusal} NO_WALLET, NO_BANK (WITHDRAW_STOPPED: by an operator), TRANSFER_MINIMUM (see `detail`), REQUEST_LIMIT (a transfer or withdrawal is
 *   pending), BONUS_CONDITION, REFUND_CONDITION, MONEY_NOT_ENOUGH, TRANSFER_FAIL (games with needed money can't be
 *   swept), KEY_INVALID (key used with another input)
 */
export async function requestWithdrawal(deps: WithdrawDeps, request: WithdrawRequest): Promise<WithdrawalReply> {
  const { member, amount, isAll, idempotencyKey: key } = request;
  // Only numbers are hashed: other values are refused before anything is stored, and may be deeply nested.
  const numericAmount = typeof amount === 'number' ? amount : null;
  const requestHash = hashRequest([isAll ? 'withdrawAll' : 'withdraw', numericAmount]);
  return runIdempotent<Withdrawal, WithdrawalReply>({
    key,
    requestHash,
    findsWhileOpening: true,
    find: async (usedKey) => {
      const knownWithdrawal = await findByKey(deps.database, member.id, usedKey);
      return knownWithdrawal && { row: knownWithdrawal, requestHash: knownWithdrawal.inputHash };
    },
    open: async () => {
      const newWithdrawal = await openWithdrawal(deps, request, requestHash);
      return newWithdrawal && { row: newWithdrawal, isNew: true };
    },
    execute: async (withdrawal) => {
      if (!isHoldUndecided(withdrawal)) return withdrawal;
      await sweepAndHold(deps, withdrawal);
      return reloadWithdrawal(deps, withdrawal);
    },
    isReplyReady: (withdrawal) => !isHoldUndecided(withdrawal),
    reload: (withdrawal) => reloadWithdrawal(deps, withdrawal),
    toReply,
    busyError: () => busyRefusal('WITHDRAW_IN_PROGRESS'),
  });
}

/**
 * Sweeps the missing money from the games and holds the amount. If the money is still too little, closes the withdrawal
 * with a refusal, and swept money stays in the wallet. Idempotent: the resolver repeats it after a crash.
 */
export async function sweepAndHold(deps: WithdrawDeps, withdrawal: Withdrawal): Promise<void> {
  const { memberId: id, currency, reference, amount } = withdrawal;
  const sweepFailures = await deps.transfer.sweepMissing({ id, currency }, { command: reference, target: amount });
  const { outcome } = await retryOnRowLock(() =>
    deps.ledger.postCommand(holdWithdrawalCommand(withdrawal, sweepFailures)),
  );
  switch (outcome) {
    case 'applied':
    case 'insufficient_funds':
    case 'lease_lost':
    case 'row_locked':
      // The resolver continues after every outcome.
      return deps.wakeResolver();
    default:
      return assertNever(outcome);
  }
}

/**
 * Validates the request, then commits the withdrawal with the hold of its money. Grants with conditions use the same
 * member lock. Either the grant reads this row, or the lock's version has changed and the conditions are read again.
 * @returns undefined if the key was used concurrently
 */
async function openWithdrawal(
  deps: WithdrawDeps,
  request: WithdrawRequest,
  inputHash: Buffer,
): Promise<Withdrawal | undefined> {
  const { isAll, idempotencyKey } = request;
  for (let attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt += 1) {
    const validated = await validateWithdrawal(deps, request);
    if (!validated) continue;
    const id = uuidV7(deps.clock.now());
    const withdrawal: Withdrawal = { ...NEW_WITHDRAWAL, ...validated.fields, id, inputHash, isHeld: !isAll };
    // Without a lease the resolver may send the payout immediately.
    const leaseMs = isAll ? sweepLeaseMs(deps) : 0;
    const command = openWithdrawalCommand(withdrawal, { key: idempotencyKey ?? id, gate: validated.version, leaseMs });
    const { outcome } = await retryOnRowLock(() => deps.ledger.postCommand(command));
    switch (outcome) {
      case 'applied':
      case 'replayed':
        if (!isAll) deps.wakeResolver();
        return withdrawal;
      case 'insufficient_funds':
      case 'replayed_refused':
        return reloadWithdrawal(deps, withdrawal);
      case 'key_taken':
        return undefined;
      case 'wallet_suspended':
        throw noWalletRefusal();
      case 'withdrawal_open':
      case 'row_locked':
        throw busyRefusal('WITHDRAW_IN_PROGRESS');
      case 'stale_conditions':
        // The next attempt reads the member's conditions again.
        break;
      default:
        return assertNever(outcome);
    }
  }
  throw busyRefusal('WITHDRAW_IN_PROGRESS');
}

const readMemberFields = snapshotReader('withdraw-holder', {
  suspended,
  bankAccount,
  nameExchangedAt: lastRenameAt,
  isTransferring: hasOpenTransfer,
  isPending: hasOpenWithdrawal,
  gate: memberLockVersion,
});

const NEW_WITHDRAWAL = {
  state: 'HELD',
  notBrought: null,
  refusalCode: null,
  refusalDetail: null,
  proof: null,
  proofBy: null,
  reason: null,
  absences: 0,
  inquiries: 0,
  fence: 1,
  sentAgoMs: null,
  firstSentAgoMs: null,
} as const;

/**
 * Runs every check that precedes the row, in the order of refusals. @returns undefined if the member's conditions
 * changed: validate again
 */
async function validateWithdrawal(deps: WithdrawDeps, { member, amount, isAll }: WithdrawRequest) {
  const memberFields = await readMemberFields(deps.database, member.id);
  if (memberFields.suspended) throw noWalletRefusal();
  const operatorData = await deps.readOperatorData();
  if (operatorData.isStopped('withdraw.request')) throw new Refusal('NO_BANK', { detail: 'WITHDRAW_STOPPED' });
  const paidFrom = deps.payout.accountOf(member.currency);
  if (!memberFields.bankAccount) throw new Refusal('NO_BANK');
  if (paidFrom === undefined) throw new Refusal('NO_BANK', { detail: 'NO_PAYOUT_ACCOUNT' });
  const limits = operatorData.setting('withdraw')[member.currency];
  const amountOrDetail = parseWithdrawAmount(amount, member.currency, limits);
  if (typeof amountOrDetail === 'string') throw new Refusal('TRANSFER_MINIMUM', { detail: amountOrDetail });
  if (memberFields.isTransferring) throw busyRefusal('TRANSFER_IN_PROGRESS');
  if (memberFields.isPending) throw busyRefusal('WITHDRAW_IN_PROGRESS');
  const cooldownDetail = renameCooldown(memberFields.nameExchangedAt, deps.clock.now());
  if (cooldownDetail) throw toRefusal(cooldownDetail);
  const { version, hasConditions } = memberFields.gate;
  if (hasConditions) {
    const conditionRefusal = await deps.incentive.withdrawalRefusal(member);
    if (conditionRefusal) throw toRefusal(conditionRefusal);
    return undefined;
  }
  if (version === null) {
    await deps.incentive.createMemberLock(member.id);
    return undefined;
  }
  const withdrawalFields = {
    memberId: member.id,
    currency: member.currency,
    isAll,
    amount: amountOrDetail,
    reference: `W${newReference(REFERENCE_CHARACTERS)}`,
    ...memberFields.bankAccount,
    paidFrom,
  };
  return { fields: withdrawalFields, version };
}

async function reloadWithdrawal(deps: WithdrawDeps, { id }: Withdrawal): Promise<Withdrawal> {
  const withdrawal = await findById(deps.database, id);
  if (!withdrawal) throw new Error(`the withdrawal ${id} is gone`);
  return withdrawal;
}

/** Whether the hold of the money is still undecided. */
const isHoldUndecided = ({ isHeld, state }: Withdrawal): boolean => !isHeld && !isClosed(state);

function toReply(withdrawal: Withdrawal): WithdrawalReply {
  const { refusalCode, refusalDetail, reference, amount, notBrought } = withdrawal;
  if (refusalCode)
    throw new Refusal(refusalCode, { ...(refusalDetail === null ? {} : { detail: refusalDetail }), reference });
  if (isHoldUndecided(withdrawal)) throw busyRefusal('WITHDRAW_IN_PROGRESS');
  return { reference, amount, sweepFailures: notBrought ?? [] };
}

const toRefusal = ({ code, detail }: WithdrawRefusal): Refusal =>
  new Refusal(code, detail === undefined ? {} : { detail });
const busyRefusal = (detail: string): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail, retryAfterSeconds: RETRY_SECONDS });
