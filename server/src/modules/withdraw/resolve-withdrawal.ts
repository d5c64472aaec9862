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
 * Takes a withdrawal that was claimed one step further: prepares what its request has left behind, sends what is held,
 * asks about what was sent, follows what an operator has decided.
 * @param sendUntilMs until when, in monotonic time, the call of one that is to be sent may go out
 */
export async function resolveWithdrawal(
  work: WithdrawDeps,
  { isToSend, sendUntilMs, ...claimed }: ClaimedWithdrawal & { sendUntilMs: number },
): Promise<void> {
  if (claimed.proof) {
    const { proof, proofBy } = claimed;
    return close(work, claimed, { proof, by: proofBy ?? 'resolver', reason: null, note: null, transRef: null });
  }
  if (!claimed.isHeld) return sweepAndHold(work, claimed);
  if (isToSend) return send(work, claimed, sendUntilMs);
  let withdrawal: Withdrawal = claimed;
  if (withdrawal.state === 'SENT') {
    if (!(await markUnknown(work.database, withdrawal, 'the sender is gone', true))) return;
    withdrawal = { ...withdrawal, state: 'UNKNOWN', asks: 1 };
  }
  const { payout } = work;
  const judgement = verdictFromInquiry(withdrawal, await payout.inquire(payoutOrder(withdrawal)), payout.timeoutMs);
  await follow(work, withdrawal, judgement);
}

// Right before the call the row says so. A process that was asleep in between doesn't send what others have taken over.
async function resend(work: WithdrawDeps, withdrawal: Withdrawal): Promise<void> {
  const untilMs = monotonicMs() + SEND_WITHIN_MS;
  if (await markResent(work.database, withdrawal, callLeaseMs(work))) await send(work, withdrawal, untilMs);
}

async function send(work: WithdrawDeps, sent: Withdrawal, untilMs: number): Promise<void> {
  const outcome: PayoutSendResult =
    monotonicMs() > untilMs
      ? { outcome: 'unknown', note: 'too late to send' }
      : await work.payout.send(payoutOrder(sent));
  switch (outcome.outcome) {
    case 'accepted':
      await markAccepted(work.database, sent, backoffMs(1));
      // The bank may have called back before we knew: then the next question is due already.
      return work.wakeResolver();
    case 'refused': {
      const { reason, note } = outcome;
      return close(work, sent, { proof: 'FAILED', by: 'resolver', reason, note, transRef: null });
    }
    case 'unknown':
      if (sent.state === 'UNKNOWN') {
        await postpone(work.database, sent, { absent: false, note: outcome.note, pauseMs: backoffMs(sent.asks) });
      } else if (await markUnknown(work.database, sent, outcome.note, false)) {
        work.wakeResolver();
      }
  }
}

async function follow(work: WithdrawDeps, withdrawal: Withdrawal, judgement: PayoutVerdict): Promise<void> {
  const { database, log } = work;
  switch (judgement.next) {
    case 'proof':
      return close(work, withdrawal, { ...judgement, by: 'resolver' });
    case 'accepted':
      await markAccepted(database, withdrawal, backoffMs(1));
      return;
    case 'send':
      log.warn({ reference: withdrawal.reference }, 'the bank never got a payout, which is sent again');
      return resend(work, withdrawal);
    case 'wait':
      await postpone(database, withdrawal, { ...judgement, pauseMs: backoffMs(withdrawal.asks) });
      return;
    case 'manual':
      if (await markManual(database, withdrawal, judgement.note)) {
        log.error({ reference: withdrawal.reference, why: judgement.note }, 'a payout needs an operator');
      }
  }
}

/** Records what is proven, and its money, in one commit. Safe to repeat. */
async function close(work: WithdrawDeps, withdrawal: Withdrawal, closing: PayoutClosing): Promise<void> {
  const { reference } = withdrawal;
  const { proof, note, reason } = closing;
  const { outcome } = await retryOnRowLock(() => work.ledger.postCommand(closeWithdrawalCommand(withdrawal, closing)));
  switch (outcome) {
    case 'applied':
      if (proof === 'FAILED') work.log.warn({ reference, note, reason }, 'a payout failed');
      return;
    case 'closed_differently':
      work.log.error({ reference, proof }, 'a withdrawal was closed with the other outcome before');
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

/** What the resolver does next with a payout whose outcome isn't known. */
export type PayoutVerdict =
  | { next: 'proof'; proof: Proof; reason: WithdrawReason | null; note: string | null; transRef: string | null }
  /** The bank has it now, and didn't before as far as we knew. */
  | { next: 'accepted' }
  /** The bank never got it: the same reference is sent again, which the bank does at most once. */
  | { next: 'send' }
  /** Ask again later; `absent` counts towards a proven no. */
  | { next: 'wait'; absent: boolean; note: string }
  | { next: 'manual'; note: string };

type Asked = Pick<Withdrawal, 'state' | 'absences' | 'sentAgoMs' | 'firstSentAgoMs'>;

/**
 * Judges what the bank says of our reference. A payout that isn't there may still be on its way: that counts only when it
 * was heard twice, and later than twice the bank's timeout. Even then it is never taken for a failure, but sent again.
 */
export function verdictFromInquiry(asked: Asked, inquiry: PayoutInquiry, timeoutMs: number): PayoutVerdict {
  switch (inquiry.status) {
    case 'PAID':
      return { next: 'proof', proof: 'PAID', reason: null, note: null, transRef: inquiry.transRef };
    case 'FAILED':
      return { next: 'proof', proof: 'FAILED', reason: inquiry.reason, note: inquiry.note, transRef: null };
    case 'ACCEPTED':
      if (asked.state === 'UNKNOWN') return { next: 'accepted' };
      return waitOrGiveUp(asked, 'the bank works on it');
    case 'NOT_FOUND':
      return judgeAbsence(asked, timeoutMs);
    case 'UNKNOWN':
      return waitOrGiveUp(asked, inquiry.note);
  }
}

function judgeAbsence(asked: Asked, timeoutMs: number): PayoutVerdict {
  // It had it, and denies it now: only an operator can decide that.
  if (asked.state !== 'UNKNOWN') return waitOrGiveUp(asked, 'the bank has lost a payout that it had accepted');
  const given = waitOrGiveUp(asked, 'not found yet');
  if (given.next === 'manual') return given;
  if (provesNotApplied(asked, timeoutMs)) return { next: 'send' };
  return { next: 'wait', absent: true, note: 'not found yet' };
}

function waitOrGiveUp({ state, firstSentAgoMs }: Asked, note: string): PayoutVerdict {
  if (state === 'MANUAL') return { next: 'wait', absent: false, note };
  return isInquiryExpired(firstSentAgoMs) ? { next: 'manual', note } : { next: 'wait', absent: false, note };
}
