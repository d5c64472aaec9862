import { Refusal } from '../../platform/refusal.ts';
import type { BankCallback } from '../../counterparties/bank-api/verify-callback.ts';
import { wake } from './queries.ts';
import type { WithdrawWork } from './withdraw-work.ts';

/**
 * Takes the bank's callback. It only wakes an inquiry, whatever it claims.
 * @throws KEY_MISSING, KEY_INVALID (signature wrong or too old), NO_DATA for a body that can't be read
 */
export async function receiveCallback(work: WithdrawWork, call: BankCallback): Promise<void> {
  const reading = work.payout.readCallback(call);
  switch (reading.reading) {
    case 'KEY_MISSING':
    case 'KEY_INVALID':
      throw new Refusal(reading.reading, { detail: 'CALLBACK' });
    case 'MALFORMED':
      throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
    case 'CLAIM':
      if (await wake(work.database, reading.reference)) work.wakeResolver();
      else work.log.error({ reference: reading.reference }, 'the bank calls about a payout that is not ours');
  }
}
