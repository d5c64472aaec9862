import { kipOf, laoMerchantQr } from '../../lao-qr.ts';
import { thaiDigits } from '../../time.ts';
import type { Claim, Gateway } from '../gateway.ts';
import { bcelRoutes } from './routes.ts';
import type { BcelSettings } from './settings.ts';

/** BCEL OnePay behind a payment gateway: Lao QR codes in whole kip, unsigned callbacks. */
export function bcel(settings: BcelSettings): Gateway {
  const numberOf = (id: number) => `bcel-${String(id).padStart(12, '0')}`;
  return {
    name: 'bcel',
    currency: 'LAK',
    payee: { bankCode: 'BCEL', accountNo: settings.merchantId, accountName: 'KRAPAO LAO' },
    calls: { issue: 'generate-qr', others: ['inquire'] },
    numberOf,
    payloadOf: ({ id, reference, amount }) =>
      laoMerchantQr({
        merchantId: settings.merchantId,
        kip: String(kipOf(amount)),
        bill: reference,
        transactionId: numberOf(id),
        name: 'KRAPAO LAO',
        city: 'VTE',
      }),
    transactionNumberOf: (id, at) => `FT${thaiDigits(at).slice(2, 8)}${String(id).padStart(6, '0')}`,
    callback: {
      url: settings.callbackUrl,
      retryMs: [10_000, 60_000, 300_000],
      bodyOf: (claim) => JSON.stringify(callbackOf(claim)),
      headersOf: () => ({ 'content-type': 'application/json' }),
      isTaken: (status) => status === 200,
    },
    routes: (app, { gatewayService, server }) => bcelRoutes(app, { gatewayService, server, settings }),
  };
}

function callbackOf({ code, amount, transactionNumber }: Claim): object {
  return {
    message: 'SUCCESS',
    status: 'PAYMENT_COMPLETED',
    transactionId: code.number,
    tag1: code.reference,
    txnAmount: kipOf(amount),
    refNo: transactionNumber,
    sourceName: code.payerName,
  };
}
