import type { Database, Queryable } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import { lockParked, type ParkedPayment, saveClosed, selectParked, requestInquiry } from './queries.ts';

export type { ParkedPayment } from './queries.ts';

/** Payments that no rule can settle, oldest first. */
export const parkedPayments = (on: Queryable): Promise<ParkedPayment[]> => selectParked(on);

/**
 * Why a command was refused, in this order: no such row · settled by an operator or by a payment · no own code to
 * inquire about.
 */
export type ParkedRefusal = 'UNKNOWN_NUMBER' | 'SETTLED' | 'NO_CODE';

/**
 * Requests another inquiry about a parked payment, or closes it, and logs the operator. Moves no money.
 * @returns undefined on success
 */
export function operateDeposit(
  database: Database,
  id: string,
  command: 'ask' | 'close',
  signature: Signature,
): Promise<ParkedRefusal | undefined> {
  return database.tx(async (tx) => {
    const parked = await lockParked(tx, id);
    if (!parked) return 'UNKNOWN_NUMBER';
    if (parked.isSettled) return 'SETTLED';
    if (command === 'close') await saveClosed(tx, id, operatorName(signature));
    else if (!(await requestInquiry(tx, parked.gateway, parked.reference))) return 'NO_CODE';
    const { gateway, reference, reason } = parked;
    await logOperator(tx, signature, { what: `deposits ${command} ${reason}`, subject: `${gateway} ${reference}` });
    return undefined;
  });
}
