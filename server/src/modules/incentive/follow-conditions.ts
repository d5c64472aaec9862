import { toDecimal } from '@krapao/contract/money';
import type { Tx } from '../../platform/database/database.ts';
import { type ConditionRefusal, type Holder, isBonus } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { markEnded, saveCounted, saveTurnoverBefore, selectOpen } from './queries.ts';
import { type Ending, type Measured, turnoverToldSince } from './progress.ts';
import { countPicture, type Picture, readStanding } from './read-standing.ts';
import { tellEnding } from './pay-grant.ts';

export type Followed = { picture: Picture; open: Measured[]; ended: Measured[] };

const NOTHING_OPEN: Pick<Followed, 'open'> & { picture: undefined } = { open: [], picture: undefined };

/**
 * Asks the games when a condition is open, and ends those that are met, lost or expired. What can't be posted to the
 * ledger now is retried later. @returns the progress of the others
 * @throws NO_WALLET
 */
export async function followConditions(
  work: IncentiveWork,
  member: Holder,
): Promise<Pick<Followed, 'open'> & { picture: Picture | undefined }> {
  if ((await selectOpen(work.database, member.id)).length === 0) return NOTHING_OPEN;
  await work.game.refresh(member);
  const followed = await work.underGate(member.id, (tx) => followUnderGate(work, tx, member.id));
  await tellAll(work, followed.ended);
  return followed;
}

/** Ends what is met or lost by what is known, without asking the games. */
export async function endKnown(work: IncentiveWork, memberId: string): Promise<void> {
  if ((await selectOpen(work.database, memberId)).length === 0) return;
  const { ended } = await work.underGate(memberId, (tx) => followUnderGate(work, tx, memberId));
  await tellAll(work, ended);
}

/**
 * The part under the gate: reads the progress, and stores which conditions ended. The ledger is posted after the
 * commit.
 */
export async function followUnderGate(work: IncentiveWork, tx: Tx, memberId: string): Promise<Followed> {
  const picture = await readStanding(work, tx, memberId);
  const [open, ended]: [Measured[], Measured[]] = [[], []];
  const { counted, upTo } = await countPicture(work, tx, memberId, picture);
  await saveCounted(tx, memberId, picture.open, counted, upTo);
  for (const { ending, ...measured } of counted) {
    const { condition } = measured;
    if (ending) ended.push(await end(tx, measured, ending));
    else {
      open.push(measured);
      const told = turnoverToldSince(condition, picture.bets);
      if (told) await saveTurnoverBefore(tx, condition.id, told);
    }
  }
  return { picture, open, ended };
}

async function end(tx: Tx, measured: Measured, state: Ending): Promise<Measured> {
  await markEnded(tx, measured.condition.id, state, measured.current);
  return { ...measured, condition: { ...measured.condition, state } };
}

export async function tellAll(work: IncentiveWork, ended: readonly Measured[]): Promise<void> {
  for (const { condition } of ended) {
    try {
      await tellEnding(work, condition);
    } catch (error) {
      work.log.error({ err: error, reference: condition.reference }, 'the end of a condition is posted later');
    }
  }
}

/** Why an open condition refuses a withdrawal, after asking the games: a member who has just won enough is not refused. */
export async function withdrawCondition(work: IncentiveWork, member: Holder): Promise<ConditionRefusal | undefined> {
  return refusalOf((await followConditions(work, member)).open);
}

// A bonus comes before a refund, the older one before the newer.
function refusalOf(open: readonly Measured[]): ConditionRefusal | undefined {
  const bonus = open.find(({ condition }) => condition.kind === 'COUPON' || isBonus(condition));
  const found = bonus ?? open[0];
  return found && { code: bonus ? 'BONUS_CONDITION' : 'REFUND_CONDITION', detail: detailOf(found) };
}

function detailOf({ condition: { target, turnover, turnoverTarget }, current }: Measured): string {
  const money = `CURRENT=${toDecimal(current)} TARGET=${toDecimal(target)}`;
  return turnoverTarget === null
    ? money
    : `${money} TURNOVER=${toDecimal(turnover)} TURNOVER_TARGET=${toDecimal(turnoverTarget)}`;
}
