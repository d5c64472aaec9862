import type { Credits, Moved, Outcome, ProviderBalance } from '../../adapters/game/port.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import {
  backoffMs,
  SILENT_PROBE_MS,
  type ResolverOptions,
  provesNotApplied,
  isInquiryExpired,
  canNoLongerApply,
} from '../../platform/jobs/resolver.ts';
import { applyProof } from './execute-leg.ts';
import {
  retrySilentNow,
  claimDueLegs,
  partitionKey,
  markManual,
  markUnknown,
  postpone,
  transferLegWork,
} from './queries.ts';
import {
  type Leg,
  legLeaseMs,
  longestTimeoutMs,
  type TransferDeps,
  type BalanceReading,
  balanceReading,
} from './transfer.ts';

const RESOLVER_ACTOR = 'resolver';
const LEGS_PER_PARTITION = 4;

/** Resolver options of transfers: one partition per provider, and one for proven legs, which need no reply. */
export const transferResolver = (deps: TransferDeps): ResolverOptions<Leg> => ({
  name: 'resolve transfers',
  concurrency: LEGS_PER_PARTITION,
  claim: (share, inProgress) => claimDueLegs(deps.database, share, legLeaseMs(longestTimeoutMs(deps)), inProgress),
  partitionsOf: (leg) => [partitionKey(leg)],
  handle: (leg) => resolveLeg(deps, leg),
  failed: failedWork(deps.database, transferLegWork),
  keyOf: ({ providerReference }) => providerReference,
  log: deps.log,
  failureMessage: 'resolving a game transfer ended in an error',
  logFields: ({ providerReference }) => ({ reference: providerReference }),
});

/** Applies a proof, or inquires about the outcome and applies the verdict. Never sends a movement. */
async function resolveLeg(deps: TransferDeps, claimedLeg: Leg): Promise<unknown> {
  const { proof, proofBy, proofBalance } = claimedLeg;
  if (proof) return applyProof(deps, claimedLeg, { proof, by: proofBy ?? RESOLVER_ACTOR, balance: proofBalance });
  let leg = claimedLeg;
  if (leg.state === 'SENT') {
    if (!(await markUnknown(deps.database, leg, 'the lease of its request expired', true))) return;
    leg = { ...leg, state: 'UNKNOWN' };
  }
  const verdict = leg.state === 'MANUAL' ? await inquireForOperator(deps, leg) : await inquireAboutLeg(deps, leg);
  await applyVerdict(deps, leg, verdict);
  // The provider replies again, so its other legs are retried without back-off.
  if (leg.isSilent && !isSilent(verdict) && (await retrySilentNow(deps.database, leg.provider))) deps.wakeResolver();
}

const isSilent = (verdict: InquiryVerdict): boolean => 'isSilent' in verdict && verdict.isSilent === true;

// Inquiries without a reply do not delay the second "not found".
const pauseMs = (leg: Leg, isAbsent: boolean): number => backoffMs(isAbsent ? leg.absences + 1 : leg.inquiries);

// Inquiry requested by an operator. The balance proves nothing: the leg is MANUAL because the member played or may have
// played.
async function inquireForOperator(deps: TransferDeps, leg: Leg): Promise<InquiryVerdict> {
  if (!deps.providers.get(leg.provider)?.check)
    return { next: 'manual', note: 'this provider cannot be asked', reading: null };
  const verdict = await inquireAboutLeg(deps, leg);
  // Waits for a second absence. After any other inconclusive reply the operator decides.
  return verdict.next === 'wait' && !verdict.isAbsent ? { ...verdict, next: 'manual' } : verdict;
}

async function inquireAboutLeg(deps: TransferDeps, leg: Leg): Promise<InquiryVerdict> {
  const provider = deps.providers.get(leg.provider);
  if (!provider) return verdictFromSilence(leg, 'the provider is not configured');
  const { username, direction, credits, providerReference } = leg;
  if (provider.check) {
    const movement = { username, direction, amount: credits, reference: providerReference };
    return verdictFromInquiry(leg, await provider.check(movement), provider.timeoutMs);
  }
  return verdictFromBalance(leg, await provider.balance(username), provider.timeoutMs);
}

async function applyVerdict(deps: TransferDeps, leg: Leg, verdict: InquiryVerdict): Promise<unknown> {
  const { database, log } = deps;
  switch (verdict.next) {
    case 'wait':
      return postpone(database, leg, {
        ...verdict,
        isSilent: isSilent(verdict),
        pauseMs: pauseMs(leg, verdict.isAbsent),
        probeMs: SILENT_PROBE_MS,
      });
    case 'manual':
      if (await markManual(database, leg, verdict)) {
        log.error(
          { reference: leg.providerReference, reason: verdict.note },
          'game transfer without proof, operator decides',
        );
      }
      return;
    case 'applied':
      return applyProof(deps, leg, { proof: 'APPLIED', by: RESOLVER_ACTOR, balance: verdict.balance });
    case 'refused':
      return applyProof(deps, leg, { proof: 'REFUSED', by: RESOLVER_ACTOR, balance: null });
  }
}

