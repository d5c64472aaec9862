import { startDueWork } from '../../platform/jobs/due-work.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { Refusal } from '../../platform/refusal.ts';
import { clearExpired, takeBack } from './clear-bonus.ts';
import { followConditions } from './follow-conditions.ts';
import type { Condition } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { payGrant, tellEnding } from './pay-grant.ts';
import { isExpired } from './progress.ts';
import { claimConditions, claimGrants, conditionWork, grantWork } from './queries.ts';

/** Games are asked for each: more at once would take their answers from members who are there. */
const CONDITIONS_AT_ONCE = 2;
const GRANTS_AT_ONCE = 4;

/** Finishes grants that were left open, and looks after conditions of members who don't come. */
export function watchIncentives(work: IncentiveWork): Job[] {
  const grants = startDueWork({
    name: 'credit grants',
    atOnce: GRANTS_AT_ONCE,
    claim: (limit) => claimGrants(work.database, limit),
    handle: (grant) => payGrant(work, grant),
    failed: failedWork(work.database, grantWork),
    keyOf: ({ id }) => id,
    log: work.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a grant could not be credited' }),
  });
  const conditions = startDueWork({
    name: 'follow conditions',
    atOnce: CONDITIONS_AT_ONCE,
    claim: (limit) => claimConditions(work.database, limit),
    handle: (condition) => lookAfter(work, condition),
    failed: failedWork(work.database, conditionWork),
    keyOf: ({ id }) => id,
    log: work.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a condition could not be followed' }),
  });
  return [grants, conditions];
}

async function lookAfter(work: IncentiveWork, condition: Condition): Promise<void> {
  if (condition.state !== 'ACTIVE' && condition.state !== 'CLEARING') return tellEnding(work, condition);
  try {
    if (condition.state === 'CLEARING') await takeBack(work, condition);
    else if (isExpired(condition, work.clock.now())) await clearExpired(work, condition);
    else await followConditions(work, { id: condition.memberId, currency: condition.currency });
  } catch (error) {
    // A closed wallet, or money that has gone into a game meanwhile: the member's affair, not a failure.
    if (!(error instanceof Refusal)) throw error;
  }
}
