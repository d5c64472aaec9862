import { drawSlipOf } from '../bank/slip.ts';
import { walletSlipQr } from '../thai-qr.ts';
import { thaiDate } from '../time.ts';
import type { Transaction } from './wallets.ts';

const COLOR = '#e0661c';

/** The text of a wallet transfer's slip QR: a different layout than a bank's. */
export function walletSlipPayload({ number, at }: Pick<Transaction, 'number' | 'at'>): string {
  return walletSlipQr(number, thaiDate(at));
}

/** Draws the slip of a transfer between wallets as a PNG. */
export function drawWalletSlip(sent: Transaction): Buffer {
  const masked = (phone: string) => `WALLET ${phone.slice(0, 3)}-xxx-${phone.slice(-4)}`.toUpperCase();
  return drawSlipOf({
    head: 'WALLET',
    color: COLOR,
    at: sent.at,
    reference: sent.number,
    from: masked(sent.from_phone),
    to: masked(sent.to_phone),
    amount: sent.amount,
    currency: 'BAHT',
    payload: walletSlipPayload(sent),
  });
}
