import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Sentence } from './install.mjs';

const TIMEOUT_MS = 10_000;

/** The secrets of a data folder: made once, kept for good, readable by its owner alone. */
export function ensureSecrets(path) {
  if (existsSync(path)) {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      throw new Sentence(
        `${path} can't be read as JSON. It holds the key of the encrypted data: put back a copy of it.`,
      );
    }
  }
  const secrets = {
    encryptionKey: randomBytes(32).toString('base64'),
    sms: { key: secret(12), secret: secret(24) },
    kbank: {
      partnerId: `KRP${digits(7)}`,
      partnerSecret: secret(24),
      merchantId: `KB${digits(13)}`,
      billerId: `01${digits(13)}`,
      callbackKey: secret(24),
    },
    bank: { accountNo: digits(10) },
    games: {
      pg: { operatorToken: secret(16), secretKey: secret(24) },
      askmebet: { agent: `krp${digits(4)}`, key: secret(24) },
    },
  };
  writeWhole(path, secrets);
  return secrets;
}

/** Writes down where the simulated outside is and with which credentials, for the server and for the simulators. */
export function writeOutside(path, secrets, { port, simulatorsPort }) {
  const url = `http://127.0.0.1:${port}`;
  const outside = `http://127.0.0.1:${simulatorsPort}`;
  writeWhole(path, {
    publicUrl: url,
    sms: { url: `${outside}/sms`, ...secrets.sms, sender: 'KRAPAO', timeoutMs: TIMEOUT_MS },
    kbank: {
      url: `${outside}/kbank`,
      ...secrets.kbank,
      terminalId: 'TERM01',
      callbackUrl: `${url}/api/callback/kbank?key=${secrets.kbank.callbackKey}`,
      timeoutMs: TIMEOUT_MS,
      callbackRetryMs: 12_000,
    },
    bank: { accounts: [{ bankCode: 'SCB', accountNo: secrets.bank.accountNo, accountName: 'KRAPAO COMPANY LIMITED' }] },
    games: {
      pg: { kind: 'pg', url: `${outside}/games/pg`, ...secrets.games.pg, timeoutMs: TIMEOUT_MS },
      askmebet: {
        kind: 'askmebet',
        url: `${outside}/games/askmebet`,
        ...secrets.games.askmebet,
        timeoutMs: TIMEOUT_MS,
      },
    },
  });
}

// Written beside and renamed: a kill on the way leaves the old file or none, never half of one.
function writeWhole(path, value) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}

function secret(bytes) {
  return randomBytes(bytes).toString('base64url');
}

function digits(length) {
  return Array.from({ length }, () => randomInt(10)).join('');
}
