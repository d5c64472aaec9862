import type { Credits, Moved, Outcome, ProviderBalance } from '../../adapters/game/port.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import { assertNever } from '../../platform/errors.ts';
import { SEND_WITHIN_MS } from '../../platform/jobs/resolver.ts';
import { monotonicMs } from '../../platform/time.ts';
import { type LegClosing, closeLegCommand } from './commands.ts';
import { markUnknown } from './queries.ts';
import {
  type Leg,
  type Reversal,
  reversalFor,
  type Transfer,
  balanceReading,
  legLeaseMs,
  type TransferDeps,
} from './transfer.ts';

/** Deadline for sending the provider's call, in monotonic time. Another process may own the leg afterwards. */
export const sendUntilMs = (startedMs: number): number => startedMs + SEND_WITHIN_MS;

const TRANSFER_FAILED: Reversal = { code: 'TRANSFER_FAIL' };

/**
 * Executes an opened transfer while the member waits: calls the provider and closes the leg, for each leg. After a
 * failure the resolver continues from the stored rows.
 * @returns the closed legs; undefined if they must be reloaded
 */
export async function executeTransfer(
  deps: TransferDeps,
  transfer: Transfer,
  [firstLeg, secondLeg]: readonly Leg[],
  untilMs: number,
): Promise<Leg[] | undefined> {
  if (!firstLeg) throw new Error('a transfer without legs');
  try {
    const isChanged = await isGameChanged(deps, transfer, secondLeg ? [firstLeg, secondLeg] : [firstLeg]);
    const firstRun = isChanged ? await refuseLeg(deps, firstLeg) : await runLeg(deps, firstLeg, secondLeg, untilMs);
    if (!firstRun || !secondLeg) return firstRun && [firstRun.closedLeg];
    if (!firstRun.secondLeg) return undefined;
    const secondRun = await runLeg(deps, firstRun.secondLeg.leg, undefined, firstRun.secondLeg.untilMs);
    return secondRun && [firstRun.closedLeg, secondRun.closedLeg];
  } catch (error) {
    deps.log.error({ err: error, reference: transfer.reference }, 'game transfer left to the resolver');
    return undefined;
  }
}

/**
 * Whether an operator stopped or changed a game while its balance was read. From the commit on, the reservations of the
 * game accounts keep its terms: an operator changes them only in maintenance, and this read sees that.
 */
async function isGameChanged(
  { game }: TransferDeps,
  { memberId, source, target }: Transfer,
  legs: readonly Leg[],
): Promise<boolean> {
  const accounts = await game.legAccounts(memberId, [source, target]);
  return legs.some(({ gameCode, creditsPerUnit, provider, username }) => {
    const current = accounts.find(({ code }) => code === gameCode);
    const isSameAccount = current?.account?.provider === provider && current.account.username === username;
    return !isSameAccount || current.inMaintenance || current.creditsPerUnit !== creditsPerUnit;
  });
}

/** Reverses a leg whose call was not sent. */
const refuseLeg = (deps: TransferDeps, leg: Leg): Promise<LegRun | undefined> =>
  closeLeg(deps, leg, {
    endState: 'REVERSED',
    actor: 'member',
    balance: null,
    isBalanceFinal: false,
    reversal: reversalFor(leg.direction, 'maintenance'),
  });

type LegRun = { closedLeg: Leg; secondLeg?: { leg: Leg; untilMs: number } };

/**
 * Sends a leg's call and closes the leg. @returns undefined if the resolver continues, or another process owns the leg
 */
