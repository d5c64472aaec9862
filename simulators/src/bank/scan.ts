import { type Code, findByPayload, statusOf } from '../gateways/codes.ts';
import type { GatewayService } from '../gateways/gateway-service.ts';
import { readLaoPaymentQr } from '../lao-qr.ts';
import type { Currency } from '../money.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { readPaymentQr } from '../thai-qr.ts';

/** A scanned QR code: its issuer, and the amount (hundredths of the currency). */
export type Scan = {
  gateway: string;
  payee: string;
  amount: number;
  currency: Currency;
  reference1: string;
  code: Code;
  gatewayService: GatewayService;
  status: string;
};

/**
 * Parses a scanned text and finds the gateway that issued it.
 * @throws Refusal `bad_payload` for a text that is no payment QR, `unknown_payee` when no gateway issued it
 */
export function scan(payload: string, deps: { store: Store; gatewayServices: readonly GatewayService[] }): Scan {
  const parsedQr = readPaymentQr(payload) ?? readLaoPaymentQr(payload);
  if (!parsedQr) throw new Refusal(400, 'bad_payload', 'This is not a payment QR, or its check sum is wrong');
  // Matches the whole text: a code with a valid check sum but another text was altered or invented, and a gateway
  // accepts only codes that it issued.
  const code = findByPayload(deps.store, payload);
  const gatewayService = deps.gatewayServices.find(({ gateway }) => gateway.name === code?.gateway);
  if (!code || !gatewayService) throw new Refusal(404, 'unknown_payee', 'No gateway here issued this code');
  return {
    gateway: gatewayService.gateway.name,
    payee: parsedQr.payee ?? gatewayService.gateway.payee.accountName,
    amount: code.amount,
    currency: gatewayService.gateway.currency,
    reference1: code.reference,
    code,
    gatewayService,
    status: statusOf(code, Date.now()),
  };
}
