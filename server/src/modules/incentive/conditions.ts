import { toDecimal } from '@krapao/contract/money';
import type { Tx } from '../../platform/database/database.ts';
import { type ConditionRefusal, type MemberRef, isBonus } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { markEnded, saveAllocation, saveTurnoverBefore, selectOpen } from './queries.ts';
import { type Ending, type MeasuredCondition, newlyReportedTurnover } from './progress.ts';
import { allocateSnapshot, type EligibilitySnapshot, loadEligibility } from './load-eligibility.ts';
import { postEnding } from './commands.ts';

export type RefreshedConditions = {
  picture: EligibilitySnapshot;
  open: MeasuredCondition[];
  ended: MeasuredCondition[];
};

const NOTHING_OPEN: Pick<RefreshedConditions, 'open'> & { picture: undefined } = { open: [], picture: undefined };

/**
 * Asks the games when a condition is open, and ends those that are met, lost or expired. What can't be posted to the
 * ledger now is retried later. @returns the progress of the others
 * @throws NO_WALLET
 */
export async function refreshConditions(
  work: IncentiveDeps,
  member: MemberRef,
): Promise<Pick<RefreshedConditions, 'open'> & { picture: EligibilitySnapshot | undefined }> {
  if ((await selectOpen(work.database, member.id)).length === 0) return NOTHING_OPEN;
  await work.game.refresh(member);
  const followed = await work.underGate(member.id, (tx) => refreshLocked(work, tx, member.id));
  await postEndings(work, followed.ended);
  return followed;
}

/** Ends what is met or lost by what is known, without asking the games. */
export async function endConditions(work: IncentiveDeps, memberId: string): Promise<void> {
  if ((await selectOpen(work.database, memberId)).length === 0) return;
  const { ended } = await work.underGate(memberId, (tx) => refreshLocked(work, tx, memberId));
  await postEndings(work, ended);
}

/**
 * The part under the gate: reads the progress, and stores which conditions ended. The ledger is posted after the
 * commit.
 */
export async function refreshLocked(work: IncentiveDeps, tx: Tx, memberId: string): Promise<RefreshedConditions> {
  const picture = await loadEligibility(work, tx, memberId);
  const [open, ended]: [MeasuredCondition[], MeasuredCondition[]] = [[], []];
  const { counted, upTo } = await allocateSnapshot(work, tx, memberId, picture);
  await saveAllocation(tx, memberId, picture.open, counted, upTo);
  for (const { ending, ...measured } of counted) {
    const { condition } = measured;
    if (ending) ended.push(await end(tx, measured, ending));
    else {
      open.push(measured);
      const reported = newlyReportedTurnover(condition, picture.bets);
      if (reported) await saveTurnoverBefore(tx, condition.id, reported);
    }
  }
  return { picture, open, ended };
}

async function end(tx: Tx, measured: MeasuredCondition, state: Ending): Promise<MeasuredCondition> {
  await markEnded(tx, measured.condition.id, state, measured.current);
  return { ...measured, condition: { ...measured.condition, state } };
}

export async function postEndings(work: IncentiveDeps, ended: readonly MeasuredCondition[]): Promise<void> {
  for (const { condition } of ended) {
    try {
      await postEnding(work, condition);
    } catch (error) {
      work.log.error({ err: error, reference: condition.reference }, 'the end of a condition is posted later');
    }
  }
}

/** The open condition that blocks a withdrawal, after refreshing the games, so that a recent win counts. */
export async function withdrawalBlock(work: IncentiveDeps, member: MemberRef): Promise<ConditionRefusal | undefined> {
  return refusalOf((await refreshConditions(work, member)).open);
}

// A bonus comes before a refund, the older one before the newer.
function refusalOf(open: readonly MeasuredCondition[]): ConditionRefusal | undefined {
  const bonus = open.find(({ condition }) => condition.kind === 'COUPON' || isBonus(condition));
  const found = bonus ?? open[0];
  return found && { code: bonus ? 'BONUS_CONDITION' : 'REFUND_CONDITION', detail: detailOf(found) };
}

function detailOf({ condition: { target, turnover, turnoverTarget }, current }: MeasuredCondition): string {
  const money = `CURRENT=${toDecimal(current)} TARGET=${toDecimal(target)}`;
  return turnoverTarget === null
    ? money
    : `${money} TURNOVER=${toDecimal(turnover)} TURNOVER_TARGET=${toDecimal(turnoverTarget)}`;
}
