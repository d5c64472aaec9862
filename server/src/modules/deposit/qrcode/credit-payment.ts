import type { Payment } from '../../../counterparties/gateway/port.ts';
import { creditDeposit } from '../credit-deposit.ts';
import { type QrcodeDeps, gatewayOf } from './qrcode-deps.ts';
import type { Qrcode } from './qrcode.ts';
import { markPaid, park, settleParked } from './queries.ts';

/**
 * Credits a payment to the member's wallet: what really came, once for each number of the gateway, whoever finds it and
 * how often. A crash between the two writes is repaired by doing both again.
 * @returns false when it can't be credited by itself and waits for an operator
 */
export async function creditPayment(deps: QrcodeDeps, code: Qrcode, payment: Payment): Promise<boolean> {
  const { name } = gatewayOf(deps, code.gateway);
  const evidence = `${payment.transactionNumber} ${payment.amount} ${payment.currency}`;
  if (payment.currency !== code.currency) {
    await parkPayment(deps, code, 'CURRENCY', evidence);
    return false;
  }
  const isCredited = await creditDeposit(deps.ledger, {
    key: `deposit:${name}:${payment.transactionNumber}`,
    memberId: code.memberId,
    house: `gateway:${name}`,
    currency: payment.currency,
    amount: payment.amount,
    reference: code.reference,
    actor: `gateway:${name}`,
  });
  if (!isCredited) {
    await parkPayment(deps, code, 'TRANSACTION_NUMBER_REUSED', evidence);
    return false;
  }
  const isFirst = await markPaid(deps.database, code.id, payment);
  await settleParked(deps.database, code, 'ON_HOLD');
  if (isFirst) deps.log.info({ reference: code.reference, gateway: code.gateway }, 'deposit credited');
  return true;
}

/** Lays a payment that no rule can credit before an operator. */
export async function parkPayment(
  deps: QrcodeDeps,
  code: Pick<Qrcode, 'gateway' | 'reference'>,
  reason: string,
  evidence: string,
): Promise<void> {
  const times = await park(deps.database, { gateway: code.gateway, reference: code.reference, reason, evidence });
  if (times > 1) return;
  deps.log.error({ gateway: code.gateway, reference: code.reference, reason }, 'a payment waits for an operator');
}
