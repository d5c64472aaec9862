import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, Sentence } from './install.mjs';

/** Accounts of the demonstration site, as `server/seed/deposit.json` offers them: money comes to them and is paid out of them. */
const ACCOUNTS = [
  { bankCode: 'SCB', accountNo: '4680001234', accountName: 'KRAPAO COMPANY LIMITED', currency: 'BAHT' },
  { bankCode: 'KBANK', accountNo: '1238004567', accountName: 'KRAPAO COMPANY LIMITED', currency: 'BAHT' },
  { bankCode: 'GSB', accountNo: '020123456789', accountName: 'KRAPAO COMPANY LIMITED', currency: 'BAHT' },
  { bankCode: 'BCEL', accountNo: '010120001234567', accountName: 'KRAPAO LAO SOLE COMPANY', currency: 'LAK' },
];
const WALLET_APP = { accountName: 'KRAPAO', phone: '0800000001' };

/** The secrets of a data folder: made once, kept for good, readable by its owner alone. */
export function ensureSecrets(path) {
  const kept = existsSync(path) ? readSecrets(path) : {};
  // A folder of an earlier version lacks what has come since; what it has stays as it is.
  const secrets = withLacking(kept, newSecrets());
  if (JSON.stringify(secrets) !== JSON.stringify(kept)) writeWhole(path, secrets);
  return secrets;
}

/** What is there, at every depth, and of the rest what is new. */
function withLacking(kept, fresh) {
  const lacking = Object.entries(fresh).map(([name, value]) => {
    const isGroup = typeof value === 'object' && typeof kept[name] === 'object';
    return [name, isGroup ? withLacking(kept[name], value) : (kept[name] ?? value)];
  });
  return { ...kept, ...Object.fromEntries(lacking) };
}

function readSecrets(path) {
  let found;
  try {
    found = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Refused below, as JSON that is no object.
  }
  if (found?.constructor === Object) return found;
  throw new Sentence(`${path} can't be read as JSON. It holds the key of the encrypted data: put back a copy of it.`);
}

function newSecrets() {
  return {
    encryptionKey: randomBytes(32).toString('base64'),
    sms: { key: secret(12), secret: secret(24) },
    ...Object.fromEntries(gateways().map(({ name, secrets }) => [name, newValues(secrets)])),
    transferBank: { apiKey: secret(16), apiSecret: secret(24), callbackSecret: secret(24) },
    walletApp: { apiKey: secret(24), webhookSecret: secret(32) },
    chatBackend: { key: secret(12), secret: secret(32) },
    games: {
      pg: { operatorToken: secret(16), secretKey: secret(24) },
      askmebet: { agent: `krp${digits(4)}`, key: secret(24) },
      joker2: { appId: `J${digits(5)}`, secret: secret(24) },
      betflix: { apiKey: secret(24), apiCat: secret(16) },
      areaslot: { agent: `area${digits(4)}`, key: secret(24) },
      huayhd: { agent: `hua${digits(4)}`, secret: secret(32) },
      imi: { user: `imi${digits(4)}`, password: secret(24) },
      usun: { clientId: `usun${digits(4)}`, clientSecret: secret(24) },
      circus: { operatorId: `cir${digits(4)}`, privateKey: newPrivateKey() },
      slotracha: { token: secret(32) },
      pgslot: { agent: `pgs${digits(4)}`, secret: secret(32) },
      naga: { merchant: `N${digits(6)}`, secret: secret(24) },
      saming: { merchant: `S${digits(6)}`, secret: secret(24) },
      royal: { agent: `roy${digits(4)}`, key: secret(24) },
    },
  };
}

/**
 * Writes down where the simulated outside is and with which credentials, for the server and for the simulators.
 * @param places as `placesOf` answers them
 */
export function writeOutside(path, secrets, { url, outside, publicUrl, simulatorsUrl, followHost }, timeoutMs) {
  // Of gateways whose callbacks are not signed, the address itself is the secret.
  const gateway = ({ name, fixed }) => {
    const { callbackKey } = secrets[name];
    const key = callbackKey === undefined ? '' : `?key=${callbackKey}`;
    const callbackUrl = `${url}/api/callback/${name}${key}`;
    return [name, { url: `${outside}/${name}`, ...secrets[name], ...fixed, callbackUrl, timeoutMs }];
  };
  writeWhole(path, {
    publicUrl,
    ...(simulatorsUrl === undefined ? {} : { simulatorsUrl }),
    followHost,
    sms: { url: `${outside}/sms`, ...secrets.sms, sender: 'KRAPAO', timeoutMs },
    ...Object.fromEntries(gateways().map(gateway)),
    bank: {
      url: `${outside}/bank-api`,
      ...secrets.transferBank,
      feedCallbackUrl: `${url}/api/callback/bank-feed`,
      payoutCallbackUrl: `${url}/api/callback/bank-payout`,
      timeoutMs,
      accounts: ACCOUNTS,
    },
    walletApp: {
      url: `${outside}/wallet-app-api`,
      ...secrets.walletApp,
      ...WALLET_APP,
      callbackUrl: `${url}/api/callback/wallet-app`,
      timeoutMs,
    },
    chatBackend: {
      url: `${outside}/chat-backend`,
      ...secrets.chatBackend,
      socketUrl: simulatorsUrl ?? outside,
      callbackUrl: `${url}/api/callback/chat`,
      timeoutMs,
    },
    games: gamesOutside({ outside, simulatorsUrl }, secrets.games, timeoutMs),
  });
}

/** The kind of a provider is its name, but for these. */
const KINDS = {
  naga: { kind: 'formpost', formCharacters: null },
  saming: { kind: 'formpost', formCharacters: 16 },
};

function gamesOutside({ outside, simulatorsUrl = outside }, secrets, timeoutMs) {
  const names = Object.keys(secrets);
  return Object.fromEntries(
    names.map((name) => {
      const url = `${outside}/games/${name}`;
      const site = `${simulatorsUrl}/games/${name}`;
      const sites = { th: `${site}/site/th`, la: `${site}/site/la` };
      return [name, { kind: name, ...KINDS[name], url, site, sites, ...secrets[name], timeoutMs }];
    }),
  );
}

// Written beside and renamed: a kill on the way leaves the old file or none, never half of one.
function writeWhole(path, value) {
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    // It holds keys.
    if (existsSync(unfinished)) rmSync(unfinished);
    throw new Sentence(`${path} can't be written (${error.code}): name another place, or mend this one.`);
  }
}

const GATEWAYS = join(ROOT, 'simulators/src/gateways');

/** What is agreed with each simulated gateway, as its folder says: secrets that are made, and fixed values. */
function gateways() {
  return readdirSync(GATEWAYS)
    .filter((name) => existsSync(join(GATEWAYS, name, 'agreement.json')))
    .map((name) => ({ name, ...JSON.parse(readFileSync(join(GATEWAYS, name, 'agreement.json'), 'utf8')) }));
}

const newValues = (wanted) => Object.fromEntries(Object.entries(wanted).map(([name, how]) => [name, newValue(how)]));

function newValue({ prefix = '', digits: count, hexDigits, bytes, base64Bytes }) {
  if (count !== undefined) return prefix + digits(count);
  if (hexDigits !== undefined) return prefix + randomBytes(hexDigits).toString('hex').slice(0, hexDigits);
  return base64Bytes === undefined ? prefix + secret(bytes) : randomBytes(base64Bytes).toString('base64');
}

function secret(bytes) {
  return randomBytes(bytes).toString('base64url');
}

function newPrivateKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' });
}

function digits(length) {
  return Array.from({ length }, () => randomInt(10)).join('');
}
