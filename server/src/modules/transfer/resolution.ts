import { type Credits, credits, type Moved, type Outcome, type ProviderBalance } from '../../providers/game/port.ts';
import { ABSENCES_NEEDED, GIVE_UP_MS, settledAfterMs } from '../../platform/resolver-schedule.ts';
import type { Leg } from './transfer.ts';

/** What the resolver does next with a leg whose outcome isn't known. */
export type Judgement =
  | { next: 'applied'; balance: Credits | null }
  | { next: 'refused' }
  /** Ask again later; `absent` counts towards a proven no. */
  | { next: 'wait'; absent: boolean; note: string }
  | { next: 'manual'; note: string };

type Asked = Pick<Leg, 'absences' | 'sentAgoMs' | 'direction' | 'credits' | 'balanceBefore' | 'turnoverBefore'>;

/**
 * Judges what the provider says of our reference. A transfer that isn't there may still be on its way: that counts only
 * when it was heard twice, and later than twice the provider's timeout.
 */
export function judgeCheck(leg: Asked, answer: Outcome<Moved>, timeoutMs: number): Judgement {
  if (answer.outcome === 'done') return { next: 'applied', balance: answer.value.balance };
  if (answer.outcome === 'refused' && answer.reason === 'absent') return judgeAbsence(leg, timeoutMs);
  return waitOrGiveUp(leg, answer.note);
}

/**
 * Judges by the balance, where nobody can be asked: exactly the amount more or less is proof, no change at all is
 * absence, anything else means that the member played meanwhile, and a person must look. So must they when the provider
 * tells that rounds were settled: what was won or lost may be the very amount.
 */
export function judgeBalance(leg: Asked, answer: Outcome<ProviderBalance>, timeoutMs: number): Judgement {
  if (answer.outcome !== 'done') return waitOrGiveUp(leg, answer.note);
  const { balanceBefore } = leg;
  if (balanceBefore === null) return { next: 'manual', note: 'the balance before is not known' };
  const { cash, outstanding, turnover } = answer.value;
  if (hasPlayed(leg, turnover)) return waitOrPass(leg, timeoutMs, 'rounds were settled meanwhile');
  const change = cash + outstanding - balanceBefore;
  const expected = leg.direction === 'in' ? leg.credits : 0n - leg.credits;
  if (change === expected) return { next: 'applied', balance: cash };
  if (change === 0n) return judgeAbsence(leg, timeoutMs);
  return waitOrPass(leg, timeoutMs, `the balance changed by ${change}, expected ${expected}`);
}

/** Cash and open stakes together: opening a round doesn't change it. */
export const wholeBalance = ({ cash, outstanding }: ProviderBalance): Credits => credits(cash + outstanding);

const hasPlayed = ({ turnoverBefore }: Asked, turnover: Credits | null): boolean =>
  turnoverBefore !== null && turnover !== null && turnover !== turnoverBefore;

// The call may still be carried out: a person gets it when that is over.
const waitOrPass = (leg: Asked, timeoutMs: number, note: string): Judgement =>
  isSettled(leg, timeoutMs) ? { next: 'manual', note } : { next: 'wait', absent: false, note };

function judgeAbsence(leg: Asked, timeoutMs: number): Judgement {
  if (isSettled(leg, timeoutMs) && leg.absences + 1 >= ABSENCES_NEEDED) return { next: 'refused' };
  return { next: 'wait', absent: true, note: 'not found yet' };
}

const isSettled = ({ sentAgoMs }: Asked, timeoutMs: number): boolean => (sentAgoMs ?? 0) > settledAfterMs(timeoutMs);

function waitOrGiveUp(leg: Asked, note: string): Judgement {
  return (leg.sentAgoMs ?? 0) > GIVE_UP_MS ? { next: 'manual', note } : { next: 'wait', absent: false, note };
}
