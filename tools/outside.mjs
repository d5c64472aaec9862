import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, UserError } from './install.mjs';

const readSeed = (name) => JSON.parse(readFileSync(join(ROOT, `server/seed/${name}.json`), 'utf8'));

/** Accounts of the demonstration site; they receive deposits and send payouts. */
const operatorAccounts = () =>
  readSeed('deposit')
    .filter(({ bankType }) => bankType === 'BANK')
    .map(({ bankCode, accountNo, accountName, currency }) => ({ bankCode, accountNo, accountName, currency }));

function demoWallet() {
  const [{ accountName, accountNo }] = readSeed('wallets');
  return { accountName, phone: accountNo };
}

/** Creates the secrets of a data folder once, readable only by their owner; never replaces existing ones. */
export function ensureSecrets(path) {
  const existingSecrets = existsSync(path) ? readSecrets(path) : {};
  // Secrets of an earlier version lack newer fields; existing ones stay.
  const secrets = withLacking(existingSecrets, newSecrets());
  if (JSON.stringify(secrets) !== JSON.stringify(existingSecrets)) writeWhole(path, secrets);
  return secrets;
}

/** Existing values at every depth, with missing ones taken from the new values. */
function withLacking(existingSecrets, newSecrets) {
  const missingSecrets = Object.entries(newSecrets).map(([name, value]) => {
    const isGroup = typeof value === 'object' && typeof existingSecrets[name] === 'object';
    return [name, isGroup ? withLacking(existingSecrets[name], value) : (existingSecrets[name] ?? value)];
  });
  return { ...existingSecrets, ...Object.fromEntries(missingSecrets) };
}

function readSecrets(path) {
  let content;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Refused below, like JSON that is no object.
  }
  if (content?.constructor === Object) return content;
  throw new UserError(`${path} can't be read as JSON. It holds the key of the encrypted data: put back a copy of it.`);
}

function newSecrets() {
  return {
    encryptionKey: randomBytes(32).toString('base64'),
    push: { privateKey: newPushKey() },
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
 * Writes URLs and credentials of the simulated outside, for server and simulators.
 * @param urls addresses of server, simulators and outside
 */
export function writeOutside(path, secrets, { url, outside, publicUrl, simulatorsUrl, followHost }, timeoutMs) {
  // A gateway that does not sign its callbacks authenticates them by a secret in the address.
  const gateway = ({ name, fixed: fixedSettings }) => {
    const { callbackKey } = secrets[name];
    const key = callbackKey === undefined ? '' : `?key=${callbackKey}`;
    const callbackUrl = `${url}/api/callback/${name}${key}`;
    return [name, { url: `${outside}/${name}`, ...secrets[name], ...fixedSettings, callbackUrl, timeoutMs }];
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
      accounts: operatorAccounts(),
    },
    walletApp: {
      url: `${outside}/wallet-app-api`,
      ...secrets.walletApp,
      ...demoWallet(),
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
    push: { url: `${outside}/push` },
    games: gamesOutside({ outside, simulatorsUrl }, secrets.games, timeoutMs),
  });
}

/** Kinds of providers whose kind differs from their name. */
const PROVIDER_KINDS = {
  naga: { kind: 'formpost', formCharacters: null },
  saming: { kind: 'formpost', formCharacters: 16 },
};

function gamesOutside({ outside, simulatorsUrl = outside }, secrets, timeoutMs) {
  const names = Object.keys(secrets);
  return Object.fromEntries(
    names.map((name) => {
      const url = `${outside}/games/${name}`;
      const siteUrl = `${simulatorsUrl}/games/${name}`;
      const siteByCountry = { th: `${siteUrl}/site/th`, la: `${siteUrl}/site/la` };
      return [
        name,
        { kind: name, ...PROVIDER_KINDS[name], url, site: siteUrl, sites: siteByCountry, ...secrets[name], timeoutMs },
      ];
    }),
  );
}

// Writes a temporary file and renames it, so that a kill never leaves a partial file.
function writeWhole(path, value) {
  const temporaryPath = `${path}.${process.pid}`;
  try {
    // A rename would replace a device such as /dev/null by a file.
    if (statSync(path, { throwIfNoEntry: false })?.isCharacterDevice())
      throw Object.assign(new Error(), { code: 'EINVAL' });
    writeFileSync(temporaryPath, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporaryPath, path);
  } catch (error) {
    // A leftover temporary file contains keys.
    if (existsSync(temporaryPath)) rmSync(temporaryPath);
    throw new UserError(`${path} can't be written (${error.code}): name another file, or fix this one.`);
  }
}

const GATEWAYS_FOLDER = join(ROOT, 'simulators/src/gateways');

/** Settings of each simulated gateway, from agreement.json in its folder: secrets to generate, and fixed values. */
function gateways() {
  return readdirSync(GATEWAYS_FOLDER)
    .filter((name) => existsSync(join(GATEWAYS_FOLDER, name, 'agreement.json')))
    .map((name) => ({ name, ...JSON.parse(readFileSync(join(GATEWAYS_FOLDER, name, 'agreement.json'), 'utf8')) }));
}

const newValues = (formats) =>
  Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, newValue(format)]));

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

function newPushKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

function digits(length) {
  return Array.from({ length }, () => randomInt(10)).join('');
}
