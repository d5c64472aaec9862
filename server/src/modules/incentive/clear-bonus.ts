import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { uuidV7 } from '../../platform/ids.ts';
import { assertNever, Refusal } from '../../platform/errors.ts';
import { retryOnRowLock } from '../../ledger/index.ts';
import { refreshConditions, refreshLocked, postEndings } from './conditions.ts';
import { type Condition, type MemberRef, isBonus, type Eligibility } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { creditGrant, cancelBonusCommand } from './commands.ts';
import { isExpired, type MeasuredCondition, amountToTakeBack } from './progress.ts';
import { selectReclaimed } from './history-queries.ts';
import { markClearing, selectGrant } from './queries.ts';

export type CancelResult = { takenBack: Minor; kept: Minor };

/**
 * Cancels the open bonus or promotion: checks its progress, sweeps the money of all games to the wallet, and takes back
 * the rest of the bonus and its winnings.
 * @throws NO_DATA (none is open, or it has just ended), BONUS_REMAINING (`detail` OPEN_BETS, GAMES_NOT_BROUGHT: there
 *   is money that can't be attributed yet), NO_WALLET, {CreditPending}
 */
export const cancelBonus = (work: IncentiveDeps, member: MemberRef): Promise<CancelResult> =>
  clear(work, member, isBonus);

/**
 * Cancels any open condition of a member, identified by the reference of its grant. Without a deposit behind it, only the
 * amount to take back is swept from the games. A replay returns the same `takenBack`.
 * @throws the same as `clearBonus`
 */
export async function cancelCondition(
  work: IncentiveDeps,
  member: MemberRef,
  reference: string,
): Promise<CancelResult> {
  const takenBack = await selectReclaimed(work.database, member.id, reference);
  if (takenBack !== undefined) return { takenBack, kept: await remainingBalance(work, member.id) };
  return clear(work, member, (condition) => condition.reference === reference);
}

/** Takes back what is left of a condition whose time is over, whatever its kind. Throws what `clearBonus` does. */
export const cancelExpired = (work: IncentiveDeps, { id, memberId, currency }: Condition): Promise<CancelResult> =>
  clear(work, { id: memberId, currency }, (condition) => condition.id === id);

async function clear(
  work: IncentiveDeps,
  member: MemberRef,
  isMeant: (condition: Condition) => boolean,
): Promise<CancelResult> {
  const { open, picture } = await refreshConditions(work, member);
  const measured = open.find(({ condition }) => isMeant(condition));
  const found = measured?.condition;
  if (!found || !picture) throw new Refusal('NO_DATA');
  if (found.state === 'CLEARING') return takeBack(work, found);
  if (found.state === 'OPENING') await payLeftBehind(work, found);
  if (picture.outstanding > 0n) throw remaining('OPEN_BETS');
  await sweepNeeded(work, member, { measured, picture });
  await work.game.refresh(member);
  const { condition, followed } = await work.underGate(member.id, async (tx) => {
    const now = await refreshLocked(work, tx, member.id);
    const active = now.open.find((one) => isMeant(one.condition));
    if (active?.condition.state !== 'ACTIVE' || !isHome(active, now.picture))
      return { condition: active?.condition, followed: now };
    const takesBack = amountToTakeBack(active, now.picture.free);
    return { condition: await markClearing(tx, active.condition.id, takesBack, active.current), followed: now };
  });
  await postEndings(work, followed.ended);
  if (!condition) throw new Refusal('NO_DATA');
  if (condition.state !== 'CLEARING')
    throw remaining(followed.picture.outstanding > 0n ? 'OPEN_BETS' : 'GAMES_NOT_BROUGHT');
  return takeBack(work, condition);
}

/**
 * Posts the amount to take back. The condition stays active if the money was moved into a game concurrently.
 * @throws BONUS_REMAINING
 */
export async function takeBack(work: IncentiveDeps, condition: Condition): Promise<CancelResult> {
  const to = isExpired(condition, work.clock.now()) ? 'EXPIRED' : 'CANCELLED';
  const { outcome } = await retryOnRowLock(() => work.ledger.postCommand(cancelBonusCommand(condition, to)));
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return { takenBack: condition.takesBack ?? ZERO, kept: await remainingBalance(work, condition.memberId) };
    case 'insufficient_funds':
      throw remaining('GAMES_NOT_BROUGHT');
    case 'lease_lost':
    case 'row_locked':
      throw new Error(`${condition.reference} was not cleared: ${outcome}`);
    default:
      return assertNever(outcome);
  }
}

const remainingBalance = async ({ ledger }: IncentiveDeps, memberId: string): Promise<Minor> =>
  minor((await ledger.balances(memberId)).reduce((sum, { posted }) => sum + posted, 0n));

/** Whether the needed money is in the wallet: all for a grant on a deposit, else the amount to take back. */
function isHome(measured: MeasuredCondition, { outstanding, isCertain, inGames, free }: Eligibility): boolean {
  if (outstanding > 0n || !isCertain) return false;
  return isBonus(measured.condition) ? inGames === ZERO : amountToTakeBack(measured, minor(free + inGames)) <= free;
}

async function sweepNeeded(
  work: IncentiveDeps,
  member: MemberRef,
  { measured, picture: { free, inGames } }: { measured: MeasuredCondition; picture: Eligibility },
): Promise<void> {
  const command = `clear ${uuidV7(work.clock.now())}`;
  if (isBonus(measured.condition)) await work.transfer.sweepToWallet(member, command);
  else await work.transfer.sweepMissing(member, { command, target: amountToTakeBack(measured, minor(free + inGames)) });
}

async function payLeftBehind(work: IncentiveDeps, { id }: Condition): Promise<void> {
  const grant = await selectGrant(work.database, id);
  if (grant) await creditGrant(work, grant);
}

const remaining = (detail: string): Refusal => new Refusal('BONUS_REMAINING', { detail });
