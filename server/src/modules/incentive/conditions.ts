import { toDecimal } from '@krapao/contract/money';
import type { Tx } from '../../platform/database/database.ts';
import { postEnding } from './commands.ts';
import { type ConditionRefusal, type MemberRef, isBonus } from './incentive.ts';
import { allocateSnapshot, type EligibilitySnapshot, loadEligibility } from './load-eligibility.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { type Ending, type MeasuredCondition, newlyReportedTurnover } from './progress.ts';
import { markEnded, saveAllocation, saveTurnoverBefore, selectOpenConditions } from './queries.ts';

export type RefreshedConditions = {
  eligibility: EligibilitySnapshot;
  open: MeasuredCondition[];
  ended: MeasuredCondition[];
};

const NO_OPEN_CONDITIONS: Pick<RefreshedConditions, 'open'> & { eligibility: undefined } = {
  open: [],
  eligibility: undefined,
};

/**
 * Refreshes the games if a condition is open, and ends conditions that are met, lost or expired. If posting to the
 * ledger fails, a job retries it. @returns the progress of conditions that stay open
 * @throws NO_WALLET
 */
export async function refreshConditions(
  deps: IncentiveDeps,
  member: MemberRef,
): Promise<Pick<RefreshedConditions, 'open'> & { eligibility: EligibilitySnapshot | undefined }> {
  if ((await selectOpenConditions(deps.database, member.id)).length === 0) return NO_OPEN_CONDITIONS;
  await deps.game.refresh(member);
  const refreshed = await deps.withMemberLock(member.id, (tx) => refreshLocked(deps, tx, member.id));
  await postEndings(deps, refreshed.ended);
  return refreshed;
}

/** Ends conditions that are met or lost according to stored data, without refreshing the games. */
export async function endConditions(deps: IncentiveDeps, memberId: string): Promise<void> {
  if ((await selectOpenConditions(deps.database, memberId)).length === 0) return;
  const { ended } = await deps.withMemberLock(memberId, (tx) => refreshLocked(deps, tx, memberId));
  await postEndings(deps, ended);
}

/**
 * Runs under the member lock: reads the progress, and stores which conditions ended. The caller posts to the ledger
 * after the commit.
 */
export async function refreshLocked(deps: IncentiveDeps, tx: Tx, memberId: string): Promise<RefreshedConditions> {
  const eligibility = await loadEligibility(deps, tx, memberId);
  const [openConditions, endedConditions]: [MeasuredCondition[], MeasuredCondition[]] = [[], []];
  const { counted: allocated, upTo } = await allocateSnapshot(deps, tx, memberId, eligibility);
  await saveAllocation(tx, memberId, eligibility.open, allocated, upTo);
  for (const { ending, ...measuredCondition } of allocated) {
    const { condition } = measuredCondition;
    if (ending) endedConditions.push(await endCondition(tx, measuredCondition, ending));
    else {
      openConditions.push(measuredCondition);
      const updatedTurnoverBefore = newlyReportedTurnover(condition, eligibility.bets);
      if (updatedTurnoverBefore) await saveTurnoverBefore(tx, condition.id, updatedTurnoverBefore);
    }
  }
  return { eligibility, open: openConditions, ended: endedConditions };
}

async function endCondition(tx: Tx, measuredCondition: MeasuredCondition, state: Ending): Promise<MeasuredCondition> {
  await markEnded(tx, measuredCondition.condition.id, state, measuredCondition.current);
  return { ...measuredCondition, condition: { ...measuredCondition.condition, state } };
}

export async function postEndings(deps: IncentiveDeps, endedConditions: readonly MeasuredCondition[]): Promise<void> {
  for (const { condition } of endedConditions) {
    try {
      await postEnding(deps, condition);
    } catch (error) {
      deps.log.error({ err: error, reference: condition.reference }, 'ended condition not posted yet');
    }
  }
}

/** Refusal of a withdrawal by an open condition. Refreshes the games first, so that a recent win counts. */
export async function withdrawalBlock(deps: IncentiveDeps, member: MemberRef): Promise<ConditionRefusal | undefined> {
  return blockingRefusal((await refreshConditions(deps, member)).open);
}

// The condition named in the refusal: a bonus before a refund, an older condition before a newer.
function blockingRefusal(openConditions: readonly MeasuredCondition[]): ConditionRefusal | undefined {
  const bonusCondition = openConditions.find(({ condition }) => condition.kind === 'COUPON' || isBonus(condition));
  const blockingCondition = bonusCondition ?? openConditions[0];
  return (
    blockingCondition && {
      code: bonusCondition ? 'BONUS_CONDITION' : 'REFUND_CONDITION',
      detail: progressDetail(blockingCondition),
    }
  );
}

function progressDetail({ condition: { target, turnover, turnoverTarget }, current }: MeasuredCondition): string {
  const moneyDetail = `CURRENT=${toDecimal(current)} TARGET=${toDecimal(target)}`;
  return turnoverTarget === null
    ? moneyDetail
    : `${moneyDetail} TURNOVER=${toDecimal(turnover)} TURNOVER_TARGET=${toDecimal(turnoverTarget)}`;
}
