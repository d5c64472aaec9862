import assert from 'node:assert/strict';
import { minor } from '@krapao/contract/money';
import { callBank } from '../../src/adapters/bank-client.ts';
import { signedBackend } from '../../src/adapters/chat-backend.ts';
import { openFeeds } from '../../src/adapters/feed/index.ts';
import { gameProviders } from '../../src/adapters/game/index.ts';
import { credits } from '../../src/adapters/game/port.ts';
import { openGateways } from '../../src/adapters/gateway/index.ts';
import { giftRedeemer } from '../../src/adapters/gift-redeemer.ts';
import { bankPayout } from '../../src/adapters/payout.ts';
import { bankSlipLookup } from '../../src/adapters/slip-lookup.ts';
import { bulkSms } from '../../src/adapters/sms.ts';
import { readBankStatement } from '../../src/adapters/statement/bank.ts';
import { readWalletAppStatement } from '../../src/adapters/statement/wallet-app.ts';
import { systemClock } from '../../src/platform/time.ts';
import type { TestOutside } from '../harness/outside-file.ts';

const REFERENCE = 'ABCDEFGH2345678';
const futureTime = new Date(Date.now() + 600_000).toISOString();
const pastTime = new Date(Date.now() - 1_000).toISOString();
const inquiredCode = { reference: REFERENCE, gatewayReference: 'G1', amount: minor(10_000n) };
const payoutOrder = {
  reference: 'W1',
  amount: minor(10_000n),
  currency: 'BAHT',
  to: { bankCode: 'SCB', accountNo: '1234567890', accountName: 'SOMJAI DEEMAK' },
} as const;
const transfer = { sendingBank: '014', transRef: 'T1' };
const player = { username: 'player1', password: 'secret1' };
const movement = { username: 'player1', direction: 'in', amount: credits(100n), reference: 'M1' } as const;

/** A call of an adapter, and the counterparty's reply to it. */
export type AdapterCall = {
  name: string;
  /** A valid reply; each of its texts is replaced in turn. */
  validReply: unknown;
  status?: number;
  call: () => Promise<unknown>;
  /** Reply fields that don't affect the outcome. */
  ignoredFields?: readonly string[];
};

const feedEntry = {
  direction: 'in',
  channel: 'TRANSFER',
  ...transfer,
  amount: '100.00',
  currency: 'THB',
  at: pastTime,
};
const bankFeedEntry = { ...feedEntry, from: { accountNo: 'xxx-x-x1234-x', name: 'SOMJAI D' }, reference1: null };
const walletFeedEntry = {
  type: 'P2P',
  transactionId: 'T1',
  sender: { phone: '0812345678', name: 'Nok' },
  amount: '1.00',
  currency: 'THB',
  at: pastTime,
  voucherId: null,
};

/** Every adapter of a counterparty. */
export const adapterCalls = (outside: TestOutside): AdapterCall[] => [
  ...gatewayCalls(outside),
  ...accountCalls(outside),
  ...otherCalls(outside),
  ...gameCalls(outside),
];