async function runLeg(
  deps: TransferDeps,
  leg: Leg,
  second: Leg | undefined,
  untilMs: number,
): Promise<LegRun | undefined> {
  const outcome = await sendToProvider(deps, leg, untilMs);
  if (outcome.outcome === 'unknown') {
    await markUnknown(deps.database, leg, outcome.note, false);
    deps.wakeResolver();
    return undefined;
  }
  const isApplied = outcome.outcome === 'done';
  const balance = isApplied ? outcome.value.balance : null;
  return closeLeg(deps, leg, {
    endState: isApplied ? 'DONE' : 'REVERSED',
    actor: 'member',
    balance,
    isBalanceFinal: balance !== null,
    reversal: isApplied ? null : reversalFor(leg.direction, outcome.reason),
    ...(isApplied && second ? await prepareSecondLeg(deps, second) : {}),
  });
}

// Never sends after the deadline: another process may own the leg by then.
async function sendToProvider(deps: TransferDeps, leg: Leg, untilMs: number): Promise<Outcome<Moved>> {
  const provider = deps.providers.get(leg.provider);
  if (!provider || monotonicMs() > untilMs) {
    return { outcome: 'refused', reason: 'unreachable', note: 'too late to send' };
  }
  const { username, direction, credits, providerReference } = leg;
  return provider.move({ username, direction, amount: credits, reference: providerReference });
}

/**
 * Reads the balance that the second leg needs. Returns no second leg if its provider can't report the balance: the leg
 * then does not start.
 */
async function prepareSecondLeg(deps: TransferDeps, second: Leg): Promise<Pick<LegClosing, 'second'>> {
  const provider = deps.providers.get(second.provider);
  if (!provider) return {};
  const balance: Outcome<ProviderBalance> | null = provider.check ? null : await provider.balance(second.username);
  if (balance && balance.outcome !== 'done') return {};
  const balanceBefore = balance ? balanceReading(balance.value) : null;
  return { second: { leg: second, balanceBefore, leaseMs: legLeaseMs(provider.timeoutMs) } };
}

/** Closes a leg by a proof of an operator or of the resolver. */
export function applyProof(
  deps: TransferDeps,
  leg: Leg,
  { proof, by, balance }: { proof: 'APPLIED' | 'REFUSED'; by: string; balance: Credits | null },
): Promise<LegRun | undefined> {
  const isApplied = proof === 'APPLIED';
  // Not final: the member may have played since the transfer.
  const closing = { actor: by, balance, isBalanceFinal: false };
  return closeLeg(deps, leg, {
    ...closing,
    endState: isApplied ? 'DONE' : 'REVERSED',
    reversal: isApplied ? null : TRANSFER_FAILED,
  });
}

async function closeLeg(deps: TransferDeps, leg: Leg, closing: LegClosing): Promise<LegRun | undefined> {
  const { outcome, startedMs } = await retryOnRowLock(() => deps.ledger.postCommand(closeLegCommand(leg, closing)));
  const closedLeg = withClosing(leg, closing);
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return { closedLeg, ...startedSecondLeg(closing, startedMs) };
    case 'second_leg_refused':
    case 'replayed_second_leg_refused':
      return { closedLeg };
    case 'closed_differently':
    case 'lease_lost':
    case 'row_locked':
      deps.log.error(
        { reference: leg.providerReference, to: closing.endState, outcome },
        'late outcome of a game transfer',
      );
      return undefined;
    default:
      return assertNever(outcome);
  }
}

const withClosing = (leg: Leg, { endState, actor, reversal }: LegClosing): Leg => ({
  ...leg,
  state: endState,
  proof: endState === 'DONE' ? 'APPLIED' : 'REFUSED',
  proofBy: actor,
  code: leg.code ?? reversal?.code ?? null,
  detail: leg.detail ?? reversal?.detail ?? null,
});

function startedSecondLeg({ second }: LegClosing, startedMs: number): Pick<LegRun, 'secondLeg'> {
  if (!second) return {};
  const { leg, balanceBefore } = second;
  const startedLeg: Leg = {
    ...leg,
    state: 'SENT',
    balanceBefore: balanceBefore?.cashAndStakes ?? null,
    turnoverBefore: balanceBefore?.turnover ?? null,
  };
  return { secondLeg: { leg: startedLeg, untilMs: sendUntilMs(startedMs) } };
}
