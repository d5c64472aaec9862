import { type Code, findByPayload, statusOf } from '../gateways/codes.ts';
import type { Desk } from '../gateways/desk.ts';
import type { Currency } from '../money.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { readLaoPaymentQr } from '../lao-qr.ts';
import { readPaymentQr } from '../thai-qr.ts';

/** A scanned code as a bank app knows it: its issuer, and the amount (hundredths of the currency). */
export type Scan = {
  gateway: string;
  payee: string;
  amount: number;
  currency: Currency;
  reference1: string;
  code: Code;
  desk: Desk;
  status: string;
};

/**
 * Reads a scanned text and finds the gateway that issued it.
 * @throws Refusal `bad_payload` when it is no payment QR, `unknown_payee` when no gateway knows it
 */
export function scan(payload: string, deps: { store: Store; desks: readonly Desk[] }): Scan {
  const scanned = readPaymentQr(payload) ?? readLaoPaymentQr(payload);
  if (!scanned) throw new Refusal(400, 'bad_payload', 'This is not a payment QR, or its check sum is wrong');
  // Matched by the whole text: a code with a valid check sum but another text was altered or invented, and a gateway
  // accepts only codes that it issued.
  const code = findByPayload(deps.store, payload);
  const desk = deps.desks.find(({ gateway }) => gateway.name === code?.gateway);
  if (!code || !desk) throw new Refusal(404, 'unknown_payee', 'No gateway here issued this code');
  return {
    gateway: desk.gateway.name,
    payee: scanned.payee ?? desk.gateway.payee.accountName,
    amount: code.amount,
    currency: desk.gateway.currency,
    reference1: code.reference,
    code,
    desk,
    status: statusOf(code, Date.now()),
  };
}