function gatewayCalls(outside: TestOutside): AdapterCall[] {
  const gatewaysByCode = new Map(openGateways(outside, systemClock).map((gateway) => [gateway.code, gateway]));
  const inquireAt = (code: string) => async () => gatewaysByCode.get(code)?.inquire(inquiredCode);
  return [
    {
      name: 'gateway KBANK',
      call: inquireAt('KBANK'),
      validReply: {
        statusCode: '00',
        txnStatus: 'PAID',
        origPartnerTxnUid: REFERENCE,
        reference1: REFERENCE,
        paidAmount: '100.00',
        txnCurrencyCode: 'THB',
        paidDt: pastTime,
        txnNo: 'N1',
        qrCode: 'x',
        payerBankCode: 'SCB',
        payerAccountNo: 'x1234',
        payerName: 'SOMJAI',
      },
      ignoredFields: ['origPartnerTxnUid', 'qrCode', 'payerBankCode', 'payerAccountNo', 'payerName'],
    },
    {
      name: 'gateway WW',
      call: inquireAt('WW'),
      validReply: {
        id: 'G1',
        merchantReference: REFERENCE,
        qrPayload: 'x',
        expiresAt: futureTime,
        status: 'successful',
        paid: {
          transactionId: 'N1',
          amount: '100.00',
          currency: 'THB',
          at: pastTime,
          payer: { bankCode: 'SCB', accountNo: 'x1234', name: 'SOMJAI' },
        },
      },
      ignoredFields: ['id', 'qrPayload', 'expiresAt', 'bankCode', 'accountNo', 'name'],
    },
    {
      name: 'gateway FP',
      call: inquireAt('FP'),
      validReply: {
        code: 0,
        data: {
          orderNo: REFERENCE,
          platformNo: 'G1',
          qrText: 'x',
          expireTime: Date.now() + 600_000,
          status: 'PAID',
          currency: 'THB',
          paidAmount: '100.00',
          payTime: Date.now() - 1_000,
          tradeNo: 'N1',
          payerBank: 'SCB',
          payerAccount: 'x1234',
          payerName: 'SOMJAI',
        },
      },
      ignoredFields: ['platformNo', 'qrText', 'expireTime', 'payerBank', 'payerAccount', 'payerName'],
    },
    {
      name: 'gateway PAYONEX',
      call: inquireAt('PAYONEX'),
      validReply: {
        success: true,
        data: {
          uuid: 'G1',
          referenceId: REFERENCE,
          type: 'DEPOSIT',
          status: 'SUCCESS',
          amount: 100,
          receivedAmount: 100,
          qrCode: 'x',
          expiredAt: futureTime,
          paidAt: pastTime,
          payer: { bankCode: 'SCB', accountNo: 'x1234', name: 'SOMJAI' },
        },
      },
      ignoredFields: ['qrCode', 'bankCode', 'accountNo', 'name'],
    },
    {
      name: 'gateway PAYONEX, unmatched payments',
      call: async () => gatewaysByCode.get('PAYONEX')?.unmatched?.(),
      validReply: {
        success: true,
        data: [
          { id: 'U1', amount: 100, at: pastTime, payer: { bankCode: 'SCB', accountNo: 'x1234', name: 'SOMJAI' } },
          { id: 'U2', amount: 100, at: pastTime, payer: null },
        ],
      },
    },
    {
      name: 'gateway BCEL',
      call: inquireAt('BCEL'),
      validReply: {
        transactionId: 'G1',
        tag1: REFERENCE,
        status: 'PAYMENT_COMPLETED',
        txnAmount: 20_000,
        currency: 'LAK',
        qrCode: 'x',
        expiredAt: futureTime,
        refNo: 'FT1',
        paidAt: pastTime,
        sourceBank: 'BCEL',
        sourceAccount: 'x1234',
        sourceName: 'SOMXAY',
      },
      ignoredFields: ['transactionId', 'qrCode', 'expiredAt', 'sourceBank', 'sourceAccount', 'sourceName'],
    },
  ];
}

/** Our accounts at the bank and in the wallet app. */
function accountCalls(outside: TestOutside): AdapterCall[] {
  const { walletApp } = outside;
  const { feeds } = openFeeds(outside, systemClock);
  const [bankFeed] = feeds;
  const walletFeed = feeds.find(({ name }) => name === 'wallet-app');
  assert.ok(walletApp && bankFeed && walletFeed);
  return [
    {
      name: 'feed of the bank',
      call: () => bankFeed.read('', 100),
      validReply: { lines: [bankFeedEntry, { ...bankFeedEntry, transRef: 'T2' }], nextCursor: '2', more: false },
    },
    {
      name: 'feed of the wallet app',
      call: () => walletFeed.read('', 100),
      validReply: {
        transactions: [walletFeedEntry, { ...walletFeedEntry, transactionId: 'T2' }],
        nextCursor: '2',
        more: false,
      },
    },
    {
      name: 'statement of the bank',
      call: () => readBankStatement(callBank(outside.bank, systemClock), { bankCode: 'SCB', accountNo: '1' }),
      validReply: { lines: [bankFeedEntry], nextCursor: '2', more: false },
    },
    {
      name: 'statement of the wallet app',
      call: () => readWalletAppStatement(walletApp),
      validReply: { transactions: [walletFeedEntry], nextCursor: '2', more: false },
    },
  ];
}