/** Next action for a leg with an unknown outcome. `reading`: last balance reading, for the operator. */
export type InquiryVerdict =
  | { next: 'applied'; balance: Credits | null }
  | { next: 'refused' }
  /** Inquire later. `isAbsent`: the reply counts towards a proven refusal. */
  | { next: 'wait'; isAbsent: boolean; note: string; reading: BalanceReading | null; isSilent?: true }
  | { next: 'manual'; note: string; reading: BalanceReading | null; isSilent?: true };

type InquiredLeg = Pick<Leg, 'absences' | 'sentAgoMs' | 'direction' | 'credits' | 'balanceBefore' | 'turnoverBefore'>;

/**
 * Verdict from an inquiry by reference. "No such transfer" may mean that the call is still in flight: it is proof only
 * if repeated, and later than twice the provider's timeout. "No such player" proves nothing, because the player exists.
 */
export function verdictFromInquiry(leg: InquiredLeg, reply: Outcome<Moved>, timeoutMs: number): InquiryVerdict {
  if (reply.outcome === 'done') return { next: 'applied', balance: reply.value.balance };
  if (reply.outcome === 'refused' && reply.reason === 'no-transfer') return verdictFromAbsence(leg, timeoutMs, null);
  return verdictFromSilence(leg, reply.note);
}

/**
 * Verdict from the balance, if the provider has no inquiries. Play can change the balance by the same amount. The
 * balance is proof only if no round was settled since: the expected change then proves the transfer, and no change
 * counts as absence. Any other change goes to an operator.
 */
export function verdictFromBalance(
  leg: InquiredLeg,
  reply: Outcome<ProviderBalance>,
  timeoutMs: number,
): InquiryVerdict {
  if (reply.outcome !== 'done') return verdictFromSilence(leg, reply.note);
  const { balanceBefore } = leg;
  const reading = balanceReading(reply.value);
  if (balanceBefore === null) return { next: 'manual', note: 'the balance before is not known', reading };
  const balanceChange = reading.cashAndStakes - balanceBefore;
  const expectedChange = leg.direction === 'in' ? leg.credits : 0n - leg.credits;
  const doubtReason = wasEmpty(leg) && balanceChange === expectedChange ? undefined : playDoubtReason(leg, reading);
  if (doubtReason !== undefined) return waitOrManual(leg, timeoutMs, doubtReason, reading);
  if (balanceChange === expectedChange) return { next: 'applied', balance: reply.value.cash };
  if (balanceChange === 0n) return verdictFromAbsence(leg, timeoutMs, reading);
  return waitOrManual(leg, timeoutMs, `the balance changed by ${balanceChange}, expected ${expectedChange}`, reading);
}

// Whether the game was empty before: nothing could be staked before the transfer arrived.
const wasEmpty = ({ direction, balanceBefore }: InquiredLeg): boolean => direction === 'in' && balanceBefore === 0n;

function playDoubtReason({ turnoverBefore }: InquiredLeg, { turnover }: BalanceReading): string | undefined {
  if (turnoverBefore === null || turnover === null) return 'the provider does not tell whether rounds were settled';
  return turnover === turnoverBefore ? undefined : 'rounds were settled meanwhile';
}

// While the call may still be executed, an operator could not decide either.
const waitOrManual = (leg: InquiredLeg, timeoutMs: number, note: string, reading: BalanceReading): InquiryVerdict =>
  canNoLongerApply(leg, timeoutMs)
    ? { next: 'manual', note, reading }
    : { next: 'wait', isAbsent: false, note, reading };

function verdictFromAbsence(leg: InquiredLeg, timeoutMs: number, reading: BalanceReading | null): InquiryVerdict {
  if (provesNotApplied(leg, timeoutMs)) return { next: 'refused' };
  return { next: 'wait', isAbsent: true, note: 'not found yet', reading };
}

/** Verdict without a reply: after {@link isInquiryExpired} an operator decides. */
export function verdictFromSilence(leg: Pick<InquiredLeg, 'sentAgoMs'>, note: string): InquiryVerdict {
  return isInquiryExpired(leg.sentAgoMs)
    ? { next: 'manual', note, reading: null, isSilent: true }
    : { next: 'wait', isAbsent: false, note, reading: null, isSilent: true };
}
