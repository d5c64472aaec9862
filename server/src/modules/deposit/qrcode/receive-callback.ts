import { Refusal } from '../../../platform/refusal.ts';
import type { CallbackCall, Gateway } from '../../../counterparties/gateway/port.ts';
import { parkPayment } from './credit-payment.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import { wake } from './queries.ts';

/**
 * Takes a gateway's callback. It only wakes an inquiry, whatever it claims; one about a code that nobody knows is kept for
 * an operator. Refuses with KEY_MISSING, KEY_INVALID, or NO_DATA for a body that can't be read.
 */
export async function receiveCallback(deps: QrcodeDeps, gateway: Gateway, call: CallbackCall): Promise<void> {
  const reading = gateway.readCallback(call);
  switch (reading.reading) {
    case 'KEY_MISSING':
    case 'KEY_INVALID':
      throw new Refusal(reading.reading, { detail: 'CALLBACK' });
    case 'MALFORMED':
      throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
    case 'CLAIM':
      if (await wake(deps.database, gateway.code, reading.reference)) deps.wakeWatcher();
      else await parkPayment(deps, { gateway: gateway.code, reference: reading.reference }, 'UNKNOWN_CODE', '');
  }
}
