import { randomInt } from 'node:crypto';
import { slipQr } from '../thai-qr.ts';
import { thaiDigits } from '../time.ts';

const MIXED_CASE = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789';
const REFERENCE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

/** Layout of the QR on a slip; `none` has no slip. */
export const SLIP_LAYOUTS = ['bank', 'short-crc', 'truemoney', 'none'] as const;
export type SlipLayout = (typeof SLIP_LAYOUTS)[number];

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Creates a bank-style reference, 18 to 25 characters: the time, then an unguessable part. */
export function newReference(bankCode: string, atMs: number): string {
  const digits = thaiDigits(atMs);
  switch (bankCode) {
    case 'SCB':
      return digits.slice(0, 8) + randomText(MIXED_CASE, 14);
    case 'KBANK':
      return `0${digits.slice(3, 14)}${randomText(REFERENCE_ALPHABET, 8)}`;
    default:
      return digits + randomText(REFERENCE_ALPHABET, 7);
  }
}

/** Creates a reference whose slip QR has a check sum with a leading zero, which some banks don't print. */
export function referenceOfShortCrc(bankCode: string, bankNumber: string, atMs: number): string {
  for (;;) {
    const reference = newReference(bankCode, atMs);
    if (slipQr(bankNumber, reference).at(-4) === '0') return reference;
  }
}
