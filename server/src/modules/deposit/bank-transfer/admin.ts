import { systemClock } from '../../../platform/time.ts';
import type { Database, Queryable, Tx } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import type { Minor } from '@krapao/contract/money';
import { uuidV7 } from '../../../platform/ids.ts';
import { type IncomingTransfer, type TransferIdentity, WALLET_APP, WALLET_APP_HOUSE } from './bank-transfer.ts';
import {
  lockEntry,
  markEntrySettled,
  findArrival,
  saveDecision,
  type SuspendedArrival,
  selectSuspended,
  upsertArrival,
} from './queries.ts';

export type { SuspendedArrival } from './queries.ts';

/** Transfers that wait for an operator, oldest first. */
export const suspendedArrivals = (on: Queryable): Promise<SuspendedArrival[]> => selectSuspended(on);

/**
 * Gives a transfer to a member on an operator's word, in their transaction. Due at once: the job of a running server credits
 * it. @returns undefined when it was decided before
 */
export const claimForOperator = (
  tx: Tx,
  id: string,
  memberId: string,
  signature: Signature,
): Promise<IncomingTransfer | undefined> =>
  saveDecision(tx, id, { memberId, via: operatorName(signature), note: signature.why });

/** Whose phone or id it is, when their wallet has the currency. */
export type FindMember = (
  on: Queryable,
  whom: string,
  currency: IncomingTransfer['currency'],
) => Promise<string | undefined>;

/**
 * Writes down to whom an operator gives a transfer that waits. A running server follows: the ledger's operation has the
 * operator as its actor.
 * @returns the state of things: `DECIDED`, or why it was not
 */
export async function decideArrival(
  database: Database,
  { identity, whom, ...signature }: { identity: TransferIdentity; whom: string } & Signature,
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

/** no such line · already settled · account no longer configured · transfer already recorded · no such member · invalid bank number or reference */
export type FeedEntryRefusal = 'UNKNOWN_NUMBER' | 'SETTLED' | 'NO_CURRENCY' | 'KNOWN' | 'NO_MEMBER' | 'IDENTITY';

const BANK = /^\d{3}$/;
const REFERENCE = /^[!-~]{1,64}$/;

/**
 * Records the transfer of a failed line, with the data that the operator got from the bank, and assigns it to a member. A
 * running server credits it. A recorded transfer is never recorded again.
 * @param id number of the line, as typed
 * @returns undefined on success
 */
export function enterFeedEntry(
  database: Database,
  entry: Signature & { id: string; identity: TransferIdentity; amount: Minor; whom: string },
  findMember: FindMember,
): Promise<FeedEntryRefusal | undefined> {
  const { id, identity, amount, whom, ...signature } = entry;
  return database.tx(async (tx) => {
    const line = await lockEntry(tx, id);
    if (!line) return 'UNKNOWN_NUMBER';
    if (line.isSettled) return 'SETTLED';
    const { feed: house, currency, seenAt } = line;
    if (currency === null) return 'NO_CURRENCY';
    const isBank = house === WALLET_APP_HOUSE ? identity.sendingBank === WALLET_APP : BANK.test(identity.sendingBank);
    if (!isBank || !REFERENCE.test(identity.transRef)) return 'IDENTITY';
    const memberId = await findMember(tx, whom, currency);
    if (memberId === undefined) return 'NO_MEMBER';
    const sender = { account: '', name: '' };
    const seen = { identity, house, currency, amount, sender, reference1: null, sentAt: seenAt };
    const arrivalId = uuidV7(systemClock.now());
    const arrival = await upsertArrival(tx, arrivalId, seen, false);
    if (arrival.id !== arrivalId) return 'KNOWN';
    await claimForOperator(tx, arrivalId, memberId, signature);
    await markEntrySettled(tx, id, operatorName(signature));
    const subject = `${identity.sendingBank} ${identity.transRef}`;
    await logOperator(tx, signature, { what: `arrivals enter line ${id} to ${memberId}`, subject });
    return undefined;
  });
}

/** Closes a line that is no money or was credited in another way. Moves no money. @returns undefined on success */
export function closeFeedEntry(
  database: Database,
  { id, ...signature }: Signature & { id: string },
): Promise<FeedEntryRefusal | undefined> {
  return database.tx(async (tx) => {
    const line = await lockEntry(tx, id);
    if (!line) return 'UNKNOWN_NUMBER';
    if (line.isSettled) return 'SETTLED';
    await markEntrySettled(tx, id, operatorName(signature));
    await logOperator(tx, signature, { what: `arrivals close line ${id}`, subject: line.feed });
    return undefined;
  });
}
