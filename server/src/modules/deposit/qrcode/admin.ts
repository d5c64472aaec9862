import type { Database, Queryable } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import { lockParked, type ParkedPayment, closeParked, selectParked, requestInquiry } from './queries.ts';

export type { ParkedPayment } from './queries.ts';

/** Payments that no rule can settle, oldest first. */
export const parkedPayments = (db: Queryable): Promise<ParkedPayment[]> => selectParked(db);

/**
 * Reason for refusing a command, in this order: no such row · settled by an operator or by a payment · no own code to
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
    const parkedPayment = await lockParked(tx, id);
    if (!parkedPayment) return 'UNKNOWN_NUMBER';
    if (parkedPayment.isSettled) return 'SETTLED';
    if (command === 'close') await closeParked(tx, id, operatorName(signature));
    else if (!(await requestInquiry(tx, parkedPayment.gateway, parkedPayment.reference))) return 'NO_CODE';
    const { gateway, reference, reason } = parkedPayment;
    await logOperator(tx, signature, { what: `deposits ${command} ${reason}`, subject: `${gateway} ${reference}` });
    return undefined;
  });
}
