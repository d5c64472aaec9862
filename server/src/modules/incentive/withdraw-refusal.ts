import { toDecimal } from '@krapao/contract/money';
import { isBonus } from './clear-bonus.ts';
import { followConditions } from './follow-conditions.ts';
import type { Holder, ConditionRefusal } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import type { Measured } from './progress.ts';

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
