import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { retryOnRowLock } from '../../ledger/index.ts';
import { assertNever, Refusal } from '../../platform/errors.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { creditGrant, cancelBonusCommand } from './commands.ts';
import { refreshConditions, refreshLocked, postEndings } from './conditions.ts';
import { selectReclaimed } from './history-queries.ts';
import { type Condition, type MemberRef, isBonus, type Eligibility } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { isExpired, type MeasuredCondition, amountToTakeBack } from './progress.ts';
import { markClearing, selectGrant } from './queries.ts';

export type CancelResult = { takenBack: Minor; kept: Minor };

/**
 * Cancels the active bonus or promotion. Refreshes its progress, sweeps the money of all games to the wallet, and takes
 * back the remaining bonus and its winnings.
 * @throws NO_DATA (none is active, or it has just ended), BONUS_REMAINING (`detail` OPEN_BETS, GAMES_NOT_BROUGHT: money
 *   that can't be attributed yet), NO_WALLET, {CreditPending}
 */
export const cancelBonus = (deps: IncentiveDeps, member: MemberRef): Promise<CancelResult> =>
  clearCondition(deps, member, isBonus);

/**
 * Cancels any open condition of a member by the reference of its grant. For a grant without a deposit, only the amount
 * to take back is swept from the games. A replay returns the same `takenBack`.
 * @throws the errors of {@link cancelBonus}
 */
export async function cancelCondition(
  deps: IncentiveDeps,
  member: MemberRef,
  reference: string,
): Promise<CancelResult> {
  const findEarlier = async (): Promise<CancelResult | undefined> => {
    const takenBack = await selectReclaimed(deps.database, member.id, reference);
    return takenBack === undefined ? undefined : { takenBack, kept: await remainingBalance(deps, member.id) };
  };
  const earlier = await findEarlier();
  if (earlier) return earlier;
  try {
    return await clearCondition(deps, member, (condition) => condition.reference === reference);
  } catch (error) {
    // A concurrent call may have cancelled it since.
    const concurrent = error instanceof Refusal ? await findEarlier() : undefined;
    if (!concurrent) throw error;
    return concurrent;
  }
}

/** Takes back the remaining bonus of an expired condition of any kind. @throws the errors of {@link cancelBonus} */
export const cancelExpired = (deps: IncentiveDeps, { id, memberId, currency }: Condition): Promise<CancelResult> =>
  clearCondition(deps, { id: memberId, currency }, (condition) => condition.id === id);

async function clearCondition(
  deps: IncentiveDeps,
  member: MemberRef,
  isRequested: (condition: Condition) => boolean,
): Promise<CancelResult> {
  const { open: openConditions, eligibility } = await refreshConditions(deps, member);
  const measured = openConditions.find(({ condition }) => isRequested(condition));
  const requestedCondition = measured?.condition;
  if (!requestedCondition || !eligibility) throw new Refusal('NO_DATA');
  if (requestedCondition.state === 'CLEARING') return takeBack(deps, requestedCondition);
  if (requestedCondition.state === 'OPENING') await creditOpenGrant(deps, requestedCondition);
  if (eligibility.outstanding > 0n) throw bonusRemaining('OPEN_BETS');
  await sweepNeededMoney(deps, member, { measured, eligibility });
  await deps.game.refresh(member);
  const { condition, followed: refreshed } = await deps.withMemberLock(member.id, async (tx) => {
    const latest = await refreshLocked(deps, tx, member.id);
    const activeCondition = latest.open.find((measuredCondition) => isRequested(measuredCondition.condition));
    if (activeCondition?.condition.state !== 'ACTIVE' || !isMoneyInWallet(activeCondition, latest.eligibility))
      return { condition: activeCondition?.condition, followed: latest };
    const takesBack = amountToTakeBack(activeCondition, latest.eligibility.free);
    return {
      condition: await markClearing(tx, activeCondition.condition.id, takesBack, activeCondition.current),
      followed: latest,
    };
  });
  await postEndings(deps, refreshed.ended);
  if (!condition) throw new Refusal('NO_DATA');
  if (condition.state !== 'CLEARING')
    throw bonusRemaining(refreshed.eligibility.outstanding > 0n ? 'OPEN_BETS' : 'GAMES_NOT_BROUGHT');
  return takeBack(deps, condition);
}

/**
 * Posts the amount to take back. The condition stays active if the money was moved into a game concurrently.
 * @throws BONUS_REMAINING
 */
export async function takeBack(deps: IncentiveDeps, condition: Condition): Promise<CancelResult> {
  const endState = isExpired(condition, deps.clock.now()) ? 'EXPIRED' : 'CANCELLED';
  const { outcome } = await retryOnRowLock(() => deps.ledger.postCommand(cancelBonusCommand(condition, endState)));
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return { takenBack: condition.takesBack ?? ZERO, kept: await remainingBalance(deps, condition.memberId) };
    case 'insufficient_funds':
      throw bonusRemaining('GAMES_NOT_BROUGHT');
    case 'lease_lost':
    case 'row_locked':
      throw new Error(`${condition.reference} was not cleared: ${outcome}`);
    default:
      return assertNever(outcome);
  }
}

const remainingBalance = async ({ ledger }: IncentiveDeps, memberId: string): Promise<Minor> =>
  minor((await ledger.balances(memberId)).reduce((total, { posted }) => total + posted, 0n));

/**
 * Whether the money needed for cancelling is in the wallet: all money for a grant on a deposit, otherwise the amount to
 * take back.
 */
function isMoneyInWallet(
  measuredCondition: MeasuredCondition,
  { outstanding, isCertain, inGames, free }: Eligibility,
): boolean {
  if (outstanding > 0n || !isCertain) return false;
  return isBonus(measuredCondition.condition)
    ? inGames === ZERO
    : amountToTakeBack(measuredCondition, minor(free + inGames)) <= free;
}

async function sweepNeededMoney(
  deps: IncentiveDeps,
  member: MemberRef,
  { measured, eligibility: { free, inGames } }: { measured: MeasuredCondition; eligibility: Eligibility },
): Promise<void> {
  const command = `clear ${uuidV7(deps.clock.now())}`;
  if (isBonus(measured.condition)) await deps.transfer.sweepToWallet(member, command);
  else await deps.transfer.sweepMissing(member, { command, target: amountToTakeBack(measured, minor(free + inGames)) });
}

async function creditOpenGrant(deps: IncentiveDeps, { id }: Condition): Promise<void> {
  const grant = await selectGrant(deps.database, id);
  if (grant) await creditGrant(deps, grant);
}

const bonusRemaining = (detail: string): Refusal => new Refusal('BONUS_REMAINING', { detail });
