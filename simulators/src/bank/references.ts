import { randomInt } from 'node:crypto';
import { slipQr } from '../thai-qr.ts';
import { thaiDigits } from '../time.ts';

const MIXED_CASE = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789';
const CAPITALS = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

/** Layout of the QR on a slip; `none` has no slip. */
export const SLIP_LAYOUTS = ['bank', 'short-crc', 'truemoney', 'none'] as const;
export type SlipLayout = (typeof SLIP_LAYOUTS)[number];

function anyOf(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** A bank-style reference, 18 to 25 characters: begins with the time and ends in an unguessable part. */
export function newReference(bankCode: string, at: number): string {
  const digits = thaiDigits(at);
  switch (bankCode) {
    case 'SCB':
      return digits.slice(0, 8) + anyOf(MIXED_CASE, 14);
    case 'KBANK':
      return `0${digits.slice(3, 14)}${anyOf(CAPITALS, 8)}`;
    default:
      return digits + anyOf(CAPITALS, 7);
  }
}

/** A reference whose slip QR has a check sum with a leading zero, which some banks don't print. */
export function referenceOfShortCrc(bankCode: string, bankNumber: string, at: number): string {
  for (;;) {
    const reference = newReference(bankCode, at);
    if (slipQr(bankNumber, reference).at(-4) === '0') return reference;
  }
}
