import type { Inquiry } from '../../../counterparties/gateway/port.ts';
import { parkPayment } from './credit-payment.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import type { Qrcode } from './qrcode.ts';
import { settleParked, TAKEN_BACK } from './queries.ts';

/** What gateways call money that they had, told us of, and no longer have for us. */
const GONE: ReadonlySet<string> = new Set(['REFUNDED', 'REJECTED', 'ERROR']);

/**
 * Looks at what a gateway says of a code whose money is credited already. The member keeps it: nothing is credited again and
 * nothing is taken; what doesn't fit goes to an operator. A gateway may forget old codes, or lag behind itself, and then says
 * nothing new.
 */
export async function lookAfterCredit(deps: QrcodeDeps, code: Qrcode, inquiry: Inquiry): Promise<void> {
  switch (inquiry.status) {
    case 'PAID': {
      const { transactionNumber, amount, currency } = inquiry.payment;
      const isSame = transactionNumber === code.transactionNumber && amount === code.paidAmount;
      if (isSame && currency === code.currency) return settleParked(deps.database, code, TAKEN_BACK);
      // Another number may be another payment, or the same one under a new name.
      return parkPayment(deps, code, 'TOLD_ANEW', `${transactionNumber} ${amount} ${currency}`);
    }
    case 'UNUSABLE':
    case 'ON_HOLD': {
      const reason = GONE.has(inquiry.reason) ? TAKEN_BACK : 'TOLD_ANEW';
      return parkPayment(deps, code, reason, `${inquiry.reason} ${inquiry.evidence}`);
    }
    case 'CANCELLED':
      return parkPayment(deps, code, TAKEN_BACK, 'CANCELLED');
    case 'WAITING':
    case 'EXPIRED':
    case 'NOT_FOUND':
    case 'UNKNOWN':
  }
}
