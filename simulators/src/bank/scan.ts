import { type Code, type Codes, statusOf } from '../kbank/codes.ts';
import { PAYEE_NAME } from '../kbank/payments.ts';
import { parseMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import { Refusal } from '../refusal.ts';
import { readPaymentQr } from '../thai-qr.ts';

/** What a bank app knows of a scanned code: who issued it, and what it asks (satang). */
export type Scan = { gateway: 'kbank'; payee: string; amount: number; reference1: string; code: Code; status: string };

/**
 * Reads a scanned text and finds the gateway that issued it.
 * @throws Refusal `bad_payload` when it is no payment QR, `unknown_payee` when no gateway knows it
 */
export function scan(payload: string, deps: { outside: Outside; codes: Codes }): Scan {
  const scanned = readPaymentQr(payload);
  if (!scanned) throw new Refusal(400, 'bad_payload', 'This is not a payment QR, or its check sum is wrong');
  if (scanned.kind !== 'bill' || scanned.billerId !== deps.outside.kbank.billerId || scanned.reference1 === null) {
    throw new Refusal(404, 'unknown_payee', 'No gateway here issued this code');
  }
  const code = deps.codes.byReference(scanned.reference1);
  // A code with a right check sum but another text was altered or invented: the gateway honours only what it issued.
  if (!code || code.payload !== payload || parseMoney(scanned.amount) !== code.amount) {
    throw new Refusal(404, 'unknown_payee', 'The gateway did not issue this code');
  }
  return {
    gateway: 'kbank',
    payee: scanned.payee ?? PAYEE_NAME,
    amount: code.amount,
    reference1: code.reference1,
    code,
    status: statusOf(code, Date.now()),
  };
}