function otherCalls(outside: TestOutside): AdapterCall[] {
  const bank = bankPayout(outside.bank, systemClock);
  const giftClient = giftRedeemer({ url: outside.bank.url, phone: '0800000001', timeoutMs: 5_000 });
  return [
    {
      name: 'payout inquiry',
      call: () => bank.inquire(payoutOrder),
      validReply: {
        reference: 'W1',
        status: 'FAILED',
        to: { bankCode: 'SCB', accountNo: '1234567890' },
        amount: '100.00',
        currency: 'THB',
        reason: 'account_closed',
        transRef: 'B1',
      },
    },
    {
      name: 'payout order',
      call: () => bank.send(payoutOrder),
      status: 422,
      validReply: { error: 'declined', message: 'no' },
    },
    {
      name: 'look-up of a slip',
      call: () => bankSlipLookup(outside.bank, systemClock).fetchOperatorData(transfer),
      validReply: {
        code: '0000',
        data: {
          ...transfer,
          amount: '100.00',
          currency: 'THB',
          at: pastTime,
          from: { bankCode: 'SCB', accountNo: 'xxx-x-x1234-x', name: 'SOMJAI' },
          to: { type: 'ACCOUNT', bankCode: 'SCB', accountNo: 'x1234', name: 'KRAPAO', reference1: null },
        },
      },
    },
    {
      name: 'gift of the wallet app',
      call: () => giftClient.verify('hash'),
      validReply: {
        status: { code: 'TARGET_USER_REDEEMED', message: 'x' },
        data: {
          voucher: { voucher_id: 'V1', amount_baht: '100.00', member: 1 },
          my_ticket: { mobile: '080-xxx-0001', amount_baht: '100.00' },
          tickets: [{ mobile: '080-xxx-0001', amount_baht: '100.00' }],
        },
      },
    },
    {
      name: 'SMS gateway',
      call: () => bulkSms(outside.sms).send('0812345678', 'text'),
      status: 400,
      validReply: { error: { name: 'ERROR', description: 'x' } },
    },
    { name: 'chat backend', call: () => forwardMessage(outside), validReply: { accepted: true } },
  ];
}

function forwardMessage(outside: TestOutside): Promise<unknown> {
  const settings = {
    url: outside.bank.url,
    socketUrl: 'ws://x',
    key: 'k',
    secret: 's'.repeat(32),
    callbackUrl: 'x',
    timeoutMs: 5_000,
  };
  return signedBackend(settings, systemClock).forward({
    id: '1',
    conversation: 'c',
    room: 'r',
    sequence: 1,
    customer: { kind: 'member', name: 'n', username: 'u', deviceToken: '' },
    message: { message_type: 'text', payload: { text: 'x' } } as never,
    createdAt: pastTime,
  });
}

/** Every field of the providers' protocols, so that each adapter accepts the envelope with some of the values. */
function gameCalls(outside: TestOutside): AdapterCall[] {
  const validReply = {
    code: 0,
    status: 'success',
    success: true,
    ok: true,
    error: null,
    Message: 'OK',
    Status: 'OK',
    Username: 'player1',
    RequestID: 'M1',
    msg: 'x',
    data: {
      username: 'player1',
      amount: '1.00',
      before: '0.00',
      after: '1.00',
      ref: 'M1',
      transactionRef: 'M1',
      url: 'x',
    },
  };
  return [...gameProviders(outside.games, undefined, systemClock).values()].map((provider) => ({
    name: `game provider ${provider.name}`,
    validReply,
    call: async () => [
      await provider.create(player),
      await provider.balance('player1'),
      await provider.move(movement),
      await provider.check?.(movement),
      provider.launch.kind === 'link' &&
        (await provider.launch.open({ ...player, game: null, language: 'th', returnUrl: 'http://x' })),
    ],
  }));
}
