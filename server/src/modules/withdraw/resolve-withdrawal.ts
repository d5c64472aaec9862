import { monotonicMs } from '../../platform/time.ts';
import { backoffMs, SEND_WITHIN_MS, provesNotApplied, isInquiryExpired } from '../../platform/jobs/resolver.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import type { PayoutSendResult, PayoutInquiry } from '../../adapters/payout.ts';
import { type ClaimedWithdrawal, markAccepted, markManual, markResent, markUnknown, postpone } from './queries.ts';
import { sweepAndHold } from './request-withdrawal.ts';
import { closeWithdrawalCommand, type PayoutClosing } from './commands.ts';
import { payoutOrder, type Withdrawal, callLeaseMs, type WithdrawDeps, type Proof } from './withdraw.ts';
import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import { assertNever } from '../../platform/errors.ts';

/**
 * Advances a claimed withdrawal: applies an operator's decision, holds the money, sends the payout, or inquires about
 * it.
 * @param claimed `sendUntilMs`: deadline for sending, in monotonic time
 */
export async function resolveWithdrawal(
  deps: WithdrawDeps,
  claimed: ClaimedWithdrawal & { sendUntilMs: number },
): Promise<void> {
  const { isToSend, sendUntilMs, ...row } = claimed;
  if (row.proof) {
    const { proof, proofBy } = row;
    return close(deps, row, { proof, by: proofBy ?? 'resolver', reason: null, note: null, transRef: null });
  }
  if (!row.isHeld) return sweepAndHold(deps, row);
  if (isToSend) return sendPayout(deps, row, sendUntilMs);
  let withdrawal: Withdrawal = row;
  if (withdrawal.state === 'SENT') {
    if (!(await markUnknown(deps.database, withdrawal, 'the sender is gone', true))) return;
    withdrawal = { ...withdrawal, state: 'UNKNOWN', asks: 1 };
  }
  const { payout } = deps;
  const verdict = verdictFromInquiry(withdrawal, await payout.inquire(payoutOrder(withdrawal)), payout.timeoutMs);
  await applyVerdict(deps, withdrawal, verdict);
}

// The row is updated right before the call; after the deadline another process may own it, and nothing is sent.
async function resend(deps: WithdrawDeps, withdrawal: Withdrawal): Promise<void> {
  const untilMs = monotonicMs() + SEND_WITHIN_MS;
  if (await markResent(deps.database, withdrawal, callLeaseMs(deps))) await sendPayout(deps, withdrawal, untilMs);
}

async function sendPayout(deps: WithdrawDeps, sent: Withdrawal, untilMs: number): Promise<void> {
  const outcome: PayoutSendResult =
    monotonicMs() > untilMs
      ? { outcome: 'unknown', note: 'too late to send' }
      : await deps.payout.send(payoutOrder(sent));
  switch (outcome.outcome) {
    case 'accepted':
      await markAccepted(deps.database, sent, backoffMs(1));
      // A callback may have arrived before this update: then the next inquiry is already due.
      return deps.wakeResolver();
    case 'refused': {
      const { reason, note } = outcome;
      return close(deps, sent, { proof: 'FAILED', by: 'resolver', reason, note, transRef: null });
    }
    case 'unknown':
      if (sent.state === 'UNKNOWN') {
        await postpone(deps.database, sent, { absent: false, note: outcome.note, pauseMs: backoffMs(sent.asks) });
      } else if (await markUnknown(deps.database, sent, outcome.note, false)) {
        deps.wakeResolver();
      }
  }
}

async function applyVerdict(deps: WithdrawDeps, withdrawal: Withdrawal, verdict: PayoutVerdict): Promise<void> {
  const { database, log } = deps;
  switch (verdict.next) {
    case 'proof':
      return close(deps, withdrawal, { ...verdict, by: 'resolver' });
    case 'accepted':
      await markAccepted(database, withdrawal, backoffMs(1));
      return;
    case 'send':
      log.warn({ reference: withdrawal.reference }, 'the bank never got a payout, which is sent again');
      return resend(deps, withdrawal);
    case 'wait':
      await postpone(database, withdrawal, { ...verdict, pauseMs: backoffMs(withdrawal.asks) });
      return;
    case 'manual':
      if (await markManual(database, withdrawal, verdict.note)) {
        log.error({ reference: withdrawal.reference, why: verdict.note }, 'a payout needs an operator');
      }
  }
}

/** Records the proof and moves the money in one commit. Idempotent. */
async function close(deps: WithdrawDeps, withdrawal: Withdrawal, closing: PayoutClosing): Promise<void> {
  const { reference } = withdrawal;
  const { proof, note, reason } = closing;
  const { outcome } = await retryOnRowLock(() => deps.ledger.postCommand(closeWithdrawalCommand(withdrawal, closing)));
  switch (outcome) {
    case 'applied':
      if (proof === 'FAILED') deps.log.warn({ reference, note, reason }, 'a payout failed');
      return;
    case 'closed_differently':
      deps.log.error({ reference, proof }, 'a withdrawal was closed with the other outcome before');
      return;
    case 'books_refused':
      throw new Error(`the ledger refused the money of ${reference}, which is ${proof}`);
    case 'replayed':
    case 'lease_lost':
    case 'row_locked':
      return;
    default:
      return assertNever(outcome);
  }
}

/** What the resolver does next with a payout. */
export type PayoutVerdict =
  | { next: 'proof'; proof: Proof; reason: WithdrawReason | null; note: string | null; transRef: string | null }
  /** UNKNOWN → ACCEPTED. */
  | { next: 'accepted' }
  /** The bank never received it: sent again under the same reference, which the bank executes at most once. */
  | { next: 'send' }
  /** Inquire later; `absent` counts towards proof that the bank never received it. */
  | { next: 'wait'; absent: boolean; note: string }
  | { next: 'manual'; note: string };

type Inquired = Pick<Withdrawal, 'state' | 'absences' | 'sentAgoMs' | 'firstSentAgoMs'>;

/**
 * Verdict from an inquiry by reference. "No such payout" may mean that the call is still in flight: it counts only when
 * repeated, and later than twice the bank's timeout. Even then the payout has not failed: it is sent again.
 */
export function verdictFromInquiry(payout: Inquired, inquiry: PayoutInquiry, timeoutMs: number): PayoutVerdict {
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
      return waitOrManual(payout, inquiry.note);
  }
}

function verdictFromAbsence(payout: Inquired, timeoutMs: number): PayoutVerdict {
  // The bank had accepted it and now denies it: only an operator can decide.
  if (payout.state !== 'UNKNOWN') return waitOrManual(payout, 'the bank has lost a payout that it had accepted');
  const verdict = waitOrManual(payout, 'not found yet');
  if (verdict.next === 'manual') return verdict;
  if (provesNotApplied(payout, timeoutMs)) return { next: 'send' };
  return { next: 'wait', absent: true, note: 'not found yet' };
}

function waitOrManual({ state, firstSentAgoMs }: Inquired, note: string): PayoutVerdict {
  if (state === 'MANUAL') return { next: 'wait', absent: false, note };
  return isInquiryExpired(firstSentAgoMs) ? { next: 'manual', note } : { next: 'wait', absent: false, note };
}
