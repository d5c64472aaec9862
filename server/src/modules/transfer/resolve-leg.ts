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
/** Concurrent legs per partition. */
const CONCURRENCY = 4;

/** Resolver of transfers: one partition per provider, and one for proven legs, which need no reply. */
export const transferResolver = (deps: TransferDeps): ResolverOptions<Leg> => ({
  name: 'resolve transfers',
  concurrency: CONCURRENCY,
  partitions: deps.providers.size + 1,
  partitionKey: partitionKey,
  claim: (limit, taken) =>
    claimDueLegs(deps.database, limit, legLeaseMs(longestTimeoutMs(deps)), { perPartition: CONCURRENCY, taken }),
  handle: (leg) => resolveLeg(deps, leg),
  failed: failedWork(deps.database, transferWork),
  keyOf: ({ providerReference }) => providerReference,
  log: deps.log,
  failureMessage: 'a transfer could not be resolved',
  logFields: ({ providerReference }) => ({ reference: providerReference }),
});

/** Applies a proof, or inquires about the outcome and applies the verdict. Never sends a movement. */
async function resolveLeg(deps: TransferDeps, claimed: Leg): Promise<unknown> {
  const { proof, proofBy, proofBalance } = claimed;
  if (proof) return applyProof(deps, claimed, { proof, by: proofBy ?? BY, balance: proofBalance });
  let leg = claimed;
  if (leg.state === 'SENT') {
    if (!(await markUnknown(deps.database, leg, 'the lease of its request expired', true))) return;
    leg = { ...leg, state: 'UNKNOWN' };
  }
  const verdict = leg.state === 'MANUAL' ? await inquireForOperator(deps, leg) : await inquire(deps, leg);
  await applyVerdict(deps, leg, verdict);
  // First reply after silence: the provider's other legs need not wait out their back-off.
  if (leg.isSilent && !isSilent(verdict) && (await retrySilentNow(deps.database, leg.provider))) deps.wakeResolver();
}

const isSilent = (verdict: InquiryVerdict): boolean => 'isSilent' in verdict && verdict.isSilent === true;

// Inquiries without a reply do not delay the second "not found".
const pauseMs = (leg: Leg, absent: boolean): number => backoffMs(absent ? leg.absences + 1 : leg.asks);

// On an operator's request. The balance proves nothing here: the leg is MANUAL because the member played or may have.
async function inquireForOperator(deps: TransferDeps, leg: Leg): Promise<InquiryVerdict> {
  if (!deps.providers.get(leg.provider)?.check)
    return { next: 'manual', note: 'this provider cannot be asked', seen: null };
  const verdict = await inquire(deps, leg);
  // Waits for a second absence; any other inconclusive reply goes back to the operator.
  return verdict.next === 'wait' && !verdict.absent ? { ...verdict, next: 'manual' } : verdict;
}

async function inquire(deps: TransferDeps, leg: Leg): Promise<InquiryVerdict> {
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
        pauseMs: pauseMs(leg, verdict.absent),
        probeMs: SILENT_PROBE_MS,
      });
    case 'manual':
      if (await markManual(database, leg, verdict)) {
        log.error({ reference: leg.providerReference, why: verdict.note }, 'a transfer needs an operator');
      }
      return;
    case 'applied':
      return applyProof(deps, leg, { proof: 'APPLIED', by: BY, balance: verdict.balance });
    case 'refused':
      return applyProof(deps, leg, { proof: 'REFUSED', by: BY, balance: null });
  }
}

/** What the resolver does next with an unknown outcome. `seen`: last balance reading, for the operator. */
export type InquiryVerdict =
  | { next: 'applied'; balance: Credits | null }
  | { next: 'refused' }
  /** Inquire later; `absent` counts towards a proven refusal. */
  | { next: 'wait'; absent: boolean; note: string; seen: BalanceReading | null; isSilent?: true }
  | { next: 'manual'; note: string; seen: BalanceReading | null; isSilent?: true };

type Inquired = Pick<Leg, 'absences' | 'sentAgoMs' | 'direction' | 'credits' | 'balanceBefore' | 'turnoverBefore'>;

/**
 * Verdict from an inquiry by reference. "No such transfer" may mean that the call is still in flight: it is proof only
 * when repeated, and later than twice the provider's timeout. "No such player" proves nothing: the player exists.
 */
export function verdictFromInquiry(leg: Inquired, reply: Outcome<Moved>, timeoutMs: number): InquiryVerdict {
  if (reply.outcome === 'done') return { next: 'applied', balance: reply.value.balance };
  if (reply.outcome === 'refused' && reply.reason === 'no-transfer') return verdictFromAbsence(leg, timeoutMs, null);
  return verdictFromSilence(leg, reply.note);
}

/**
 * Verdict from the balance, where a transfer can't be queried. Play can change it by the very amount, so it is proof
 * only if the provider reports that no round was settled since: then the exact amount proves the transfer, and no
 * change counts as absence. Any other change goes to an operator.
 */
export function verdictFromBalance(leg: Inquired, reply: Outcome<ProviderBalance>, timeoutMs: number): InquiryVerdict {
  if (reply.outcome !== 'done') return verdictFromSilence(leg, reply.note);
  const { balanceBefore } = leg;
  const seen = balanceReading(reply.value);
  if (balanceBefore === null) return { next: 'manual', note: 'the balance before is not known', seen };
  const change = seen.whole - balanceBefore;
  const expected = leg.direction === 'in' ? leg.credits : 0n - leg.credits;
  const doubt = wasEmpty(leg) && change === expected ? undefined : doubtAboutPlay(leg, seen);
  if (doubt !== undefined) return waitOrManual(leg, timeoutMs, doubt, seen);
  if (change === expected) return { next: 'applied', balance: reply.value.cash };
  if (change === 0n) return verdictFromAbsence(leg, timeoutMs, seen);
  return waitOrManual(leg, timeoutMs, `the balance changed by ${change}, expected ${expected}`, seen);
}

// Nothing could be staked before: the balance came with the transfer.
const wasEmpty = ({ direction, balanceBefore }: Inquired): boolean => direction === 'in' && balanceBefore === 0n;

function doubtAboutPlay({ turnoverBefore }: Inquired, { turnover }: BalanceReading): string | undefined {
  if (turnoverBefore === null || turnover === null) return 'the provider does not tell whether rounds were settled';
  return turnover === turnoverBefore ? undefined : 'rounds were settled meanwhile';
}

// While the call may still be executed an operator could not decide either.
const waitOrManual = (leg: Inquired, timeoutMs: number, note: string, seen: BalanceReading): InquiryVerdict =>
  canNoLongerApply(leg, timeoutMs) ? { next: 'manual', note, seen } : { next: 'wait', absent: false, note, seen };

function verdictFromAbsence(leg: Inquired, timeoutMs: number, seen: BalanceReading | null): InquiryVerdict {
  if (provesNotApplied(leg, timeoutMs)) return { next: 'refused' };
  return { next: 'wait', absent: true, note: 'not found yet', seen };
}

/** Verdict without a reply: after {@link isInquiryExpired} an operator decides. */
export function verdictFromSilence(leg: Pick<Inquired, 'sentAgoMs'>, note: string): InquiryVerdict {
  return isInquiryExpired(leg.sentAgoMs)
    ? { next: 'manual', note, seen: null, isSilent: true }
    : { next: 'wait', absent: false, note, seen: null, isSilent: true };
}
