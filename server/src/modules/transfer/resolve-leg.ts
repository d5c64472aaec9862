import { pauseAfter, PROBE_SILENT_MS } from '../../settlement/schedule.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import type { ResolverKind } from '../../settlement/resolver.ts';
import { followProof } from './carry-out.ts';
import { bringForward, claimDue, lineOf, markManual, markUnknown, postpone, transferWork } from './queries.ts';
import { type Judgement, judgeBalance, judgeCheck, judgeSilence } from './resolution.ts';
import type { Leg } from './transfer.ts';
import { leaseMs, longestMs, type TransferWork } from './transfer-work.ts';

const BY = 'resolver';
/** Legs of one provider at the same moment, and of those that need no answer. */
const AT_ONCE = 4;

/** How the resolver finishes transfers: one line for each provider, and one for what needs no answer. */
export const transferKind = (work: TransferWork): ResolverKind<Leg> => ({
  name: 'resolve transfers',
  atOnce: AT_ONCE,
  lines: work.providers.size + 1,
  lineOf,
  claim: (limit, taken) => claimDue(work.database, limit, leaseMs(longestMs(work)), { ofEach: AT_ONCE, taken }),
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
async function resolveLeg(work: TransferWork, claimed: Leg): Promise<unknown> {
  const { proof, proofBy, proofBalance } = claimed;
  if (proof) return followProof(work, claimed, { proof, by: proofBy ?? BY, balance: proofBalance });
  let leg = claimed;
  if (leg.state === 'SENT') {
    if (!(await markUnknown(work.database, leg, 'the lease of its request expired', true))) return;
    leg = { ...leg, state: 'UNKNOWN' };
  }
  const judgement = leg.state === 'MANUAL' ? await askAgain(work, leg) : await ask(work, leg);
  await follow(work, leg, judgement);
  // The first answer after a silence: the others needn't wait through pauses that grew during it.
  if (leg.isSilent && !isSilent(judgement) && (await bringForward(work.database, leg.provider))) work.wakeResolver();
}

const isSilent = (judgement: Judgement): boolean => 'isSilent' in judgement && judgement.isSilent === true;

// A silence between two "not found" doesn't make the second come later.
const pauseOf = (leg: Leg, absent: boolean): number => pauseAfter(absent ? leg.absences + 1 : leg.asks);

// An operator asks once more. Where a transfer can't be queried the balance is no witness any longer: it was left to an
// operator because the member had played, or may have.
async function askAgain(work: TransferWork, leg: Leg): Promise<Judgement> {
  if (!work.providers.get(leg.provider)?.check)
    return { next: 'manual', note: 'this provider cannot be asked', seen: null };
  const judgement = await ask(work, leg);
  // One more absence is waited for; anything else that proves nothing is the operator's again.
  return judgement.next === 'wait' && !judgement.absent ? { ...judgement, next: 'manual' } : judgement;
}

async function ask(work: TransferWork, leg: Leg): Promise<Judgement> {
  const provider = work.providers.get(leg.provider);
  if (!provider) return judgeSilence(leg, 'the provider is not configured');
  const { username, direction, credits, providerReference } = leg;
  if (provider.check) {
    const movement = { username, direction, amount: credits, reference: providerReference };
    return judgeCheck(leg, await provider.check(movement), provider.timeoutMs);
  }
  return judgeBalance(leg, await provider.balance(username), provider.timeoutMs);
}

async function follow(work: TransferWork, leg: Leg, judgement: Judgement): Promise<unknown> {
  const { database, log } = work;
  switch (judgement.next) {
    case 'wait':
      return postpone(database, leg, {
        ...judgement,
        isSilent: isSilent(judgement),
        pauseMs: pauseOf(leg, judgement.absent),
        probeMs: PROBE_SILENT_MS,
      });
    case 'manual':
      if (await markManual(database, leg, judgement)) {
        log.error({ reference: leg.providerReference, why: judgement.note }, 'a transfer needs an operator');
      }
      return;
    case 'applied':
      return followProof(work, leg, { proof: 'APPLIED', by: BY, balance: judgement.balance });
    case 'refused':
      return followProof(work, leg, { proof: 'REFUSED', by: BY, balance: null });
  }
}
