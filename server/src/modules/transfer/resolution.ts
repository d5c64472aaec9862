import type { Credits, Moved, Outcome, ProviderBalance } from '../../counterparties/game/port.ts';
import { isAbsenceProof, isGivenUp, isSettled } from '../../settlement/schedule.ts';
import { type Leg, type Witness, witnessOf } from './transfer.ts';

/** What the resolver does next with a leg whose outcome isn't known; `seen` for the operator, where it was looked at. */
export type Judgement =
  | { next: 'applied'; balance: Credits | null }
  | { next: 'refused' }
  /** Ask again later; `absent` counts towards a proven no. */
  | { next: 'wait'; absent: boolean; note: string; seen: Witness | null; isSilent?: true }
  | { next: 'manual'; note: string; seen: Witness | null; isSilent?: true };

type Asked = Pick<Leg, 'absences' | 'sentAgoMs' | 'direction' | 'credits' | 'balanceBefore' | 'turnoverBefore'>;

/**
 * Judges what the provider says of our reference. A transfer that isn't there may still be on its way: that counts only
 * when it was heard twice, and later than twice the provider's timeout. An unknown player proves nothing: a
 * provider that doesn't know the player of the transfer has looked in the wrong place.
 */
export function judgeCheck(leg: Asked, answer: Outcome<Moved>, timeoutMs: number): Judgement {
  if (answer.outcome === 'done') return { next: 'applied', balance: answer.value.balance };
  if (answer.outcome === 'refused' && answer.reason === 'no-transfer') return judgeAbsence(leg, timeoutMs, null);
  return judgeSilence(leg, answer.note);
}

/**
 * Judges by the balance, where a transfer can't be queried. A member who plays meanwhile can win or lose the very amount: so the
 * balance is a witness only when the provider tells that no round was settled, and then exactly the amount more or less is
 * proof, no change at all is absence. Anything else is for a person.
 */
export function judgeBalance(leg: Asked, answer: Outcome<ProviderBalance>, timeoutMs: number): Judgement {
  if (answer.outcome !== 'done') return judgeSilence(leg, answer.note);
  const { balanceBefore } = leg;
  const seen = witnessOf(answer.value);
  if (balanceBefore === null) return { next: 'manual', note: 'the balance before is not known', seen };
  const change = seen.whole - balanceBefore;
  const expected = leg.direction === 'in' ? leg.credits : 0n - leg.credits;
  const doubt = isFromNothing(leg) && change === expected ? undefined : doubtOf(leg, seen);
  if (doubt !== undefined) return waitOrPass(leg, timeoutMs, doubt, seen);
  if (change === expected) return { next: 'applied', balance: answer.value.cash };
  if (change === 0n) return judgeAbsence(leg, timeoutMs, seen);
  return waitOrPass(leg, timeoutMs, `the balance changed by ${change}, expected ${expected}`, seen);
}

// Nothing can be staked where nothing is: what is there now came with the transfer.
const isFromNothing = ({ direction, balanceBefore }: Asked): boolean => direction === 'in' && balanceBefore === 0n;

function doubtOf({ turnoverBefore }: Asked, { turnover }: Witness): string | undefined {
  if (turnoverBefore === null || turnover === null) return 'the provider does not tell whether rounds were settled';
  return turnover === turnoverBefore ? undefined : 'rounds were settled meanwhile';
}

// The call may still be carried out: a person gets it when that is over.
const waitOrPass = (leg: Asked, timeoutMs: number, note: string, seen: Witness): Judgement =>
  isSettled(leg, timeoutMs) ? { next: 'manual', note, seen } : { next: 'wait', absent: false, note, seen };

function judgeAbsence(leg: Asked, timeoutMs: number, seen: Witness | null): Judgement {
  if (isAbsenceProof(leg, timeoutMs)) return { next: 'refused' };
  return { next: 'wait', absent: true, note: 'not found yet', seen };
}

/** No answer: after a day an operator decides. */
export function judgeSilence(leg: Pick<Asked, 'sentAgoMs'>, note: string): Judgement {
  return isGivenUp(leg.sentAgoMs)
    ? { next: 'manual', note, seen: null, isSilent: true }
    : { next: 'wait', absent: false, note, seen: null, isSilent: true };
}
