import { monotonicMs } from '../../platform/clock.ts';
import { SEND_WITHIN_MS } from '../../settlement/schedule.ts';
import type { Credits, GameProvider, Moved, Outcome } from '../../counterparties/game/port.ts';
import { followProof, giveUp, leaveUnknown } from './finish-leg.ts';
import { holdMoney } from './leg-operations.ts';
import { markSent, saveProof } from './queries.ts';
import { type Leg, notReadable, reversalOf, type Witness, witnessOf } from './transfer.ts';
import { leaseMs, type TransferWork } from './transfer-work.ts';

const BY = 'member';

/**
 * Carries out a leg for the member who waits: hold, call, and what the answer proves. What stays open is the resolver's.
 * When another process has taken the leg meanwhile, this one changes nothing more.
 * @returns the leg as it ended; undefined when it is left to the resolver, or was taken
 */
export async function runLeg(work: TransferWork, leg: Leg): Promise<Leg | undefined> {
  const provider = work.providers.get(leg.provider);
  if (!provider) return giveUp(work, leg, reversal(false, 'PROVIDER_NOT_CONFIGURED'));
  let before: Witness | null = null;
  let cash: Credits | null = null;
  if (leg.direction === 'out') {
    const balance = await provider.balance(leg.username);
    if (balance.outcome !== 'done') return giveUp(work, leg, reversal(false, notReadable(balance)));
    before = witnessOf(balance.value);
    cash = balance.value.cash;
  }
  const held = await holdMoney(work.ledger, leg, BY, cash);
  if (held === 'insufficient')
    return giveUp(work, leg, { reversal: { code: 'MONEY_NOT_ENOUGH' }, holds: false, by: BY });
  // Another process has undone it: this one was too slow.
  if (held === 'resolved') return undefined;
  if (leg.direction === 'in' && !provider.check) {
    const balance = await provider.balance(leg.username);
    if (balance.outcome !== 'done') return giveUp(work, leg, reversal(true, notReadable(balance)));
    before = witnessOf(balance.value);
  }
  const sent: Leg = { ...leg, state: 'SENT' };
  const startedMs = monotonicMs();
  if (!(await markSent(work.database, leg, before, leaseMs(provider.timeoutMs)))) return undefined;
  return conclude(work, sent, await send(provider, sent, startedMs + SEND_WITHIN_MS));
}

// A process that was asleep must not send what others may have given up meanwhile.
async function send(provider: GameProvider, leg: Leg, latestMs: number): Promise<Outcome<Moved>> {
  if (monotonicMs() > latestMs) return { outcome: 'refused', reason: 'unreachable', note: 'too late to send' };
  const { username, direction, credits, providerReference } = leg;
  return provider.move({ username, direction, amount: credits, reference: providerReference });
}

async function conclude(work: TransferWork, leg: Leg, outcome: Outcome<Moved>): Promise<Leg | undefined> {
  if (outcome.outcome === 'unknown') {
    await leaveUnknown(work, leg, outcome.note, false);
    work.wakeResolver();
    return undefined;
  }
  const isApplied = outcome.outcome === 'done';
  const balance = isApplied ? outcome.value.balance : null;
  const proof = isApplied ? 'APPLIED' : 'REFUSED';
  const why = isApplied ? null : reversalOf(leg.direction, outcome.reason);
  if (!(await saveProof(work.database, leg, { proof, balance, reversal: why, by: BY }))) {
    work.log.error({ reference: leg.providerReference, proof }, 'a transfer ended after it was taken over');
    return undefined;
  }
  return followProof(work, { ...leg, proof, proofBalance: balance }, BY);
}

const reversal = (holds: boolean, detail: string) => ({
  reversal: { code: 'TRANSFER_FAIL', detail } as const,
  holds,
  by: BY as typeof BY,
});
