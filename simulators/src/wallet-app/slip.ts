import { drawSlipOf } from '../bank/slip.ts';
import { walletSlipQr } from '../thai-qr.ts';
import { thaiDate } from '../time.ts';
import type { Transaction } from './wallets.ts';

const WALLET_COLOR = '#e0661c';

/** Text of the QR code on a wallet transfer's slip, in another layout than a bank's. */
export function walletSlipPayload({ number, at }: Pick<Transaction, 'number' | 'at'>): string {
  return walletSlipQr(number, thaiDate(at));
}

/** Draws the slip of a transfer between wallets as a PNG. */
export function drawWalletSlip(transaction: Transaction): Buffer {
  const maskPhone = (phone: string) => `WALLET ${phone.slice(0, 3)}-xxx-${phone.slice(-4)}`.toUpperCase();
  return drawSlipOf({
    head: 'WALLET',
    color: WALLET_COLOR,
    at: transaction.at,
    reference: transaction.number,
    from: maskPhone(transaction.from_phone),
    to: maskPhone(transaction.to_phone),
    amount: transaction.amount,
    currency: 'BAHT',
    payload: walletSlipPayload(transaction),
  });
}
