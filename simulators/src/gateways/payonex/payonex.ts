import { randomUUID } from 'node:crypto';
import { formatMoney, moneyNumber } from '../../money.ts';
import type { Store } from '../../store.ts';
import { promptPayQr } from '../../thai-qr.ts';
import type { Claim, Gateway } from '../gateway.ts';
import { CollectingAccount, feeOf } from './collecting-account.ts';
import { payonexRoutes } from './routes.ts';
import type { PayonexSettings } from './settings.ts';

/** The account that receives all payments: an e-wallet of the gateway. */
const COLLECTING_E_WALLET = '004999000000017';

/** A gateway that collects plain PromptPay transfers: matches payments by amount, and deducts a fee. */
export function payonex(settings: PayonexSettings, store: Store): Gateway {
  const collectingAccount = new CollectingAccount(store);
  return {
    name: 'payonex',
    currency: 'BAHT',
    payee: { bankCode: 'PAYONEX', accountNo: COLLECTING_E_WALLET, accountName: 'PAYONEX COLLECT' },
    calls: { issue: 'request', others: ['authenticate', 'customers', 'transaction'] },
    numberOf: () => randomUUID(),
    payloadOf: ({ id, amount }) =>
      promptPayQr({
        eWallet: COLLECTING_E_WALLET,
        amount: formatMoney(amount),
        name: 'PAYONEX COLLECT',
        label: String(id).padStart(10, '0'),
      }),
    transactionNumberOf: (id) => `PX${String(id).padStart(12, '0')}`,
    callback: {
      url: settings.callbackUrl,
      retryMs: [10_000, 60_000, 300_000],
      bodyOf: (claim) => JSON.stringify(callbackOf(claim)),
      headersOf: () => ({ 'content-type': 'application/json' }),
      isTaken: (status) => status === 200,
    },
    finder: collectingAccount,
    routes: (app, { gatewayService, server }) =>
      payonexRoutes(app, { gatewayService, server, settings, store, collecting: collectingAccount }),
  };
}

function callbackOf({ code, amount, transactionNumber }: Claim): object {
  // Without a transaction number the code is unpaid: the callback reports that its payment is held.
  const isHeld = transactionNumber === '';
  const fee = isHeld ? 0 : feeOf(amount);
  return {
    success: true,
    data: {
      uuid: code.number,
      referenceId: code.reference,
      amount: moneyNumber(amount),
      fee: moneyNumber(fee),
      settleAmount: isHeld ? 0 : moneyNumber(amount - fee),
      type: 'DEPOSIT',
      status: isHeld ? 'ON_HOLD' : code.refundedAt === null ? 'SUCCESS' : 'REFUNDED',
    },
  };
}
