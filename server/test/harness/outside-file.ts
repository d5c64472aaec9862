import { writeFileSync } from 'node:fs';
import type { Outside } from '../../src/outside.ts';

/** Short, so that a test of a silent outside does not take long; long enough for a busy machine. */
export const OUTSIDE_TIMEOUT_MS = 400;

/** What outside.json says in tests: two loopback addresses and credentials that mean nothing. */
export function testOutside(url: string, simulatorsUrl: string): Outside {
  const callbackKey = 'test-callback-key-0123456789';
  return {
    publicUrl: url,
    sms: {
      url: `${simulatorsUrl}/sms`,
      key: 'test-sms-key',
      secret: 'test-sms-secret',
      sender: 'KRAPAO',
      timeoutMs: OUTSIDE_TIMEOUT_MS,
    },
    kbank: {
      url: `${simulatorsUrl}/kbank`,
      partnerId: 'TESTPARTNER',
      partnerSecret: 'test-partner-secret',
      merchantId: 'TESTMERCHANT',
      terminalId: 'TERM01',
      billerId: '010555555555501',
      callbackUrl: `${url}/api/callback/kbank?key=${callbackKey}`,
      callbackKey,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
      callbackRetryMs: 300,
    },
    ww: {
      url: `${simulatorsUrl}/ww`,
      merchantId: 'TESTWW',
      apiKey: 'test-ww-api-key',
      signingSecret: Buffer.from('test-ww-signing-secret').toString('base64'),
      billerId: '010555555555502',
      callbackUrl: `${url}/api/callback/ww`,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
    },
    fp: {
      url: `${simulatorsUrl}/fp`,
      merchantNo: 'TESTFP',
      key: 'test-fp-key',
      billerId: '010555555555503',
      callbackUrl: `${url}/api/callback/fp?key=${callbackKey}`,
      callbackKey,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
    },
    payonex: {
      url: `${simulatorsUrl}/payonex`,
      accessKey: 'test-payonex-access',
      secretKey: 'test-payonex-secret',
      callbackUrl: `${url}/api/callback/payonex?key=${callbackKey}`,
      callbackKey,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
    },
    bcel: {
      url: `${simulatorsUrl}/bcel`,
      merchantId: 'mch0123456789abc',
      secretKey: 'test-bcel-secret',
      callbackUrl: `${url}/api/callback/bcel?key=${callbackKey}`,
      callbackKey,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
    },
    bank: {
      url: `${simulatorsUrl}/bank-api`,
      apiKey: 'test-bank-key',
      apiSecret: 'test-bank-api-secret',
      callbackSecret: 'test-bank-callback-secret',
      feedCallbackUrl: `${url}/api/callback/bank-feed`,
      payoutCallbackUrl: `${url}/api/callback/bank-payout`,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
      accounts: [
        { bankCode: 'SCB', accountNo: '4680001234', accountName: 'KRAPAO COMPANY LIMITED', currency: 'BAHT' },
        { bankCode: 'KBANK', accountNo: '1238004567', accountName: 'KRAPAO COMPANY LIMITED', currency: 'BAHT' },
        { bankCode: 'GSB', accountNo: '020123456789', accountName: 'KRAPAO COMPANY LIMITED', currency: 'BAHT' },
        { bankCode: 'BCEL', accountNo: '010120001234567', accountName: 'KRAPAO LAO SOLE COMPANY', currency: 'LAK' },
      ],
    },
    walletApp: {
      url: `${simulatorsUrl}/wallet-app-api`,
      apiKey: 'test-wallet-app-key',
      accountName: 'KRAPAO',
      phone: '0800000001',
      webhookSecret: 'test-wallet-app-webhook-secret',
      callbackUrl: `${url}/api/callback/wallet-app`,
      timeoutMs: OUTSIDE_TIMEOUT_MS,
    },
    games: {
      pg: {
        kind: 'pg',
        url: `${simulatorsUrl}/games/pg`,
        operatorToken: 'test-operator',
        secretKey: 'test-pg-secret',
        timeoutMs: OUTSIDE_TIMEOUT_MS,
      },
      askmebet: {
        kind: 'askmebet',
        url: `${simulatorsUrl}/games/askmebet`,
        agent: 'test-agent',
        key: 'test-askmebet-key',
        timeoutMs: OUTSIDE_TIMEOUT_MS,
      },
    },
  };
}

/** Writes it where the simulators read it. */
export function writeOutside(path: string, outside: Outside): void {
  writeFileSync(path, JSON.stringify(outside), { mode: 0o600 });
}
