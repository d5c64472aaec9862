import type { Database, Queryable } from '../../../platform/database/database.ts';
import { logOperator, operatorName, type Signature } from '../../../platform/operator-log.ts';
import { lockParked, type ParkedPayment, saveClosed, selectParked, requestInquiry } from './queries.ts';

export type { ParkedPayment } from './queries.ts';

/** What gateways said and no rule can act on, oldest first. */
export const parkedPayments = (on: Queryable): Promise<ParkedPayment[]> => selectParked(on);

/** Why not: no such row · an operator, or a payment that came through, has settled it · its code was never ours and can't be asked about */
export type ParkedRefusal = 'UNKNOWN_NUMBER' | 'SETTLED' | 'NO_CODE';

/**
 * Has the gateway of a parked payment asked again, or takes it off the list; and writes down who did it and why. No money moves
 * by either.
 * @returns undefined when it is done
 */
export function operateDeposit(
  database: Database,
  id: string,
  step: 'ask' | 'close',
  signature: Signature,
): Promise<ParkedRefusal | undefined> {
  return database.tx(async (tx) => {
    const parked = await lockParked(tx, id);
    if (!parked) return 'UNKNOWN_NUMBER';
    if (parked.isSettled) return 'SETTLED';
    if (step === 'close') await saveClosed(tx, id, operatorName(signature));
    else if (!(await requestInquiry(tx, parked.gateway, parked.reference))) return 'NO_CODE';
    const { gateway, reference, reason } = parked;
    await logOperator(tx, signature, { what: `deposits ${step} ${reason}`, subject: `${gateway} ${reference}` });
    return undefined;
  });
}
