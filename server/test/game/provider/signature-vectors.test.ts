import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { credits, type Movement } from '../../../src/adapters/game/port.ts';
import type { Clock } from '../../../src/platform/time.ts';
import { type ReceivedCall, startListeningProvider } from './listening-provider.ts';

const MOVEMENT: Movement = {
  username: 'kpmali0000000001',
  direction: 'in',
  amount: credits(123_450n),
  reference: 'T0000000000000001',
};

/** Fixed at 1,700,000,000 seconds after 1970. */
const STOPPED_CLOCK: Clock = { now: () => new Date(1_700_000_000_000) };

/** The movement as received by a provider of this kind. Its reply does not matter. */
async function receiveFirstCall(
  t: TestContext,
  config: { kind: string } & Record<string, unknown>,
): Promise<ReceivedCall> {
  const { provider, receivedCalls, stop } = await startListeningProvider(
    config,
    () => ({ json: {} }),
    5_000,
    STOPPED_CLOCK,
  );
  t.after(stop);
  assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', 'an answer of another shape');
  const [receivedCall] = receivedCalls;
  assert.ok(receivedCall && receivedCalls.length === 1, 'it was asked once');
  return receivedCall;
}

// Hash signatures were computed with Python's hashlib, hmac, base64 and urllib.
test('pgslot: the signature is PBKDF2-SHA512 of the body as sent', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, {
    kind: 'pgslot',
    agent: 'agent-7',
    secret: 'salt of the agent',
  });
  assert.equal(path, '/partner/deposit');
  assert.equal(body, '{"agent":"agent-7","username":"kpmali0000000001","amount":"1234.50"}');
  const expectedSignature = 'LyXDaCvutKx24/hkl9+rL11hczgmLNQutssNpW2Q76L+5yM2VALR6D6kekJwLjCtwQqz/qSTYGGJI6y3WbBcxw==';
  assert.equal(headers['x-amb-signature'], expectedSignature);
});

test('royal: the signature is MD5 of the fields sorted by name, and the key', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, {
    kind: 'royal',
    agent: 'agent-7',
    key: 'key of the agent',
  });
  assert.equal(path, '/agent/deposit');
  assert.match(headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    agent: 'agent-7',
    username: 'kpmali0000000001',
    amount: '1234.50',
    sign: '9642f7ae5e9ac27858cf60ae870d33b7',
  });
});

test('imi: user and password are in HTTP Basic, and the reference in the body', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, { kind: 'imi', user: 'brand', password: 'pass:word' });
  assert.equal(path, '/deposit');
  assert.equal(headers.authorization, 'Basic YnJhbmQ6cGFzczp3b3Jk');
  assert.deepEqual(JSON.parse(body), {
    username: 'kpmali0000000001',
    amount: '1234.50',
    transactionRef: 'T0000000000000001',
  });
});

test('slotracha: the key is constant, and the type states the direction of the money', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, { kind: 'slotracha', token: 'a-key-for-ever' });
  assert.equal(path, '/transfer');
  assert.equal(headers.authorization, 'Bearer a-key-for-ever');
  assert.deepEqual(JSON.parse(body), { username: 'kpmali0000000001', amount: '1234.50', type: 2 });
});

test('joker2: the signature is HMAC-SHA1 of the form sorted by name, in the URL beside the app id', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, {
    kind: 'joker2',
    appId: 'APP7',
    secret: 'secret of the app',
  });
  const address = new URL(path, 'http://there');
  assert.equal(address.pathname, '/');
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    AppID: 'APP7',
    Signature: 'Jq77DWogfn0zKxHfcpIA2ghDFp4=',
  });
  assert.match(headers['content-type'] ?? '', /^application\/x-www-form-urlencoded/);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    Method: 'TC',
    Username: 'kpmali0000000001',
    Amount: '1234.50',
    RequestID: 'T0000000000000001',
    Timestamp: '1700000000',
  });
});

