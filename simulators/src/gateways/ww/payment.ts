import { maskAccount, maskName } from '../../bank/mask.ts';
import { formatMoney } from '../../money.ts';
import { thaiTime } from '../../time.ts';
import { type Code, type CodeStatus, statusOf } from '../codes.ts';

const STATUS_WORDS: Readonly<Record<CodeStatus, string>> = {
  REQUESTED: 'pending',
  PAID: 'successful',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
  FAILED: 'failed',
};

/** A payment in WW's format, for replies and callbacks. */
export function paymentOf(code: Code): object {
  return {
    id: code.number,
    merchantReference: code.reference,
    status: STATUS_WORDS[statusOf(code, Date.now())],
    amount: formatMoney(code.amount),
    currency: 'THB',
    qrPayload: code.payload,
    createdAt: thaiTime(code.createdAt),
    expiresAt: thaiTime(code.expiresAt),
    paid:
      code.paidAt === null
        ? null
        : {
            transactionId: code.txnNo,
            amount: formatMoney(code.paidAmount ?? 0),
            currency: 'THB',
            at: thaiTime(code.paidAt),
            payer: {
              bankCode: code.payerBank,
              accountNo: code.payerNumber === null ? null : maskAccount(code.payerNumber),
              name: code.payerName === null ? null : maskName(code.payerName),
            },
          },
  };
}
