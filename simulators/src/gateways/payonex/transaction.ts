import { maskAccount, maskName } from '../../bank/mask.ts';
import { moneyNumber } from '../../money.ts';
import type { Store } from '../../store.ts';
import { thaiTime } from '../../time.ts';
import { type Code, type Payer, statusOf } from '../codes.ts';
import { type CollectingAccount, feeOf, type HeldPayment } from './collecting-account.ts';

/** A transaction in the gateway's format. */
export function transactionView(code: Code, { store, collecting }: { store: Store; collecting: CollectingAccount }) {
  const isHeld = collecting.heldFor(code);
  const paidAmount = code.paidAmount;
  const amount = paidAmount ?? code.amount;
  const fee = paidAmount === null ? 0 : feeOf(paidAmount);
  const sql = 'select asked from payonex_transaction where code_id = ?';
  return {
    uuid: code.number,
    referenceId: code.reference,
    type: 'DEPOSIT',
    status: statusWordOf(code, isHeld !== undefined, collecting),
    requestAmount: moneyNumber(store.one<{ asked: number }>(sql, code.id)?.asked ?? code.amount),
    amount: moneyNumber(amount),
    fee: moneyNumber(fee),
    settleAmount: paidAmount === null ? 0 : moneyNumber(paidAmount - fee),
    receivedAmount: paidAmount === null ? (isHeld ? moneyNumber(isHeld.amount) : null) : moneyNumber(paidAmount),
    qrCode: code.payload,
    createdAt: thaiTime(code.createdAt),
    expiredAt: thaiTime(code.expiresAt),
    paidAt: code.paidAt === null ? null : thaiTime(code.paidAt),
    payer: payerOf(code) ?? (isHeld ? payerView(isHeld) : null),
  };
}

function statusWordOf(code: Code, isHeld: boolean, collecting: CollectingAccount): string {
  switch (statusOf(code, Date.now())) {
    case 'PAID':
      return code.refundedAt === null ? 'SUCCESS' : 'REFUNDED';
    case 'FAILED':
      return isHeld ? 'ON_HOLD' : 'ERROR';
    case 'REQUESTED':
    case 'CANCELLED':
    case 'EXPIRED':
      if (isHeld) return 'ON_HOLD';
      return collecting.isReserved(code) ? 'PROCESSING' : 'REJECTED';
  }
}

function payerOf({ payerBank, payerNumber, payerName }: Code): object | undefined {
  if (payerBank === null || payerNumber === null || payerName === null) return undefined;
  return payerView({ bankCode: payerBank, accountNo: payerNumber, accountName: payerName });
}

function payerView({ bankCode, accountNo, accountName }: Payer): object {
  return { bankCode, accountNo: maskAccount(accountNo), name: maskName(accountName) };
}

/** An unmatched payment in the gateway's format. */
export const heldPaymentView = ({ id, amount, at, ...payer }: HeldPayment) => ({
  id: `U${id}`,
  amount: moneyNumber(amount),
  at: thaiTime(at),
  payer: payerView(payer),
});