test('betflix: key and category are in headers, and the reference in the form', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, { kind: 'betflix', apiKey: 'a-key', apiCat: 'a-cat' });
  assert.equal(path, '/v4/user/transfer');
  assert.deepEqual([headers['x-api-key'], headers['x-api-cat']], ['a-key', 'a-cat']);
  assert.equal(body, 'username=kpmali0000000001&amount=1234.50&ref=T0000000000000001');
});

test('areaslot: the signature is MD5 of the fields sorted by name, and the key', async (t) => {
  const { path, body } = await receiveFirstCall(t, { kind: 'areaslot', agent: 'agent-7', key: 'key of the agent' });
  assert.equal(path, '/api/player/deposit');
  assert.deepEqual(JSON.parse(body), {
    agent: 'agent-7',
    username: 'kpmali0000000001',
    amount: '1234.50',
    sign: '9642f7ae5e9ac27858cf60ae870d33b7',
  });
});

test('huayhd: the signature is PBKDF2-SHA512 of the body as sent', async (t) => {
  const { path, headers, body } = await receiveFirstCall(t, {
    kind: 'huayhd',
    agent: 'agent-7',
    secret: 'salt of the agent',
  });
  assert.equal(path, '/seamless/deposit');
  assert.equal(
    body,
    '{"agent":"agent-7","username":"kpmali0000000001","amount":"1234.50","transactionRef":"T0000000000000001"}',
  );
  const expectedSignature = 'GyykuvUO/+TkkpvRvEmVetiS3kimQ3mv0Yx2VhWb5cTVivITBqXCyQJcJCtF4cot2zbm4Y2YfKeEv3SRoOs+IA==';
  assert.equal(headers['x-signature'], expectedSignature);
});

test('formpost: the signature is HMAC-SHA256 of the fields sorted by name, written as a query', async (t) => {
  const config = { kind: 'formpost', merchant: 'shop 7/8', secret: 'secret of the shop', formCharacters: null };
  const { path, body } = await receiveFirstCall(t, config);
  assert.equal(path, '/api/credit/in');
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    merchant: 'shop 7/8',
    username: 'kpmali0000000001',
    amount: '1234.50',
    ref: 'T0000000000000001',
    time: '1700000000',
    sign: '6f33fda54aebd78c3f981ff008104989cf6784c9df4ac1f39562e82877cef824',
  });
});

test("circus: the public key verifies the signature of the body's digest", async (t) => {
  const rsaKeyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const privateKey = rsaKeyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { headers, body } = await receiveFirstCall(t, { kind: 'circus', operatorId: 'operator-7', privateKey });
  assert.deepEqual(JSON.parse(body), {
    operator_id: 'operator-7',
    user: 'kpmali0000000001',
    amount: '1234.50',
    transaction_uuid: 'T0000000000000001',
  });
  const signature = headers['x-circus-signature'];
  assert.ok(typeof signature === 'string');
  const { n = '', e = '' } = rsaKeyPair.publicKey.export({ format: 'jwk' });
  const decryptedSignature = modularPower(
    toBigInt(signature, 'base64'),
    toBigInt(e, 'base64url'),
    toBigInt(n, 'base64url'),
  );
  // RFC 8017, 9.2: 00 01 FF… 00, then the identifier of SHA-256, then the digest.
  const bodyDigest = createHash('sha256').update(body, 'utf8').digest('hex');
  const paddedDigest = `003031300d060960864801650304020105000420${bodyDigest}`;
  assert.equal(
    decryptedSignature.toString(16).padStart(512, '0'),
    `0001${'f'.repeat(512 - 4 - paddedDigest.length)}${paddedDigest}`,
  );
});

const toBigInt = (text: string, encoding: 'base64' | 'base64url'): bigint =>
  BigInt(`0x${Buffer.from(text, encoding).toString('hex')}`);

/** base ** exponent mod modulus. */
function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (
    let [squared, remainingExponent] = [base % modulus, exponent];
    remainingExponent > 0n;
    remainingExponent >>= 1n
  ) {
    if (remainingExponent % 2n === 1n) result = (result * squared) % modulus;
    squared = (squared * squared) % modulus;
  }
  return result;
}
