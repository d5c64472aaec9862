import type { Minor } from '@krapao/contract/money';
import type { Database, Queryable, Tx } from '../../../platform/database/database.ts';
import { uuidV7 } from '../../../platform/ids.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import { systemClock } from '../../../platform/time.ts';
import { type IncomingTransfer, type TransferIdentity, WALLET_APP, WALLET_APP_ACCOUNT } from './bank-transfer.ts';
import {
  lockEntry,
  markEntrySettled,
  findTransfer,
  saveDecision,
  type SuspendedTransfer,
  selectSuspended,
  upsertTransfer,
} from './queries.ts';

export type { SuspendedTransfer } from './queries.ts';

/** Transfers in suspense, oldest first. */
export const suspendedTransfers = (db: Queryable): Promise<SuspendedTransfer[]> => selectSuspended(db);

/**
 * Assigns a transfer to a member in the operator's transaction. It is due immediately: a running server credits it.
 * @returns undefined when it was assigned before
 */
export const claimForOperator = (
  tx: Tx,
  id: string,
  memberId: string,
  signature: Signature,
): Promise<IncomingTransfer | undefined> =>
  saveDecision(tx, id, { memberId, via: operatorName(signature), note: signature.why });

/** Finds a member by phone or id whose wallet has the currency. */
export type FindMember = (
  db: Queryable,
  idOrPhone: string,
  currency: IncomingTransfer['currency'],
) => Promise<string | undefined>;

/**
 * Assigns a transfer in suspense to a member. A running server credits it, with the operator as the ledger's actor.
 * @returns `DECIDED`, or the reason why nothing was assigned
 */
export async function assignTransfer(
  database: Database,
  { identity, idOrPhone, ...signature }: { identity: TransferIdentity; idOrPhone: string } & Signature,
  findMember: FindMember,
): Promise<'decided' | 'not_waiting' | 'no_member'> {
  return database.tx(async (tx) => {
    const transfer = await findTransfer(tx, identity);
    if (transfer?.state !== 'SUSPENSE') return 'not_waiting';
    const memberId = await findMember(tx, idOrPhone, transfer.currency);
    if (memberId === undefined) return 'no_member';
    if (!(await claimForOperator(tx, transfer.id, memberId, signature))) return 'not_waiting';
    const subject = `${identity.sendingBank} ${identity.transRef}`;
    await logOperator(tx, signature, { what: `arrivals settle to ${memberId}`, subject });
    return 'decided';
  });
}

/**
 * Reason for refusing an entry, in this order: no such entry · already settled · account no longer configured ·
 * transfer already recorded · no such member · invalid bank number or reference.
 */
export type FeedEntryError = 'unknown_number' | 'settled' | 'no_currency' | 'known' | 'no_member' | 'identity';

const BANK_NUMBER = /^\d{3}$/;
const TRANSFER_REFERENCE = /^[!-~]{1,64}$/;

/**
 * Records the transfer of a failed feed entry with data from the bank, and assigns it to a member.
 * A running server credits it. A transfer is recorded only once.
 * @param entry `id`: number of the entry, as typed
 * @returns undefined on success
 */
export function enterFeedEntry(
  database: Database,
  entry: Signature & { id: string; identity: TransferIdentity; amount: Minor; idOrPhone: string },
  findMember: FindMember,
): Promise<FeedEntryError | undefined> {
  const { id, identity, amount, idOrPhone, ...signature } = entry;
  return database.tx(async (tx) => {
    const failedEntry = await lockEntry(tx, id);
    if (!failedEntry) return 'unknown_number';
    if (failedEntry.isSettled) return 'settled';
    const { feed: houseAccount, currency, seenAt } = failedEntry;
    if (currency === null) return 'no_currency';
    const isBankValid =
      houseAccount === WALLET_APP_ACCOUNT
        ? identity.sendingBank === WALLET_APP
        : BANK_NUMBER.test(identity.sendingBank);
    if (!isBankValid || !TRANSFER_REFERENCE.test(identity.transRef)) return 'identity';
    const memberId = await findMember(tx, idOrPhone, currency);
    if (memberId === undefined) return 'no_member';
    const sender = { account: '', name: '' };
    const reportedTransfer = { identity, houseAccount, currency, amount, sender, reference1: null, sentAt: seenAt };
    const transferId = uuidV7(systemClock.now());
    const transfer = await upsertTransfer(tx, transferId, reportedTransfer, false);
    if (transfer.id !== transferId) return 'known';
    await claimForOperator(tx, transferId, memberId, signature);
    await markEntrySettled(tx, id, operatorName(signature));
    const subject = `${identity.sendingBank} ${identity.transRef}`;
    await logOperator(tx, signature, { what: `arrivals enter line ${id} to ${memberId}`, subject });
    return undefined;
  });
}

/** Closes an entry that is not money or was credited otherwise. Moves no money. @returns undefined on success */
export function closeFeedEntry(
  database: Database,
  { id, ...signature }: Signature & { id: string },
): Promise<FeedEntryError | undefined> {
  return database.tx(async (tx) => {
    const entry = await lockEntry(tx, id);
    if (!entry) return 'unknown_number';
    if (entry.isSettled) return 'settled';
    await markEntrySettled(tx, id, operatorName(signature));
    await logOperator(tx, signature, { what: `arrivals close line ${id}`, subject: entry.feed });
    return undefined;
  });
}
