import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { retryLocked } from '../../settlement/step.ts';
import { followConditions, followUnderGate, tellAll } from './follow-conditions.ts';
import { type Condition, type Holder, isBonus, type Standing } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { payGrant } from './pay-grant.ts';
import { isExpired, type Measured, takesBackOf } from './progress.ts';
import { selectTakenBack } from './history-queries.ts';
import { markClearing, selectGrant } from './queries.ts';
import { clearStep } from './steps.ts';

export type Cleared = { takenBack: Minor; kept: Minor };

/**
 * Cancels the open bonus or promotion: checks its progress, moves the money of all games to the wallet, and takes back
 * what is left of the bonus and its winnings.
 * @throws NO_DATA (none is open, or it has just ended by itself), BONUS_REMAINING (`detail` OPEN_BETS,
 * GAMES_NOT_BROUGHT: there is money that can't be attributed yet), NO_WALLET, {Uncredited}
 */
export const clearBonus = (work: IncentiveWork, member: Holder): Promise<Cleared> => clear(work, member, isBonus);

/**
 * Cancels any open condition of a member, identified by the reference of its grant. Without a deposit behind it, only the
 * amount to take back is swept from the games. A replay returns the same `takenBack`.
 * @throws the same as `clearBonus`
 */
export async function cancelCondition(work: IncentiveWork, member: Holder, reference: string): Promise<Cleared> {
  const takenBack = await selectTakenBack(work.database, member.id, reference);
  if (takenBack !== undefined) return { takenBack, kept: await remainingBalance(work, member.id) };
  return clear(work, member, (condition) => condition.reference === reference);
}

/** Takes back what is left of a condition whose time is over, whatever its kind. Throws what `clearBonus` does. */
export const clearExpired = (work: IncentiveWork, { id, memberId, currency }: Condition): Promise<Cleared> =>
  clear(work, { id: memberId, currency }, (condition) => condition.id === id);

async function clear(
  work: IncentiveWork,
  member: Holder,
  isMeant: (condition: Condition) => boolean,
): Promise<Cleared> {
  const { open, picture } = await followConditions(work, member);
  const measured = open.find(({ condition }) => isMeant(condition));
  const found = measured?.condition;
  if (!found || !picture) throw new Refusal('NO_DATA');
  if (found.state === 'CLEARING') return takeBack(work, found);
  if (found.state === 'OPENING') await payLeftBehind(work, found);
  if (picture.outstanding > 0n) throw remaining('OPEN_BETS');
  await sweepNeeded(work, member, { measured, picture });
  await work.game.refresh(member);
  const { condition, followed } = await work.underGate(member.id, async (tx) => {
    const now = await followUnderGate(work, tx, member.id);
    const active = now.open.find((one) => isMeant(one.condition));
    if (active?.condition.state !== 'ACTIVE' || !isHome(active, now.picture))
      return { condition: active?.condition, followed: now };
    const takesBack = takesBackOf(active, now.picture.free);
    return { condition: await markClearing(tx, active.condition.id, takesBack, active.current), followed: now };
  });
  await tellAll(work, followed.ended);
  if (!condition) throw new Refusal('NO_DATA');
  if (condition.state !== 'CLEARING')
    throw remaining(followed.picture.outstanding > 0n ? 'OPEN_BETS' : 'GAMES_NOT_BROUGHT');
  return takeBack(work, condition);
}

/**
 * Posts the amount taken back. When the money has been moved into a game meanwhile, the condition goes on.
 * @throws BONUS_REMAINING
 */
export async function takeBack(work: IncentiveWork, condition: Condition): Promise<Cleared> {
  const to = isExpired(condition, work.clock.now()) ? 'EXPIRED' : 'CANCELLED';
  const { letter } = await retryLocked(() => work.ledger.postStep(clearStep(condition, to)));
  if (letter === 'r') throw remaining('GAMES_NOT_BROUGHT');
  if (letter !== 'o' && letter !== 'D') throw new Error(`${condition.reference} was not cleared: ${letter}`);
  return { takenBack: condition.takesBack ?? ZERO, kept: await remainingBalance(work, condition.memberId) };
}

const remainingBalance = async ({ ledger }: IncentiveWork, memberId: string): Promise<Minor> =>
  minor((await ledger.balances(memberId)).reduce((sum, { posted }) => sum + posted, 0n));

/** Whether the needed money is in the wallet: all for a grant on a deposit, else the amount to take back. */
function isHome(measured: Measured, { outstanding, isCertain, inGames, free }: Standing): boolean {
  if (outstanding > 0n || !isCertain) return false;
  return isBonus(measured.condition) ? inGames === ZERO : takesBackOf(measured, minor(free + inGames)) <= free;
}

async function sweepNeeded(
  work: IncentiveWork,
  member: Holder,
  { measured, picture: { free, inGames } }: { measured: Measured; picture: Standing },
): Promise<void> {
  const command = `clear ${uuidV7(work.clock.now())}`;
  if (isBonus(measured.condition)) await work.transfer.sweepToWallet(member, command);
  else await work.transfer.sweepMissing(member, { command, wanted: takesBackOf(measured, minor(free + inGames)) });
}

async function payLeftBehind(work: IncentiveWork, { id }: Condition): Promise<void> {
  const grant = await selectGrant(work.database, id);
  if (grant) await payGrant(work, grant);
}

const remaining = (detail: string): Refusal => new Refusal('BONUS_REMAINING', { detail });
