import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { PayoutSendResult, PayoutInquiry } from '../../adapters/payout.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import { assertNever } from '../../platform/errors.ts';
import { backoffMs, SEND_WITHIN_MS, provesNotApplied, isInquiryExpired } from '../../platform/jobs/resolver.ts';
import { monotonicMs } from '../../platform/time.ts';
import { closeWithdrawalCommand, type PayoutClosing } from './commands.ts';
import {
  type ClaimedWithdrawal,
  markAccepted,
  markManual,
  markResent,
  markUnknown,
  postpone,
  scheduleNow,
} from './queries.ts';
import { sweepAndHold } from './request-withdrawal.ts';
import { payoutOrder, type Withdrawal, callLeaseMs, type WithdrawDeps, type PayoutProof } from './withdraw.ts';

/**
 * Advances a claimed withdrawal: applies an operator's decision, holds the money, sends the payout, or inquires about
 * it.
 * @param claimed `sendUntilMs`: deadline for sending, in monotonic time
 */
export async function resolveWithdrawal(
  deps: WithdrawDeps,
  claimed: ClaimedWithdrawal & { sendUntilMs: number },
): Promise<void> {
  const { isToSend, sendUntilMs, ...claimedWithdrawal } = claimed;
  if (claimedWithdrawal.proof) {
    const { proof, proofBy } = claimedWithdrawal;
    return closeWithdrawal(deps, claimedWithdrawal, {
      proof,
      actor: proofBy ?? 'resolver',
      reason: null,
      note: null,
      transRef: null,
    });
  }
  if (!claimedWithdrawal.isHeld) return sweepAndHold(deps, claimedWithdrawal);
  if (isToSend) return sendPayout(deps, claimedWithdrawal, sendUntilMs);
  let withdrawal: Withdrawal = claimedWithdrawal;
  if (withdrawal.state === 'SENT') {
    if (!(await markUnknown(deps.database, withdrawal, 'the sender is gone', true))) return;
    withdrawal = { ...withdrawal, state: 'UNKNOWN', inquiries: 1 };
  }
  const { payout } = deps;
  const verdict = verdictFromInquiry(withdrawal, await payout.inquire(payoutOrder(withdrawal)), payout.timeoutMs);
  await applyVerdict(deps, withdrawal, verdict);
}

// The row is updated right before the call. After the deadline nothing is sent, because another process may own the
// row.
async function resendPayout(deps: WithdrawDeps, withdrawal: Withdrawal): Promise<void> {
  const untilMs = monotonicMs() + SEND_WITHIN_MS;
  if (await markResent(deps.database, withdrawal, callLeaseMs(deps))) await sendPayout(deps, withdrawal, untilMs);
}

async function sendPayout(deps: WithdrawDeps, withdrawal: Withdrawal, untilMs: number): Promise<void> {
  const outcome: PayoutSendResult =
    monotonicMs() > untilMs
      ? { outcome: 'unknown', note: 'too late to send' }
      : await deps.payout.send(payoutOrder(withdrawal));
  switch (outcome.outcome) {
    case 'accepted':
      await markAccepted(deps.database, withdrawal, backoffMs(1));
      // A callback may have arrived before this update, so the next inquiry may be due already.
      return deps.wakeResolver();
    case 'refused': {
      const { reason, note } = outcome;
      return closeWithdrawal(deps, withdrawal, { proof: 'FAILED', actor: 'resolver', reason, note, transRef: null });
    }
    case 'unknown':
      if (withdrawal.state === 'UNKNOWN') {
        await postpone(deps.database, withdrawal, {
          isAbsent: false,
          isSilent: true,
          note: outcome.note,
          pauseMs: backoffMs(withdrawal.inquiries),
        });
      } else if (await markUnknown(deps.database, withdrawal, outcome.note, false)) {
        deps.wakeResolver();
      }
  }
}

async function applyVerdict(deps: WithdrawDeps, withdrawal: Withdrawal, verdict: PayoutVerdict): Promise<void> {
  const { database, log } = deps;
  switch (verdict.next) {
    case 'proof':
      return closeWithdrawal(deps, withdrawal, { ...verdict, actor: 'resolver' });
    case 'accepted':
      await markAccepted(database, withdrawal, backoffMs(1));
      return;
    case 'send':
      if ((await deps.readOperatorData()).isStopped('withdrawals.send')) {
        const pauseMs = backoffMs(withdrawal.inquiries);
        await postpone(database, withdrawal, { isAbsent: false, isSilent: false, note: 'sending is stopped', pauseMs });
        return;
      }
      log.warn({ reference: withdrawal.reference }, 'payout absent at the bank, sent again');
      return resendPayout(deps, withdrawal);
    case 'wait':
      await postpone(database, withdrawal, { ...verdict, pauseMs: backoffMs(withdrawal.inquiries) });
      return;
    case 'manual':
      if (await markManual(database, withdrawal, verdict.note)) {
        log.error({ reference: withdrawal.reference, reason: verdict.note }, 'payout needs a decision');
      }
  }
}

