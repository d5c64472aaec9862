import { type Clock, later } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database.ts';
import { hasExchangedName } from './queries.ts';

/** Long enough for whoever misses money to say so, and for an operator to look. */
const REST_MS = 24 * 60 * 60_000;

/**
 * Why a member may not withdraw yet: an English name was exchanged for another within the last day. Somebody who takes a
 * stranger's name for a while, to be taken for the sender of the stranger's money, has to wait with it. Spelling a Thai or a
 * Lao name in English for the first time is what banks ask for, and rests nothing.
 * @returns undefined when they may
 */
export async function nameRest(
  { database, clock }: { database: Queryable; clock: Clock },
  memberId: string,
): Promise<{ code: 'REQUEST_LIMIT'; detail: 'ACCOUNT_NAME_CHANGED' } | undefined> {
  const isResting = await hasExchangedName(database, memberId, later(clock.now(), -REST_MS));
  return isResting ? { code: 'REQUEST_LIMIT', detail: 'ACCOUNT_NAME_CHANGED' } : undefined;
}
