import { pauseAfter, PROBE_SILENT_MS } from '../../settlement/schedule.ts';
import type { ResolverKind } from '../../settlement/resolver.ts';
import { followProof, giveUp, leaveUnknown } from './finish-leg.ts';
import { bringForward, claimDue, lineOf, markManual, postpone, saveProof } from './queries.ts';
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
  log: work.log,
  failure: 'a transfer could not be resolved',
  subject: ({ providerReference }) => ({ reference: providerReference }),
});

/**
 * Brings a leg that its request has left behind one step further. A call that never went out is given up; one that went
 * out is asked about; what is proven is followed. Never sends anything itself.
 */
async function resolveLeg(work: TransferWork, claimed: Leg): Promise<unknown> {
  if (claimed.proof) return followProof(work, claimed, BY);
  if (claimed.state === 'HELD') {
    return giveUp(work, claimed, { reversal: { code: 'TRANSFER_FAIL', detail: 'INTERRUPTED' }, holds: true, by: BY });
  }
  let leg = claimed;
  if (leg.state === 'SENT') {
    if (!(await leaveUnknown(work, leg, 'the sender is gone', true))) return;
    leg = { ...leg, state: 'UNKNOWN' };
  }
  const judgement = leg.state === 'MANUAL' ? await askAgain(work, leg) : await ask(work, leg);
  await follow(work, leg, judgement);
  // The first answer after a silence: the others needn't wait through pauses that grew while nobody was there.
  if (leg.isSilent && !isSilent(judgement) && (await bringForward(work.database, leg.provider))) work.wakeResolver();
}

const isSilent = (judgement: Judgement): boolean => 'isSilent' in judgement && judgement.isSilent === true;

// A silence between two "not found" doesn't make the second come later.
const pauseOf = (leg: Leg, absent: boolean): number => pauseAfter(absent ? leg.absences + 1 : leg.asks);

// An operator wants to hear it once more. Where nobody can be asked the balance is no witness any longer: whoever left it
// to a person knew that the member had played, or may have.
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

async function follow(work: TransferWork, leg: Leg, judgement: Judgement): Promise<void> {
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
    case 'refused': {
      const proof = judgement.next === 'applied' ? 'APPLIED' : 'REFUSED';
      const balance = judgement.next === 'applied' ? judgement.balance : null;
      const reversal = judgement.next === 'applied' ? null : ({ code: 'TRANSFER_FAIL' } as const);
      if (await saveProof(database, leg, { proof, balance, reversal, by: BY })) {
        await followProof(work, { ...leg, proof, proofBalance: balance }, BY);
      }
    }
  }
}
