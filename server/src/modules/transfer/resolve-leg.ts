import {
  backoffMs,
  SILENT_PROBE_MS,
  type ResolverOptions,
  provesNotApplied,
  isInquiryExpired,
  canNoLongerApply,
} from '../../platform/jobs/resolver.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { applyProof } from './execute-leg.ts';
import {
  retrySilentNow,
  claimDueLegs,
  partitionKey,
  markManual,
  markUnknown,
  postpone,
  transferWork,
} from './queries.ts';
import {
  type Leg,
  legLeaseMs,
  longestTimeoutMs,
  type TransferDeps,
  type BalanceReading,
  balanceReading,
} from './transfer.ts';
import type { Credits, Moved, Outcome, ProviderBalance } from '../../adapters/game/port.ts';

const BY = 'resolver';
/** Legs of one provider at the same moment, and of those that need no answer. */
const AT_ONCE = 4;

/** How the resolver finishes transfers: one line for each provider, and one for what needs no answer. */
export const transferResolver = (work: TransferDeps): ResolverOptions<Leg> => ({
  name: 'resolve transfers',
  atOnce: AT_ONCE,
  lines: work.providers.size + 1,
  lineOf: partitionKey,
  claim: (limit, taken) =>
    claimDueLegs(work.database, limit, legLeaseMs(longestTimeoutMs(work)), { ofEach: AT_ONCE, taken }),
  advance: (leg) => resolveLeg(work, leg),
  failed: failedWork(work.database, transferWork),
  keyOf: ({ providerReference }) => providerReference,
  log: work.log,
  failure: 'a transfer could not be resolved',
  subject: ({ providerReference }) => ({ reference: providerReference }),
});

/**
 * Brings a leg that its request has left behind one step further: its outcome is asked for, and what is proven is done. Never
 * sends anything itself.
 */
async function resolveLeg(work: TransferDeps, claimed: Leg): Promise<unknown> {
  const { proof, proofBy, proofBalance } = claimed;
  if (proof) return applyProof(work, claimed, { proof, by: proofBy ?? BY, balance: proofBalance });
  let leg = claimed;
  if (leg.state === 'SENT') {
    if (!(await markUnknown(work.database, leg, 'the lease of its request expired', true))) return;
    leg = { ...leg, state: 'UNKNOWN' };
  }
  const judgement = leg.state === 'MANUAL' ? await askAgain(work, leg) : await ask(work, leg);
  await follow(work, leg, judgement);
  // The first answer after a silence: the others needn't wait through pauses that grew during it.
  if (leg.isSilent && !isSilent(judgement) && (await retrySilentNow(work.database, leg.provider))) work.wakeResolver();
}

const isSilent = (judgement: InquiryVerdict): boolean => 'isSilent' in judgement && judgement.isSilent === true;

// A silence between two "not found" doesn't make the second come later.
const pauseOf = (leg: Leg, absent: boolean): number => backoffMs(absent ? leg.absences + 1 : leg.asks);

// An operator asks once more. Where a transfer can't be queried the balance is no witness any longer: it was left to an
// operator because the member had played, or may have.
async function askAgain(work: TransferDeps, leg: Leg): Promise<InquiryVerdict> {
  if (!work.providers.get(leg.provider)?.check)
    return { next: 'manual', note: 'this provider cannot be asked', seen: null };
  const judgement = await ask(work, leg);
  // One more absence is waited for; anything else that proves nothing is the operator's again.
  return judgement.next === 'wait' && !judgement.absent ? { ...judgement, next: 'manual' } : judgement;
}

async function ask(work: TransferDeps, leg: Leg): Promise<InquiryVerdict> {
  const provider = work.providers.get(leg.provider);
  if (!provider) return verdictFromSilence(leg, 'the provider is not configured');
  const { username, direction, credits, providerReference } = leg;
  if (provider.check) {
    const movement = { username, direction, amount: credits, reference: providerReference };
    return verdictFromInquiry(leg, await provider.check(movement), provider.timeoutMs);
  }
  return verdictFromBalance(leg, await provider.balance(username), provider.timeoutMs);
}

