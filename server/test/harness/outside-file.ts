import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Outside } from '../../src/outside-config.ts';

/** Long, because every reply must be in time on a busy machine. Tests of silent counterparties set shorter timeouts. */
const OUTSIDE_TIMEOUT_MS = 5_000;

/** An outside file with every party that the simulators play. */
export type TestOutside = Outside & {
  sms: NonNullable<Outside['sms']>;
  /** `callbackRetryMs`: read by the simulators alone. */
  kbank: NonNullable<Outside['kbank']> & { callbackRetryMs: number };
};

/** outside.json of the tests: two loopback addresses and test credentials. */
export function buildTestOutside(url: string, simulatorsUrl: string): TestOutside {
  const callbackKey = 'test-callback-key-0123456789';
  return {
    publicUrl: url,
    followHost: [],
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
    push: { url: `${simulatorsUrl}/push` },
    games: buildTestGames(simulatorsUrl),
  };
}

/** Short, because the key protects nothing and each test process generates one. */
const KEY_BITS = 1024;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: KEY_BITS });

/** Every provider of the demonstration site. */
function buildTestGames(simulatorsUrl: string): Outside['games'] {
  const gameConfigAt = (name: string) => {
    const url = `${simulatorsUrl}/games/${name}`;
    return { url, sites: { th: `${url}/site/th`, la: `${url}/site/la` }, timeoutMs: OUTSIDE_TIMEOUT_MS };
  };
  const formpostConfig = { kind: 'formpost', secret: 'test-form-secret' } as const;
  return {
    pg: { kind: 'pg', ...gameConfigAt('pg'), operatorToken: 'test-operator', secretKey: 'test-pg-secret' },
    askmebet: { kind: 'askmebet', ...gameConfigAt('askmebet'), agent: 'test-agent', key: 'test-askmebet-key' },
    joker2: { kind: 'joker2', ...gameConfigAt('joker2'), appId: 'TESTJ', secret: 'test-joker-secret' },
    betflix: { kind: 'betflix', ...gameConfigAt('betflix'), apiKey: 'test-betflix-key', apiCat: 'test-betflix-cat' },
    areaslot: { kind: 'areaslot', ...gameConfigAt('areaslot'), agent: 'test-area', key: 'test-areaslot-key' },
    huayhd: { kind: 'huayhd', ...gameConfigAt('huayhd'), agent: 'test-huay', secret: 'test-huayhd-secret' },
    imi: { kind: 'imi', ...gameConfigAt('imi'), user: 'test-imi', password: 'test-imi-password' },
    usun: { kind: 'usun', ...gameConfigAt('usun'), clientId: 'test-usun', clientSecret: 'test-usun-secret' },
    circus: {
      kind: 'circus',
      ...gameConfigAt('circus'),
      operatorId: 'test-circus',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    slotracha: { kind: 'slotracha', ...gameConfigAt('slotracha'), token: 'test-slotracha-token' },
    pgslot: { kind: 'pgslot', ...gameConfigAt('pgslot'), agent: 'test-pgslot', secret: 'test-pgslot-secret' },
    naga: { ...formpostConfig, ...gameConfigAt('naga'), merchant: 'TESTN', formCharacters: null },
    saming: { ...formpostConfig, ...gameConfigAt('saming'), merchant: 'TESTS', formCharacters: 16 },
    royal: { kind: 'royal', ...gameConfigAt('royal'), agent: 'test-royal', key: 'test-royal-key' },
  };
}

/** Signs push messages; all servers of a test share it. */
export const { privateKey: PUSH_KEY } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Writes the file for the simulators. */
export function writeOutside(path: string, outside: Outside): void {
  writeFileSync(path, JSON.stringify(outside), { mode: 0o600 });
}
