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
export type ParkedRefusal = 'unknown_number' | 'settled' | 'no_code';

/**
 * Requests another inquiry about a parked payment, or closes it, and logs the operator. Moves no money.
 * @returns undefined on success
 */
export function operateDeposit(
  database: Database,
  id: string,
  command: 'inquire' | 'close',
  signature: Signature,
): Promise<ParkedRefusal | undefined> {
  return database.tx(async (tx) => {
    const parkedPayment = await lockParked(tx, id);
    if (!parkedPayment) return 'unknown_number';
    if (parkedPayment.isSettled) return 'settled';
    if (command === 'close') await closeParked(tx, id, operatorName(signature));
    else if (!(await requestInquiry(tx, parkedPayment.gateway, parkedPayment.reference))) return 'no_code';
    const { gateway, reference, reason } = parkedPayment;
    await logOperator(tx, signature, { what: `deposits ${command} ${reason}`, subject: `${gateway} ${reference}` });
    return undefined;
  });
}
