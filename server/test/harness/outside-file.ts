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
    bank: { accounts: [{ bankCode: 'SCB', accountNo: '9990000001', accountName: 'KRAPAO COMPANY' }] },
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
