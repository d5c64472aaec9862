import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkSignature } from '../../../../src/adapters/gateway/ww.ts';

const SECRET = Buffer.from('a key of thirty-two random bytes').toString('base64');
const NOW = new Date('2026-11-21T08:00:00.500Z');
const TIMESTAMP_S = Math.floor(NOW.getTime() / 1_000);
const BODY = '{"payment":{"merchantReference":"D1"}}';

const signatureOf = (body: string, stamp: number | string, secret = SECRET) =>
  createHmac('sha256', Buffer.from(secret, 'base64')).update(`${stamp}.${body}`).digest('hex');
const check = (signature: string | string[] | undefined, stamp: string | string[] | undefined, body = BODY) =>
  checkSignature(
    { query: {}, headers: { 'ww-signature': signature, 'ww-signature-timestamp': stamp }, body },
    SECRET,
    NOW,
  );

test('a recent signature of the raw body is valid, and any other change invalidates it [R-QR-07]', () => {
  const validSignature = signatureOf(BODY, TIMESTAMP_S);
  assert.equal(check(validSignature, String(TIMESTAMP_S)), undefined);
  for (let position = 0; position < validSignature.length; position += 1) {
    const alteredSignature =
      validSignature.slice(0, position) +
      (validSignature[position] === '0' ? '1' : '0') +
      validSignature.slice(position + 1);
    assert.equal(check(alteredSignature, String(TIMESTAMP_S)), 'KEY_INVALID');
  }
  assert.equal(check(validSignature, String(TIMESTAMP_S), `${BODY} `), 'KEY_INVALID');
  assert.equal(check(validSignature.toUpperCase(), String(TIMESTAMP_S)), undefined, 'the case of hex says nothing');
  assert.equal(check(signatureOf(BODY, TIMESTAMP_S, 'b3RoZXI='), String(TIMESTAMP_S)), 'KEY_INVALID');
});

test('during a change of secrets one matching signature of several is enough', () => {
  const [oldSignature, validSignature] = [signatureOf(BODY, TIMESTAMP_S, 'b2xk'), signatureOf(BODY, TIMESTAMP_S)];
  for (const signatureList of [
    `${oldSignature},${validSignature}`,
    `${validSignature},${oldSignature}`,
    `${oldSignature}, ${validSignature}`,
  ]) {
    assert.equal(check(signatureList, String(TIMESTAMP_S)), undefined);
  }
  assert.equal(check(`${oldSignature},${oldSignature}`, String(TIMESTAMP_S)), 'KEY_INVALID');
});

test('a callback more than five minutes in the past or future is refused [R-QR-07]', () => {
  for (const [seconds, verdict] of [
    [-300, undefined],
    [300, undefined],
    [-301, 'KEY_INVALID'],
    [301, 'KEY_INVALID'],
    [-86_400, 'KEY_INVALID'],
  ] as const) {
    const stamp = TIMESTAMP_S + seconds;
    assert.equal(check(signatureOf(BODY, stamp), String(stamp)), verdict, String(seconds));
  }
});

test('a missing signature is reported as missing, and a malformed or repeated one as invalid', () => {
  const validSignature = signatureOf(BODY, TIMESTAMP_S);
  assert.equal(check(undefined, String(TIMESTAMP_S)), 'KEY_MISSING');
  assert.equal(check(validSignature, undefined), 'KEY_MISSING');
  assert.equal(check('', ''), 'KEY_MISSING');
  assert.equal(check([validSignature, validSignature], String(TIMESTAMP_S)), 'KEY_INVALID');
  assert.equal(check(validSignature, [String(TIMESTAMP_S), String(TIMESTAMP_S)]), 'KEY_INVALID');
  for (const stamp of ['now', '-1', `${TIMESTAMP_S}.5`, ` ${TIMESTAMP_S}`, '1e9', 'NaN', '9'.repeat(40)]) {
    assert.equal(check(signatureOf(BODY, stamp), stamp), 'KEY_INVALID', stamp);
  }
});

test('no header makes the signature check throw, or accept a wrong signature', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (signature, stamp) => {
      assert.equal(check(signature, stamp), 'KEY_INVALID');
    }),
  );
});
