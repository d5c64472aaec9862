import type { Database, Queryable, Tx } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/start/operator-log.ts';
import type { Arrival, ArrivalIdentity } from './bank-transfer.ts';
import { findArrival, saveDecision, type SuspendedArrival, selectSuspended, selectUnreadable } from './queries.ts';

export type { SuspendedArrival } from './queries.ts';

/** Transfers that wait for an operator, oldest first. */
export const suspendedArrivals = (on: Queryable): Promise<SuspendedArrival[]> => selectSuspended(on);

/** Unreadable lines of feeds. */
export const unreadableLines = (on: Queryable): Promise<{ feed: string; line: string }[]> => selectUnreadable(on);

/**
 * Gives a transfer to a member on an operator's word, in their transaction. Due at once: the job of a running server credits
 * it. @returns undefined when it was decided before
 */
export const claimForOperator = (
  tx: Tx,
  id: string,
  memberId: string,
  signature: Signature,
): Promise<Arrival | undefined> =>
  saveDecision(tx, id, { memberId, via: operatorName(signature), note: signature.why });

/** Whose phone or id it is, when their wallet has the currency. */
export type FindMember = (on: Queryable, whom: string, currency: Arrival['currency']) => Promise<string | undefined>;

/**
 * Writes down to whom an operator gives a transfer that waits. A running server follows: the ledger's operation has the
 * operator as its actor.
 * @returns the state of things: `DECIDED`, or why it was not
 */
export async function decideArrival(
  database: Database,
  { identity, whom, ...signature }: { identity: ArrivalIdentity; whom: string } & Signature,
  findMember: FindMember,
): Promise<'DECIDED' | 'NOT_WAITING' | 'NO_MEMBER'> {
  return database.tx(async (tx) => {
    const arrival = await findArrival(tx, identity);
    if (arrival?.state !== 'SUSPENSE') return 'NOT_WAITING';
    const memberId = await findMember(tx, whom, arrival.currency);
    if (memberId === undefined) return 'NO_MEMBER';
    if (!(await claimForOperator(tx, arrival.id, memberId, signature))) return 'NOT_WAITING';
    const subject = `${identity.sendingBank} ${identity.transRef}`;
    await logOperator(tx, signature, { what: `arrivals settle to ${memberId}`, subject });
    return 'DECIDED';
  });
}
