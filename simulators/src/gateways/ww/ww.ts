import { createHmac } from 'node:crypto';
import { formatMoney } from '../../money.ts';
import { billPaymentQr } from '../../thai-qr.ts';
import { thaiDigits, thaiTime } from '../../time.ts';
import type { Code } from '../codes.ts';
import type { Gateway } from '../gateway.ts';
import { paymentOf } from './payment.ts';
import { wwRoutes } from './routes.ts';
import type { WwSettings } from './settings.ts';

const RETRY_MS = [5_000, 30_000, 120_000];
const FORGERS_KEY = 'a guess';

/** A QR gateway whose HTTP status is the outcome, with signed callbacks. */
export function ww(settings: WwSettings): Gateway {
  const secret = Buffer.from(settings.signingSecret, 'base64');
  return {
    name: 'ww',
    currency: 'BAHT',
    payee: { bankCode: 'BBL', accountNo: settings.billerId, accountName: 'WW PAY FOR KRAPAO' },
    calls: { issue: 'create', others: ['inquire', 'cancel'] },
    numberOf: (id) => `ww_${String(id).padStart(12, '0')}`,
    payloadOf: ({ id, reference, amount }) =>
      billPaymentQr({
        billerId: settings.billerId,
        reference1: qrReference(reference),
        reference2: `WW${String(id).padStart(12, '0')}`,
        amount: formatMoney(amount),
        name: 'WW PAY KRAPAO',
        city: 'BANGKOK',
      }),
    transactionNumberOf: (id, at) => `WWT${thaiDigits(at)}${String(id).padStart(6, '0')}`,
    callback: {
      url: settings.callbackUrl,
      retryMs: RETRY_MS,
      bodyOf: ({ code, amount, transactionNumber, at }) => {
        const paidCode: Code = { ...code, paidAt: at, paidAmount: amount, txnNo: transactionNumber };
        return JSON.stringify({ event: 'payment.successful', createdAt: thaiTime(at), payment: paymentOf(paidCode) });
      },
      headersOf: (body, { at, isForged }) => {
        const timestamp = String(Math.floor(at / 1000));
        const key = isForged ? FORGERS_KEY : secret;
        return {
          'content-type': 'application/json',
          'ww-signature-timestamp': timestamp,
          'ww-signature': createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex'),
        };
      },
      isTaken: (status) => status >= 200 && status <= 299,
    },
    routes: (app, deps) => wwRoutes(app, { ...deps, settings }),
  };
}

/** Converts a merchant's reference to the format of bills: capitals and digits, at most 20. */
function qrReference(reference: string): string {
  return reference
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 20);
}
