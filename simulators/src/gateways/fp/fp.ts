import { formatMoney } from '../../money.ts';
import { billPaymentQr } from '../../thai-qr.ts';
import { thaiDigits } from '../../time.ts';
import type { Gateway } from '../gateway.ts';
import { fpRoutes } from './routes.ts';
import type { FpSettings } from './settings.ts';

const RETRY_MS = [30_000, 300_000, 600_000, 3_600_000, 43_200_000];

/** A QR gateway with signed forms, idempotent by order number. Callbacks are unsigned and retried for half a day. */
export function fp(settings: FpSettings): Gateway {
  const numberOf = (id: number) => `FP${String(id).padStart(12, '0')}`;
  return {
    name: 'fp',
    currency: 'BAHT',
    payee: { bankCode: 'KTB', accountNo: settings.billerId, accountName: 'FP FOR KRAPAO' },
    calls: { issue: 'create', others: ['query', 'close'] },
    numberOf,
    payloadOf: ({ number, reference, amount }) =>
      billPaymentQr({
        billerId: settings.billerId,
        reference1: reference.slice(0, 20),
        reference2: number,
        amount: formatMoney(amount),
        name: 'FP KRAPAO',
        city: 'BANGKOK',
      }),
    transactionNumberOf: (id, at) => `FPT${thaiDigits(at)}${String(id).padStart(6, '0')}`,
    callback: {
      url: settings.callbackUrl,
      retryMs: RETRY_MS,
      bodyOf: ({ code, amount, transactionNumber, at }) =>
        new URLSearchParams({
          merchantNo: settings.merchantNo,
          orderNo: code.reference,
          platformNo: code.number,
          status: 'PAID',
          amount: formatMoney(amount),
          tradeNo: transactionNumber,
          payTime: String(at),
        }).toString(),
      headersOf: () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
      isTaken: (status, text) => status === 200 && text === 'success',
    },
    routes: (app, deps) => fpRoutes(app, { ...deps, settings }),
  };
}
