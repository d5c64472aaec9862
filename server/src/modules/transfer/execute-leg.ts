import { monotonicMs } from '../../platform/time.ts';
import { SEND_WITHIN_MS } from '../../platform/jobs/resolver.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import type { Credits, Moved, Outcome, ProviderBalance } from '../../adapters/game/port.ts';
import { markUnknown } from './queries.ts';
import { type LegClosing, closeLegCommand } from './commands.ts';
import {
  type Leg,
  type Reversal,
  reversalFor,
  type Transfer,
  balanceReading,
  legLeaseMs,
  type TransferDeps,
} from './transfer.ts';
import { assertNever } from '../../platform/errors.ts';

/** A call goes out within this long after the commit that announces it was sent to the database, or not at all. */
export const sendUntilMs = (startedMs: number): number => startedMs + SEND_WITHIN_MS;

const FAILED: Reversal = { code: 'TRANSFER_FAIL' };

/**
 * Carries out an opened transfer for the member who waits: call, what the answer proves, and the same for the second leg.
 * Whatever fails leaves rows that say how far it came, and the resolver goes on from there.
 * @returns the legs as they ended; undefined when they have to be read again
 */
export async function executeTransfer(
  work: TransferDeps,
  transfer: Transfer,
  [first, second]: readonly Leg[],
  untilMs: number,
): Promise<Leg[] | undefined> {
  if (!first) throw new Error('a transfer without legs');
  try {
    const after = await runLeg(work, first, second, untilMs);
    if (!after || !second) return after && [after.ended];
    if (!after.next) return undefined;
    const last = await runLeg(work, after.next.leg, undefined, after.next.untilMs);
    return last && [after.ended, last.ended];
  } catch (error) {
    work.log.error({ err: error, reference: transfer.reference }, 'a transfer was left to the resolver');
    return undefined;
  }
}

type Ran = { ended: Leg; next?: { leg: Leg; untilMs: number } };

/** Sends a leg's call and closes the leg. Undefined when it is left to the resolver, or another process took it. */
async function runLeg(
  work: TransferDeps,
  leg: Leg,
  second: Leg | undefined,
  untilMs: number,
): Promise<Ran | undefined> {
  const outcome = await send(work, leg, untilMs);
  if (outcome.outcome === 'unknown') {
    await markUnknown(work.database, leg, outcome.note, false);
    work.wakeResolver();
    return undefined;
  }
  const isApplied = outcome.outcome === 'done';
  const balance = isApplied ? outcome.value.balance : null;
  return close(work, leg, {
    to: isApplied ? 'DONE' : 'REVERSED',
    by: 'member',
    balance,
    isBalanceFinal: balance !== null,
    reversal: isApplied ? null : reversalFor(leg.direction, outcome.reason),
    ...(isApplied && second ? await goOn(work, second) : {}),
  });
}

// A process that was asleep must not send what others may have given up meanwhile.
async function send(work: TransferDeps, leg: Leg, untilMs: number): Promise<Outcome<Moved>> {
  const provider = work.providers.get(leg.provider);
  if (!provider || monotonicMs() > untilMs) {
    return { outcome: 'refused', reason: 'unreachable', note: 'too late to send' };
  }
  const { username, direction, credits, providerReference } = leg;
  return provider.move({ username, direction, amount: credits, reference: providerReference });
}

/** What the second leg begins with; nothing when it can't begin, because its provider can't be asked now. */
async function goOn(work: TransferDeps, second: Leg): Promise<Pick<LegClosing, 'second'>> {
  const provider = work.providers.get(second.provider);
  if (!provider) return {};
  const told: Outcome<ProviderBalance> | null = provider.check ? null : await provider.balance(second.username);
  if (told && told.outcome !== 'done') return {};
  const before = told ? balanceReading(told.value) : null;
  return { second: { leg: second, before, leaseMs: legLeaseMs(provider.timeoutMs) } };
}

/** Does what was proven of a leg: an operator's word, or the provider's to the resolver. */
export function applyProof(
  work: TransferDeps,
  leg: Leg,
  { proof, by, balance }: { proof: 'APPLIED' | 'REFUSED'; by: string; balance: Credits | null },
): Promise<Ran | undefined> {
  const isApplied = proof === 'APPLIED';
  // The balance right after the transfer: the member may have played since.
  const closing = { by, balance, isBalanceFinal: false };
  return close(work, leg, {
    ...closing,
    to: isApplied ? 'DONE' : 'REVERSED',
    reversal: isApplied ? null : FAILED,
  });
}

async function close(work: TransferDeps, leg: Leg, closing: LegClosing): Promise<Ran | undefined> {
  const { outcome, startedMs } = await retryOnRowLock(() => work.ledger.postCommand(closeLegCommand(leg, closing)));
  const ended = endOf(leg, closing);
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return { ended, ...beginningOf(closing, startedMs) };
    case 'second_leg_refused':
    case 'replayed_second_leg_refused':
      return { ended };
    case 'closed_differently':
    case 'lease_lost':
    case 'row_locked':
      work.log.error(
        { reference: leg.providerReference, to: closing.to, outcome },
        'a transfer ended after it was taken over',
      );
      return undefined;
    default:
      return assertNever(outcome);
  }
}

const endOf = (leg: Leg, { to, by, reversal }: LegClosing): Leg => ({
  ...leg,
  state: to,
  proof: to === 'DONE' ? 'APPLIED' : 'REFUSED',
  proofBy: by,
  code: leg.code ?? reversal?.code ?? null,
  detail: leg.detail ?? reversal?.detail ?? null,
});

function beginningOf({ second }: LegClosing, startedMs: number): Pick<Ran, 'next'> {
  if (!second) return {};
  const { leg, before } = second;
  const next: Leg = {
    ...leg,
    state: 'SENT',
    balanceBefore: before?.whole ?? null,
    turnoverBefore: before?.turnover ?? null,
  };
  return { next: { leg: next, untilMs: sendUntilMs(startedMs) } };
}
