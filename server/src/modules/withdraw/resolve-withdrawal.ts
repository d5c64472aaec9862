import { monotonicMs } from '../../platform/clock.ts';
import { pauseAfter, SEND_WITHIN_MS } from '../../settlement/schedule.ts';
import { retryLocked } from '../../settlement/step.ts';
import type { SendOutcome } from '../../counterparties/payout/port.ts';
import { type ClaimedWithdrawal, markAccepted, markManual, markResent, markUnknown, postpone } from './queries.ts';
import { holdSwept } from './request-withdraw.ts';
import { judgeInquiry, type PayoutJudgement } from './resolution.ts';
import { closeStep, type PayoutClosing } from './steps.ts';
import { orderOf, type Withdrawal } from './withdraw.ts';
import { callLeaseMs, type WithdrawWork } from './withdraw-work.ts';

/**
 * Takes a withdrawal that was claimed one step further: prepares what its request has left behind, sends what is held,
 * asks about what was sent, follows what an operator has decided.
 * @param sendUntilMs until when, in monotonic time, the call of one that is to be sent may go out
 */
export async function resolveWithdrawal(
  work: WithdrawWork,
  { isToSend, sendUntilMs, ...claimed }: ClaimedWithdrawal & { sendUntilMs: number },
): Promise<void> {
  if (claimed.proof) {
    const { proof, proofBy } = claimed;
    return close(work, claimed, { proof, by: proofBy ?? 'resolver', reason: null, note: null, transRef: null });
  }
  if (!claimed.isHeld) return holdSwept(work, claimed);
  if (isToSend) return send(work, claimed, sendUntilMs);
  let withdrawal: Withdrawal = claimed;
  if (withdrawal.state === 'SENT') {
    if (!(await markUnknown(work.database, withdrawal, 'the sender is gone', true))) return;
    withdrawal = { ...withdrawal, state: 'UNKNOWN', asks: 1 };
  }
  const { payout } = work;
  const judgement = judgeInquiry(withdrawal, await payout.inquire(orderOf(withdrawal)), payout.timeoutMs);
  await follow(work, withdrawal, judgement);
}

// Right before the call the row says so. A process that was asleep in between doesn't send what others have taken over.
async function resend(work: WithdrawWork, withdrawal: Withdrawal): Promise<void> {
  const untilMs = monotonicMs() + SEND_WITHIN_MS;
  if (await markResent(work.database, withdrawal, callLeaseMs(work))) await send(work, withdrawal, untilMs);
}

async function send(work: WithdrawWork, sent: Withdrawal, untilMs: number): Promise<void> {
  const outcome: SendOutcome =
    monotonicMs() > untilMs ? { outcome: 'unknown', note: 'too late to send' } : await work.payout.send(orderOf(sent));
  switch (outcome.outcome) {
    case 'accepted':
      await markAccepted(work.database, sent, pauseAfter(1));
      // The bank may have called back before we knew: then the next question is due already.
      return work.wakeResolver();
    case 'refused': {
      const { reason, note } = outcome;
      return close(work, sent, { proof: 'FAILED', by: 'resolver', reason, note, transRef: null });
    }
    case 'unknown':
      if (sent.state === 'UNKNOWN') {
        await postpone(work.database, sent, { absent: false, note: outcome.note, pauseMs: pauseAfter(sent.asks) });
      } else if (await markUnknown(work.database, sent, outcome.note, false)) {
        work.wakeResolver();
      }
  }
}

async function follow(work: WithdrawWork, withdrawal: Withdrawal, judgement: PayoutJudgement): Promise<void> {
  const { database, log } = work;
  switch (judgement.next) {
    case 'proof':
      return close(work, withdrawal, { ...judgement, by: 'resolver' });
    case 'accepted':
      await markAccepted(database, withdrawal, pauseAfter(1));
      return;
    case 'send':
      log.warn({ reference: withdrawal.reference }, 'the bank never got a payout, which is sent again');
      return resend(work, withdrawal);
    case 'wait':
      await postpone(database, withdrawal, { ...judgement, pauseMs: pauseAfter(withdrawal.asks) });
      return;
    case 'manual':
      if (await markManual(database, withdrawal, judgement.note)) {
        log.error({ reference: withdrawal.reference, why: judgement.note }, 'a payout needs an operator');
      }
  }
}

/** Records what is proven, and its money, in one commit. Safe to repeat. */
async function close(work: WithdrawWork, withdrawal: Withdrawal, closing: PayoutClosing): Promise<void> {
  const { reference } = withdrawal;
  const { proof, note, reason } = closing;
  const { letter } = await retryLocked(() => work.ledger.postStep(closeStep(withdrawal, closing)));
  if (letter === 'f') throw new Error(`the ledger refused the money of ${reference}, which is ${proof}`);
  if (letter === 'x') work.log.error({ reference, proof }, 'a withdrawal was closed with the other outcome before');
  if (letter === 'o' && proof === 'FAILED') work.log.warn({ reference, note, reason }, 'a payout failed');
}
