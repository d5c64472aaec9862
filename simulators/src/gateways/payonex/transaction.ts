import { maskAccount, maskName } from '../../bank/mask.ts';
import { moneyNumber } from '../../money.ts';
import type { Store } from '../../store.ts';
import { thaiTime } from '../../time.ts';
import { type Code, type Payer, statusOf } from '../codes.ts';
import { type CollectingAccount, feeOf, type Held } from './collecting-account.ts';

/** A transaction in the gateway's format. */
export function shownTransaction(code: Code, { store, collecting }: { store: Store; collecting: CollectingAccount }) {
  const held = collecting.heldFor(code);
  const paid = code.paidAmount;
  const amount = paid ?? code.amount;
  const fee = paid === null ? 0 : feeOf(paid);
  const sql = 'select asked from payonex_transaction where code_id = ?';
  return {
    uuid: code.number,
    referenceId: code.reference,
    type: 'DEPOSIT',
    status: wordOf(code, held !== undefined, collecting),
    requestAmount: moneyNumber(store.one<{ asked: number }>(sql, code.id)?.asked ?? code.amount),
    amount: moneyNumber(amount),
    fee: moneyNumber(fee),
    settleAmount: paid === null ? 0 : moneyNumber(paid - fee),
    receivedAmount: paid === null ? (held ? moneyNumber(held.amount) : null) : moneyNumber(paid),
    qrCode: code.payload,
    createdAt: thaiTime(code.createdAt),
    expiredAt: thaiTime(code.expiresAt),
    paidAt: code.paidAt === null ? null : thaiTime(code.paidAt),
    payer: payerOf(code) ?? (held ? shownPayer(held) : null),
  };
}

function wordOf(code: Code, isHeld: boolean, collecting: CollectingAccount): string {
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
  return shownPayer({ bankCode: payerBank, accountNo: payerNumber, accountName: payerName });
}

function shownPayer({ bankCode, accountNo, accountName }: Payer): object {
  return { bankCode, accountNo: maskAccount(accountNo), name: maskName(accountName) };
}

/** An unmatched payment in the gateway's format. */
export const shownHeld = ({ id, amount, at, ...payer }: Held) => ({
  id: `U${id}`,
  amount: moneyNumber(amount),
  at: thaiTime(at),
  payer: shownPayer(payer),
});