async function follow(work: TransferDeps, leg: Leg, judgement: InquiryVerdict): Promise<unknown> {
  const { database, log } = work;
  switch (judgement.next) {
    case 'wait':
      return postpone(database, leg, {
        ...judgement,
        isSilent: isSilent(judgement),
        pauseMs: pauseOf(leg, judgement.absent),
        probeMs: SILENT_PROBE_MS,
      });
    case 'manual':
      if (await markManual(database, leg, judgement)) {
        log.error({ reference: leg.providerReference, why: judgement.note }, 'a transfer needs an operator');
      }
      return;
    case 'applied':
      return applyProof(work, leg, { proof: 'APPLIED', by: BY, balance: judgement.balance });
    case 'refused':
      return applyProof(work, leg, { proof: 'REFUSED', by: BY, balance: null });
  }
}

/** What the resolver does next with a leg whose outcome isn't known; `seen` for the operator, where it was looked at. */
export type InquiryVerdict =
  | { next: 'applied'; balance: Credits | null }
  | { next: 'refused' }
  /** Ask again later; `absent` counts towards a proven no. */
  | { next: 'wait'; absent: boolean; note: string; seen: BalanceReading | null; isSilent?: true }
  | { next: 'manual'; note: string; seen: BalanceReading | null; isSilent?: true };

type Asked = Pick<Leg, 'absences' | 'sentAgoMs' | 'direction' | 'credits' | 'balanceBefore' | 'turnoverBefore'>;

/**
 * Judges what the provider says of our reference. A transfer that isn't there may still be on its way: that counts only
 * when it was heard twice, and later than twice the provider's timeout. An unknown player proves nothing: a
 * provider that doesn't know the player of the transfer has looked in the wrong place.
 */
export function verdictFromInquiry(leg: Asked, answer: Outcome<Moved>, timeoutMs: number): InquiryVerdict {
  if (answer.outcome === 'done') return { next: 'applied', balance: answer.value.balance };
  if (answer.outcome === 'refused' && answer.reason === 'no-transfer') return judgeAbsence(leg, timeoutMs, null);
  return verdictFromSilence(leg, answer.note);
}

/**
 * Judges by the balance, where a transfer can't be queried. A member who plays meanwhile can win or lose the very amount: so the
 * balance is a witness only when the provider tells that no round was settled, and then exactly the amount more or less is
 * proof, no change at all is absence. Anything else is for a person.
 */
export function verdictFromBalance(leg: Asked, answer: Outcome<ProviderBalance>, timeoutMs: number): InquiryVerdict {
  if (answer.outcome !== 'done') return verdictFromSilence(leg, answer.note);
  const { balanceBefore } = leg;
  const seen = balanceReading(answer.value);
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

function doubtOf({ turnoverBefore }: Asked, { turnover }: BalanceReading): string | undefined {
  if (turnoverBefore === null || turnover === null) return 'the provider does not tell whether rounds were settled';
  return turnover === turnoverBefore ? undefined : 'rounds were settled meanwhile';
}

// The call may still be carried out: a person gets it when that is over.
const waitOrPass = (leg: Asked, timeoutMs: number, note: string, seen: BalanceReading): InquiryVerdict =>
  canNoLongerApply(leg, timeoutMs) ? { next: 'manual', note, seen } : { next: 'wait', absent: false, note, seen };

function judgeAbsence(leg: Asked, timeoutMs: number, seen: BalanceReading | null): InquiryVerdict {
  if (provesNotApplied(leg, timeoutMs)) return { next: 'refused' };
  return { next: 'wait', absent: true, note: 'not found yet', seen };
}

/** No answer: after a day an operator decides. */
export function verdictFromSilence(leg: Pick<Asked, 'sentAgoMs'>, note: string): InquiryVerdict {
  return isInquiryExpired(leg.sentAgoMs)
    ? { next: 'manual', note, seen: null, isSilent: true }
    : { next: 'wait', absent: false, note, seen: null, isSilent: true };
}
