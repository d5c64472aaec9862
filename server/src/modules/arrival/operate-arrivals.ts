import type { Database, Queryable } from '../../platform/database.ts';
import type { Arrival, ArrivalIdentity } from './arrival.ts';
import { claimCredit, findArrival, type SuspendedArrival, selectSuspended, selectUnreadable } from './queries.ts';

export type { SuspendedArrival } from './queries.ts';

/** Transfers that wait for an operator, oldest first. */
export const suspendedArrivals = (on: Queryable): Promise<SuspendedArrival[]> => selectSuspended(on);

/** Lines of feeds that nobody can read. */
export const unreadableLines = (on: Queryable): Promise<{ feed: string; line: string }[]> => selectUnreadable(on);

/** Whose phone or id it is, when their wallet has the currency. */
export type FindMember = (whom: string, currency: Arrival['currency']) => Promise<string | undefined>;

/**
 * Writes down to whom an operator gives a transfer that waits. A running server follows: the ledger's operation has the
 * operator as its actor.
 * @returns the state of things: `DECIDED`, or why it was not
 */
export async function decideArrival(
  database: Database,
  decision: { identity: ArrivalIdentity; whom: string; by: string; why: string },
  findMember: FindMember,
): Promise<'DECIDED' | 'NOT_WAITING' | 'NO_MEMBER'> {
  const arrival = await findArrival(database, decision.identity);
  if (arrival?.state !== 'SUSPENSE') return 'NOT_WAITING';
  const memberId = await findMember(decision.whom, arrival.currency);
  if (memberId === undefined) return 'NO_MEMBER';
  const claim = { memberId, via: `operator:${decision.by}`, note: decision.why } as const;
  // Due at once: the job of a running server tells the ledger.
  return (await claimCredit(database, arrival.id, claim, 0)) ? 'DECIDED' : 'NOT_WAITING';
}
