import { formatMoney } from '../../money.ts';
import type { Store } from '../../store.ts';
import { billPaymentQr } from '../../thai-qr.ts';
import { thaiDigits } from '../../time.ts';
import type { Claim, Gateway } from '../gateway.ts';
import { kbankRoutes } from './routes.ts';
import type { KbankSettings } from './settings.ts';

const CALLBACK_RETRIES = 3;

/** The QR gateway of a bank: codes of ten minutes, unsigned callbacks, at most four attempts. */
export function kbank(settings: KbankSettings, store: Store): Gateway {
  return {
    name: 'kbank',
    currency: 'BAHT',
    payee: { bankCode: 'KBANK', accountNo: settings.billerId, accountName: 'KRAPAO' },
    calls: { issue: 'qr_request', others: ['inquire_payment', 'qr_cancel'] },
    numberOf: (id) => `KB${String(id).padStart(12, '0')}`,
    payloadOf: ({ id, reference, amount }) =>
      billPaymentQr({
        billerId: settings.billerId,
        reference1: reference,
        reference2: `KB${String(id).padStart(12, '0')}`,
        amount: formatMoney(amount),
        name: 'KRAPAO',
        city: 'BANGKOK',
      }),
    transactionNumberOf: (id, at) => `${thaiDigits(at)}${String(id).padStart(6, '0')}`,
    callback: {
      url: settings.callbackUrl,
      retryMs: Array.from({ length: CALLBACK_RETRIES }, () => settings.callbackRetryMs),
      bodyOf: (claim) => JSON.stringify(callbackOf(settings, claim)),
      headersOf: () => ({ 'content-type': 'application/json' }),
      isTaken: (status, text) => status === 200 && readStatusCode(text) === '00',
    },
    routes: (app, { gatewayService, server }) => kbankRoutes(app, { gatewayService, server, settings, store }),
  };
}

function callbackOf(settings: KbankSettings, { code, amount, transactionNumber }: Claim): object {
  return {
    partnerTxnUid: code.number,
    partnerId: settings.partnerId,
    statusCode: '00',
    errorCode: null,
    errorDesc: null,
    merchantId: settings.merchantId,
    txnAmount: formatMoney(amount),
    txnCurrencyCode: 'THB',
    txnNo: transactionNumber,
    reference1: code.reference,
    reference2: code.notes,
    additionalInfo: null,
  };
}

function readStatusCode(text: string): unknown {
  try {
    return (JSON.parse(text) as { statusCode?: unknown } | null)?.statusCode;
  } catch {
    return undefined;
  }
}
