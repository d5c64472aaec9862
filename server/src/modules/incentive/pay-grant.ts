import { retryLocked } from '../../settlement/step.ts';
import { Refusal } from '../../platform/refusal.ts';
import { Unavailable } from '../../platform/unavailable.ts';
import type { Condition, Grant } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { endStep, payStep } from './steps.ts';

const RETRY_SECONDS = 5;

/** It is given, but could not be posted, or its posting not stored: a job finishes it. */
export class Uncredited extends Unavailable {
  override readonly name = 'Uncredited';
  readonly grant: Grant;

  constructor(grant: Grant, cause: unknown) {
    super(`the grant ${grant.reference} is not credited yet`, { retryAfterSeconds: RETRY_SECONDS, cause });
    this.grant = grant;
  }
}

/** The refusal for a member whose money is granted but not yet in the wallet; other errors stay unchanged. */
export const notConfirmed = (error: unknown): unknown =>
  error instanceof Uncredited
    ? new Refusal('INTERNAL_SERVER_ERROR', {
        detail: 'CREDIT_NOT_CONFIRMED',
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      })
    : error;

/** Credits a grant. Safe to repeat. @throws {Uncredited} */
export async function payGrant({ ledger }: Pick<IncentiveWork, 'ledger'>, grant: Grant): Promise<Grant> {
  try {
    const { letter } = await retryLocked(() => ledger.postStep(payStep(grant)));
    if (!isDone(letter)) throw new Error(`a grant was not credited: ${letter}`);
  } catch (error) {
    throw new Uncredited(grant, error);
  }
  return { ...grant, state: 'PAID' };
}

/** Tells in the ledger that a condition has ended by itself. Safe to repeat. */
export async function tellEnding({ ledger }: Pick<IncentiveWork, 'ledger'>, condition: Condition): Promise<void> {
  const { letter } = await retryLocked(() => ledger.postStep(endStep(condition)));
  if (!isDone(letter)) throw new Error(`the end of ${condition.reference} was not posted: ${letter}`);
}

const isDone = (letter: string): boolean => letter === 'o' || letter === 'D';
