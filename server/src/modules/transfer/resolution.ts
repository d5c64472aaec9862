import { type Credits, credits, type Moved, type Outcome, type ProviderBalance } from '../../providers/game/port.ts';
import type { Leg } from './transfer.ts';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const DOUBLINGS = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;
/** A call leaves this soon after its row says so, or not at all. */
export const SEND_WITHIN_MS = 1_000;
/** "There is no such transfer" must be heard this often. */
const ABSENCES_NEEDED = 2;
/** The resolver gives up after this long, and an operator decides. */
export const GIVE_UP_MS = DAY_MS;

/** Pause after the n-th question (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first question comes at once. */
export const pauseAfter = (asks: number): number =>
  asks <= DOUBLINGS ? 2 ** Math.max(asks, 1) * SECOND_MS : LONG_PAUSE_MS;

/** What the resolver does next with a leg whose outcome isn't known. */
export type Judgement =
  | { next: 'applied'; balance: Credits | null }
  | { next: 'refused' }
  /** Ask again later; `absent` counts towards a proven no. */
  | { next: 'wait'; absent: boolean; note: string }
  | { next: 'manual'; note: string };

type Asked = Pick<Leg, 'absences' | 'sentAgoMs' | 'direction' | 'credits' | 'balanceBefore'>;

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
 * absence, anything else means that the member played meanwhile, and a person must look.
 */
export function judgeBalance(leg: Asked, answer: Outcome<ProviderBalance>, timeoutMs: number): Judgement {
  if (answer.outcome !== 'done') return waitOrGiveUp(leg, answer.note);
  const { balanceBefore } = leg;
  if (balanceBefore === null) return { next: 'manual', note: 'the balance before is not known' };
  const { cash, outstanding } = answer.value;
  const change = cash + outstanding - balanceBefore;
  const expected = leg.direction === 'in' ? leg.credits : 0n - leg.credits;
  if (change === expected) return { next: 'applied', balance: cash };
  if (change === 0n) return judgeAbsence(leg, timeoutMs);
  const note = `the balance changed by ${change}, expected ${expected}`;
  return isSettled(leg, timeoutMs) ? { next: 'manual', note } : { next: 'wait', absent: false, note };
}

/** Cash and open stakes together: opening a round doesn't change it. */
export const wholeBalance = ({ cash, outstanding }: ProviderBalance): Credits => credits(cash + outstanding);

function judgeAbsence(leg: Asked, timeoutMs: number): Judgement {
  if (isSettled(leg, timeoutMs) && leg.absences + 1 >= ABSENCES_NEEDED) return { next: 'refused' };
  return { next: 'wait', absent: true, note: 'not found yet' };
}

/** After this long a call that was given up isn't carried out any more: twice the timeout, from when it left at the latest. */
export const settledAfterMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;

const isSettled = ({ sentAgoMs }: Asked, timeoutMs: number): boolean => (sentAgoMs ?? 0) > settledAfterMs(timeoutMs);

function waitOrGiveUp(leg: Asked, note: string): Judgement {
  return (leg.sentAgoMs ?? 0) > GIVE_UP_MS ? { next: 'manual', note } : { next: 'wait', absent: false, note };
}
