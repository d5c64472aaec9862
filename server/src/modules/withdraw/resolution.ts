import { isAbsenceProof, isGivenUp } from '../../settlement/schedule.ts';
import type { PayoutInquiry } from '../../counterparties/payout/port.ts';
import type { Proof, Withdrawal } from './withdraw.ts';
import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';

/** What the resolver does next with a payout whose outcome isn't known. */
export type PayoutJudgement =
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
export function judgeInquiry(asked: Asked, inquiry: PayoutInquiry, timeoutMs: number): PayoutJudgement {
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

function judgeAbsence(asked: Asked, timeoutMs: number): PayoutJudgement {
  // It had it, and denies it now: only an operator can decide that.
  if (asked.state !== 'UNKNOWN') return waitOrGiveUp(asked, 'the bank has lost a payout that it had accepted');
  const given = waitOrGiveUp(asked, 'not found yet');
  if (given.next === 'manual') return given;
  if (isAbsenceProof(asked, timeoutMs)) return { next: 'send' };
  return { next: 'wait', absent: true, note: 'not found yet' };
}

function waitOrGiveUp({ state, firstSentAgoMs }: Asked, note: string): PayoutJudgement {
  if (state === 'MANUAL') return { next: 'wait', absent: false, note };
  return isGivenUp(firstSentAgoMs) ? { next: 'manual', note } : { next: 'wait', absent: false, note };
}
