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
  /** Unvalidated. */
  amount: unknown;
  /** Sweeps what the wallet lacks from the games first. */
  isAll: boolean;
  idempotencyKey: string | undefined;
};
export type WithdrawalReply = { reference: string; amount: bigint; notBrought: SweepFailure[] };

const REFERENCE_CHARACTERS = 13;
const RETRY_SECONDS = 5;
/** Attempts to open a withdrawal: each checks that the member's conditions have not changed since they were read. */
const READS_MAX = 4;

/**
 * Validates a withdrawal, holds its money, and leaves the payout to the resolver. The same idempotency key with the
 * same input always replays the first reply, whatever the payout's outcome.
 * @throws {Refusal} NO_WALLET, NO_BANK, TRANSFER_MINIMUM (see `detail`), REQUEST_LIMIT (a transfer or withdrawal is
 *   pending), BONUS_CONDITION, REFUND_CONDITION, MONEY_NOT_ENOUGH, TRANSFER_FAIL (games with needed money can't be
 *   swept), KEY_INVALID (key used with another input)
 */
export async function requestWithdrawal(deps: WithdrawDeps, request: WithdrawRequest): Promise<WithdrawalReply> {
  const { member, amount, isAll, idempotencyKey: key } = request;
  // Only numbers are hashed: other values are refused before anything is stored, and may be deeply nested.
  const number = typeof amount === 'number' ? amount : null;
  const requestHash = hashRequest([isAll ? 'withdrawAll' : 'withdraw', number]);
  return runIdempotent<Withdrawal, WithdrawalReply>({
    key,
    requestHash,
    findsWhileOpening: true,
    find: async (used) => {
      const known = await findByKey(deps.database, member.id, used);
      return known && { row: known, requestHash: known.inputHash };
    },
    open: async () => {
      const row = await open(deps, request, requestHash);
      return row && { row, isNew: true };
    },
    execute: async (withdrawal) => {
      if (!isOpen(withdrawal)) return withdrawal;
      await sweepAndHold(deps, withdrawal);
      return reload(deps, withdrawal);
    },
    isReplyReady: (withdrawal) => !isOpen(withdrawal),
    reload: (withdrawal) => reload(deps, withdrawal),
    toReply,
    busyError: () => busyError('WITHDRAW_IN_PROGRESS'),
  });
}

/**
 * Sweeps what the wallet lacks from the games and holds the amount. If that is not enough, closes the withdrawal with a
 * refusal, and swept money stays in the wallet. Idempotent: the resolver repeats it after a crash.
 */
export async function sweepAndHold(deps: WithdrawDeps, withdrawal: Withdrawal): Promise<void> {
  const { memberId: id, currency, reference, amount } = withdrawal;
  const notBrought = await deps.transfer.sweepMissing({ id, currency }, { command: reference, target: amount });
  const { outcome } = await retryOnRowLock(() =>
    deps.ledger.postCommand(holdWithdrawalCommand(withdrawal, notBrought)),
  );
  switch (outcome) {
    case 'applied':
    case 'insufficient_funds':
    case 'lease_lost':
    case 'row_locked':
      // Whatever the outcome, the resolver continues.
      return deps.wakeResolver();
    default:
      return assertNever(outcome);
  }
}

/**
 * Validates the request, then commits the withdrawal with the hold of its money. Grants with conditions use the same
 * member lock: either the grant sees this row, or the lock's version has changed and the conditions are read again.
 * @returns undefined when the key was used concurrently
 */
async function open(deps: WithdrawDeps, request: WithdrawRequest, inputHash: Buffer): Promise<Withdrawal | undefined> {
  const { isAll, idempotencyKey } = request;
  for (let read = 0; read < READS_MAX; read += 1) {
    const validated = await validate(deps, request);
    if (!validated) continue;
    const id = uuidV7(deps.clock.now());
    const withdrawal: Withdrawal = { ...NEW, ...validated.fields, id, inputHash, isHeld: !isAll };
    // Without a lease the resolver may send it immediately.
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
        return reload(deps, withdrawal);
      case 'key_taken':
        return undefined;
      case 'wallet_suspended':
        throw noWallet();
      case 'withdrawal_open':
      case 'row_locked':
        throw busyError('WITHDRAW_IN_PROGRESS');
      case 'stale_conditions':
        // Reads the member's conditions again.
        break;
      default:
        return assertNever(outcome);
    }
  }
  throw busyError('WITHDRAW_IN_PROGRESS');
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

/** Every check before the row, in the order of refusals. Undefined: the member's conditions changed, validate again. */
async function validate(deps: WithdrawDeps, { member, amount, isAll }: WithdrawRequest) {
  const holder = await readHolder(deps.database, member.id);
  if (holder.suspended) throw noWallet();
  const paidFrom = deps.payout.accountOf(member.currency);
  if (!holder.bankAccount) throw new Refusal('NO_BANK');
  if (paidFrom === undefined) throw new Refusal('NO_BANK', { detail: 'NO_PAYOUT_ACCOUNT' });
  const limits = (await deps.operatorData()).setting('withdraw')[member.currency];
  const parsed = parseWithdrawAmount(amount, member.currency, limits);
  if (typeof parsed === 'string') throw new Refusal('TRANSFER_MINIMUM', { detail: parsed });
  if (holder.isTransferring) throw busyError('TRANSFER_IN_PROGRESS');
  if (holder.isPending) throw busyError('WITHDRAW_IN_PROGRESS');
  const cooldown = renameCooldown(holder.nameExchangedAt, deps.clock.now());
  if (cooldown) throw refused(cooldown);
  const { version, hasConditions } = holder.gate;
  if (hasConditions) {
    const why = await deps.incentive.withdrawCondition(member);
    if (why) throw refused(why);
    return undefined;
  }
  if (version === null) {
    await deps.incentive.openGate(member.id);
    return undefined;
  }
  const fields = {
    memberId: member.id,
    currency: member.currency,
    isAll,
    amount: parsed,
    reference: `W${newReference(REFERENCE_CHARACTERS)}`,
    ...holder.bankAccount,
    paidFrom,
  };
  return { fields, version };
}

async function reload(deps: WithdrawDeps, { id }: Withdrawal): Promise<Withdrawal> {
  const found = await findById(deps.database, id);
  if (!found) throw new Error(`the withdrawal ${id} is gone`);
  return found;
}

/** Whether holding the money is still undecided. */
const isOpen = ({ isHeld, state }: Withdrawal): boolean => !isHeld && !isClosed(state);

function toReply(withdrawal: Withdrawal): WithdrawalReply {
  const { refusalCode, refusalDetail, reference, amount, notBrought } = withdrawal;
  if (refusalCode) throw new Refusal(refusalCode, refusalDetail === null ? {} : { detail: refusalDetail });
  if (isOpen(withdrawal)) throw busyError('WITHDRAW_IN_PROGRESS');
  return { reference, amount, notBrought: notBrought ?? [] };
}

const refused = ({ code, detail }: WithdrawRefusal): Refusal =>
  new Refusal(code, detail === undefined ? {} : { detail });
const busyError = (detail: string): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail, retryAfterSeconds: RETRY_SECONDS });