/** Records the proof and moves the money in one commit. Idempotent. */
async function closeWithdrawal(deps: WithdrawDeps, withdrawal: Withdrawal, closing: PayoutClosing): Promise<void> {
  const { reference } = withdrawal;
  const { proof, note, reason } = closing;
  const { outcome } = await retryOnRowLock(() => deps.ledger.postCommand(closeWithdrawalCommand(withdrawal, closing)));
  switch (outcome) {
    case 'applied':
      if (proof === 'FAILED') deps.log.warn({ reference, note, reason }, 'payout failed, money returned');
      return;
    case 'closed_differently':
      return logOppositeOutcome(deps.log, reference, proof);
    case 'books_refused':
      throw new Error(`the ledger refused the money of ${reference}, which is ${proof}`);
    case 'lease_lost':
      // An operator may have taken the payout over: the bank's outcome goes first.
      await scheduleNow(deps.database, reference);
      return deps.wakeResolver();
    case 'replayed':
    case 'row_locked':
      return;
    default:
      return assertNever(outcome);
  }
}

/** Reports that the bank contradicts the outcome of a closed payout: money moved twice, or not at all. */
export const logOppositeOutcome = (log: WithdrawDeps['log'], reference: string, proof: PayoutProof): void =>
  log.error({ reference, proof }, 'withdrawal already has the opposite outcome');

/** Next action of the resolver for a payout. */
export type PayoutVerdict =
  | { next: 'proof'; proof: PayoutProof; reason: WithdrawReason | null; note: string | null; transRef: string | null }
  /** UNKNOWN → ACCEPTED. */
  | { next: 'accepted' }
  /**
   * The bank never received the payout. It is sent again with the same reference, which the bank executes at most once.
   */
  | { next: 'send' }
  /** Inquire later. `isAbsent`: the reply counts towards proof that the bank never received the payout. */
  | { next: 'wait'; isAbsent: boolean; isSilent: boolean; note: string }
  | { next: 'manual'; note: string };

type InquiredPayout = Pick<Withdrawal, 'state' | 'absences' | 'sentAgoMs' | 'firstSentAgoMs'>;

/**
 * Verdict from an inquiry by reference. "No such payout" may mean that the call is still in flight: it counts only if
 * repeated, and later than twice the bank's timeout. Even then the payout has not failed: it is sent again.
 */
export function verdictFromInquiry(payout: InquiredPayout, inquiry: PayoutInquiry, timeoutMs: number): PayoutVerdict {
  switch (inquiry.status) {
    case 'PAID':
      return { next: 'proof', proof: 'PAID', reason: null, note: null, transRef: inquiry.transRef };
    case 'FAILED':
      return { next: 'proof', proof: 'FAILED', reason: inquiry.reason, note: inquiry.note, transRef: null };
    case 'ACCEPTED':
      if (payout.state === 'UNKNOWN') return { next: 'accepted' };
      return waitOrManual(payout, 'the bank works on it');
    case 'NOT_FOUND':
      return verdictFromAbsence(payout, timeoutMs);
    case 'UNKNOWN':
      return waitOrManual(payout, inquiry.note, true);
  }
}

function verdictFromAbsence(payout: InquiredPayout, timeoutMs: number): PayoutVerdict {
  // The bank had accepted the payout and now denies it, so only an operator can decide. MANUAL may have been either.
  if (payout.state === 'ACCEPTED') return waitOrManual(payout, 'the bank has lost a payout that it had accepted');
  if (payout.state === 'MANUAL') return waitOrManual(payout, 'the bank does not know it');
  const verdict = waitOrManual(payout, 'not found yet');
  if (verdict.next === 'manual') return verdict;
  if (provesNotApplied(payout, timeoutMs)) return { next: 'send' };
  return { next: 'wait', isAbsent: true, isSilent: false, note: 'not found yet' };
}

function waitOrManual({ state, firstSentAgoMs }: InquiredPayout, note: string, isSilent = false): PayoutVerdict {
  if (state !== 'MANUAL' && isInquiryExpired(firstSentAgoMs)) return { next: 'manual', note };
  return { next: 'wait', isAbsent: false, isSilent, note };
}
