import { type Clock, later } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { hasExchangedName } from './queries.ts';

/** Time for the victim of a stolen payment to complain and for an operator to react. */
const COOLDOWN_MS = 24 * 60 * 60_000;

/**
 * Refuses a withdrawal within a day of replacing one English name by another: a fraudster who takes the name of another
 * sender to receive that sender's money has to wait. The first English spelling of a Thai or Lao name, which banks ask for,
 * starts no cooldown.
 * @returns undefined when the member may withdraw
 */
export async function renameCooldown(
  { database, clock }: { database: Queryable; clock: Clock },
  memberId: string,
): Promise<{ code: 'REQUEST_LIMIT'; detail: 'ACCOUNT_NAME_CHANGED' } | undefined> {
  const isCoolingDown = await hasExchangedName(database, memberId, later(clock.now(), -COOLDOWN_MS));
  return isCoolingDown ? { code: 'REQUEST_LIMIT', detail: 'ACCOUNT_NAME_CHANGED' } : undefined;
}
