import { withdrawTransitions } from '@krapao/contract/states';
import { monotonicMs } from '../../platform/clock.ts';
import { pauseAfter, SEND_WITHIN_MS } from '../../settlement/schedule.ts';
import type { SendOutcome } from '../../counterparties/payout/port.ts';
import { assertTransition } from '../../settlement/transition.ts';
import { giveMoneyBack, settleMoney } from './money.ts';
import { prepareWithdrawal } from './prepare-withdrawal.ts';
import { markAccepted, markFinished, markManual, markSent, markUnknown, postpone, saveProof } from './queries.ts';
import { judgeInquiry, type PayoutJudgement } from './resolution.ts';
import { orderOf, type Proof, type Withdrawal } from './withdraw.ts';
import { callLeaseMs, type WithdrawWork } from './withdraw-work.ts';

/**
 * Brings a withdrawal that was claimed one step further: prepares what its request has left behind, sends what is held,
 * asks about what was sent, follows what is proven.
 */
export async function resolveWithdrawal(work: WithdrawWork, claimed: Withdrawal): Promise<void> {
  if (claimed.proof) return followProof(work, claimed, claimed.proof);
  if (!claimed.isHeld) return prepareWithdrawal(work, claimed);
  if (claimed.state === 'HELD') return send(work, claimed);
  let withdrawal = claimed;
  if (withdrawal.state === 'SENT') {
    if (!(await markUnknown(work.database, withdrawal, 'the sender is gone', true))) return;
    withdrawal = { ...withdrawal, state: 'UNKNOWN', asks: 1 };
  }
  const { payout } = work;
  const judgement = judgeInquiry(withdrawal, await payout.inquire(orderOf(withdrawal)), payout.timeoutMs);
  await follow(work, withdrawal, judgement);
}

// Right before the call the row says so. A process that was asleep in between doesn't send what others have taken over.
async function send(work: WithdrawWork, withdrawal: Withdrawal): Promise<void> {
  const startedMs = monotonicMs();
  if (!(await markSent(work.database, withdrawal, callLeaseMs(work)))) return;
  const sent: Withdrawal = {
    ...withdrawal,
    state: withdrawal.state === 'HELD' ? 'SENT' : withdrawal.state,
    absences: 0,
  };
  const isLate = monotonicMs() - startedMs > SEND_WITHIN_MS;
  const outcome: SendOutcome = isLate
    ? { outcome: 'unknown', note: 'too late to send' }
    : await work.payout.send(orderOf(withdrawal));
  switch (outcome.outcome) {
    case 'accepted':
      await markAccepted(work.database, sent, pauseAfter(1));
      // The bank may have called back before we knew: then the next question is due already.
      return work.wakeResolver();
    case 'refused': {
      const { reason, note } = outcome;
      return prove(work, sent, { next: 'proof', proof: 'FAILED', reason, note, transRef: null });
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
      return prove(work, withdrawal, judgement);
    case 'accepted':
      await markAccepted(database, withdrawal, pauseAfter(1));
      return;
    case 'send':
      log.warn({ reference: withdrawal.reference }, 'the bank never got a payout, which is sent again');
      return send(work, withdrawal);
    case 'wait':
      await postpone(database, withdrawal, { ...judgement, pauseMs: pauseAfter(withdrawal.asks) });
      return;
    case 'manual':
      if (await markManual(database, withdrawal, judgement.note)) {
        log.error({ reference: withdrawal.reference, why: judgement.note }, 'a payout needs an operator');
      }
  }
}

async function prove(
  work: WithdrawWork,
  withdrawal: Withdrawal,
  found: Extract<PayoutJudgement, { next: 'proof' }>,
): Promise<void> {
  if (!(await saveProof(work.database, withdrawal, found))) return;
  const { proof, note, reason } = found;
  if (proof === 'FAILED') work.log.warn({ reference: withdrawal.reference, note, reason }, 'a payout failed');
  await followProof(work, { ...withdrawal, proof, proofBy: 'resolver' }, proof);
}

/** The ledger follows a proof, then the row says so. Done again after a crash, each step finds itself done. */
async function followProof(work: WithdrawWork, withdrawal: Withdrawal, proof: Proof): Promise<void> {
  assertTransition(withdrawTransitions, withdrawal.state, proof);
  await (proof === 'PAID' ? settleMoney : giveMoneyBack)(work.ledger, withdrawal);
  await markFinished(work.database, withdrawal, proof);
}
